-- The first schema. One transaction; user_version is set by the program after it. Times are UTC ms.
-- Rows that people list carry an integer key in order of creation (seq) beside their public id.

PRAGMA application_id = 0x64377064;

-- One row: what changes with every write. version: anything a reader could see; board: what a
-- leaderboard is made of; serial and last_ms: the last public id given out; turn: the fair-share
-- clock; probe: written by readiness checks.
CREATE TABLE change (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    board INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    probe INTEGER NOT NULL
) STRICT;
INSERT INTO change (id, version, board, serial, last_ms, turn, probe) VALUES (1, 1, 1, 0, 0, 0, 0);

CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
    admin INTEGER NOT NULL CHECK (admin IN (0, 1)),
    served INTEGER NOT NULL DEFAULT 0, -- change.turn when a job of theirs was last handed out
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE token (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 32),
    account INTEGER NOT NULL REFERENCES account (id),
    sha256 TEXT NOT NULL UNIQUE CHECK (length(sha256) = 64),
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX token_account ON token (account);

CREATE TABLE round (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    seed_hex TEXT NOT NULL CHECK (length(seed_hex) <= 64),
    maximum_moves INTEGER NOT NULL CHECK (maximum_moves BETWEEN 1 AND 10000),
    discs BLOB NOT NULL CHECK (length(discs) >= maximum_moves),  -- a byte a disc, 1-7
    latent BLOB NOT NULL CHECK (length(latent) % 7 = 0),         -- seven bytes a row, 1-7
    created_at INTEGER NOT NULL,
    CHECK (length(latent) / 7 >= (maximum_moves + 4) / 5 + 1)
) STRICT;

CREATE TABLE suite (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX suite_default ON suite (is_default) WHERE is_default = 1;

CREATE TABLE suite_round (
    suite TEXT NOT NULL REFERENCES suite (id),
    position INTEGER NOT NULL CHECK (position >= 0),
    round TEXT NOT NULL REFERENCES round (id),
    PRIMARY KEY (suite, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX suite_round_member ON suite_round (suite, round);
CREATE INDEX suite_round_round ON suite_round (round);

CREATE TABLE policy (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    family TEXT NOT NULL CHECK (length(family) <= 80),
    description TEXT NOT NULL CHECK (length(description) <= 2000),
    kind TEXT NOT NULL CHECK (kind IN ('builtin', 'upload', 'endpoint', 'remote')),
    owner INTEGER REFERENCES account (id),
    public_information INTEGER NOT NULL CHECK (public_information IN (0, 1)),
    slow INTEGER NOT NULL CHECK (slow IN (0, 1)),
    concurrency INTEGER NOT NULL CHECK (concurrency BETWEEN 1 AND 8),
    status TEXT NOT NULL CHECK (status IN ('checking', 'ready', 'rejected', 'suspended', 'retired')),
    reason_code TEXT NOT NULL DEFAULT '' CHECK (length(reason_code) <= 47),
    reason_message TEXT NOT NULL DEFAULT '' CHECK (length(reason_message) <= 200),
    current INTEGER, -- the newest revision that passed its check
    pending INTEGER, -- the candidate, until it passes
    latest_run TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((kind = 'builtin') = (owner IS NULL)),
    FOREIGN KEY (id, current) REFERENCES revision (policy, number) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (id, pending) REFERENCES revision (policy, number) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX policy_owner ON policy (owner);

CREATE TABLE revision (
    policy TEXT NOT NULL REFERENCES policy (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    sha256 TEXT CHECK (length(sha256) = 64),
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
    format TEXT NOT NULL CHECK (length(format) BETWEEN 1 AND 31),
    endpoint TEXT CHECK (length(endpoint) <= 299),
    status TEXT NOT NULL CHECK (status IN ('checking', 'ready', 'rejected')),
    reason_code TEXT NOT NULL DEFAULT '' CHECK (length(reason_code) <= 47),
    reason_message TEXT NOT NULL DEFAULT '' CHECK (length(reason_message) <= 200),
    nondeterministic INTEGER NOT NULL DEFAULT 0 CHECK (nondeterministic IN (0, 1)),
    log BLOB, -- what the check saw on stderr; its owner's only
    created_at INTEGER NOT NULL,
    PRIMARY KEY (policy, number)
) STRICT;
CREATE INDEX revision_sha256 ON revision (sha256) WHERE sha256 IS NOT NULL;

CREATE TABLE run (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 32),
    policy TEXT NOT NULL,
    revision INTEGER NOT NULL,
    suite TEXT REFERENCES suite (id), -- NULL: a list of rounds
    builtin INTEGER NOT NULL CHECK (builtin IN (0, 1)),
    status TEXT NOT NULL
        CHECK (status IN ('queued', 'playing', 'done', 'stopped', 'cancelled', 'failed')),
    reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 200),
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    CHECK ((status IN ('queued', 'playing')) = (finished_at IS NULL)),
    FOREIGN KEY (policy, revision) REFERENCES revision (policy, number)
) STRICT;
CREATE UNIQUE INDEX run_unfinished ON run (policy, revision) WHERE finished_at IS NULL;
CREATE INDEX run_policy ON run (policy);
CREATE INDEX run_status ON run (status);
CREATE INDEX run_queue ON run (builtin) WHERE status = 'queued';

-- Whatever a program gets wrong, a run never moves back.
CREATE TRIGGER run_forward BEFORE UPDATE OF status ON run
WHEN old.status <> new.status
    AND (old.finished_at IS NOT NULL OR (old.status = 'playing' AND new.status = 'queued'))
BEGIN
    SELECT RAISE (ABORT, 'a run only moves forward');
END;

-- waiting: not claimable yet (the revision is unchecked, or the run's first rounds are not decided).
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('check', 'game')),
    state TEXT NOT NULL
        CHECK (state IN ('waiting', 'queued', 'playing', 'done', 'failed', 'cancelled')),
    owner INTEGER NOT NULL, -- account; 0: a built-in's
    policy TEXT NOT NULL,
    revision INTEGER NOT NULL,
    run INTEGER REFERENCES run (seq),
    position INTEGER CHECK (position >= 0),
    round TEXT REFERENCES round (id),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- tries that failed by our fault
    lease TEXT CHECK (length(lease) BETWEEN 1 AND 32),
    beat INTEGER NOT NULL DEFAULT 0,
    moves INTEGER NOT NULL DEFAULT 0 CHECK (moves >= 0),
    CHECK ((state = 'playing') = (lease IS NOT NULL)),
    CHECK ((kind = 'game') = (run IS NOT NULL AND position IS NOT NULL AND round IS NOT NULL)),
    FOREIGN KEY (policy, revision) REFERENCES revision (policy, number)
) STRICT;
CREATE INDEX job_state ON job (state, kind, owner);
CREATE INDEX job_playing ON job (policy) WHERE state = 'playing';
CREATE UNIQUE INDEX job_run ON job (run, position) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX job_run_round ON job (run, round) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX job_check ON job (policy, revision)
    WHERE kind = 'check' AND state IN ('queued', 'playing');

CREATE TABLE game (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 32),
    job INTEGER UNIQUE REFERENCES job (id), -- a job has one game, whatever happens
    policy TEXT,                            -- NULL: a person's
    revision INTEGER,
    player TEXT CHECK (length(player) BETWEEN 1 AND 80),
    run INTEGER REFERENCES run (seq),
    round TEXT NOT NULL REFERENCES round (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('over', 'censored', 'forfeit')),
    reason TEXT NOT NULL CHECK (length(reason) <= 160),
    score INTEGER NOT NULL CHECK (score >= 0),
    moves INTEGER NOT NULL CHECK (moves BETWEEN 0 AND 10000),
    max_chain INTEGER NOT NULL CHECK (max_chain >= 0),
    discs_cleared INTEGER NOT NULL CHECK (discs_cleared >= 0),
    covered_revealed INTEGER NOT NULL CHECK (covered_revealed >= 0),
    checksum TEXT NOT NULL CHECK (length(checksum) <= 16),
    illegal_moves INTEGER NOT NULL CHECK (illegal_moves >= 0),
    timeouts INTEGER NOT NULL CHECK (timeouts >= 0),
    crashes INTEGER NOT NULL CHECK (crashes >= 0),
    nondeterministic INTEGER NOT NULL CHECK (nondeterministic IN (0, 1)),
    counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
    voided INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1)),
    void_reason TEXT CHECK (length(void_reason) <= 200),
    voided_at INTEGER,
    elapsed_ms INTEGER NOT NULL CHECK (elapsed_ms >= 0),
    ms_p50 REAL NOT NULL,
    ms_p95 REAL NOT NULL,
    ms_p99 REAL NOT NULL,
    ms_max REAL NOT NULL,
    created_at INTEGER NOT NULL,
    CHECK ((policy IS NULL) = (revision IS NULL)),
    CHECK ((policy IS NULL) <> (player IS NULL)),
    CHECK (NOT (counted AND voided)),
    FOREIGN KEY (policy, revision) REFERENCES revision (policy, number)
) STRICT;
CREATE UNIQUE INDEX game_counted ON game (round, policy, revision) WHERE counted = 1;
CREATE INDEX game_run ON game (run);
CREATE INDEX game_policy ON game (policy, score);
CREATE INDEX game_round ON game (round, score);
CREATE INDEX game_outcome ON game (outcome, score);
CREATE INDEX game_score ON game (score);
CREATE INDEX game_policy_age ON game (policy);
CREATE INDEX game_round_age ON game (round);
CREATE INDEX game_outcome_age ON game (outcome);

-- Apart from the game's row: lists and leaderboards never read these.
CREATE TABLE game_record (
    game INTEGER PRIMARY KEY REFERENCES game (seq),
    columns BLOB NOT NULL CHECK (length(columns) <= 10000), -- a byte a move, 0-6
    think BLOB NOT NULL CHECK (length(think) = 4 * length(columns)), -- microseconds, 32-bit LE
    faults TEXT NOT NULL,                                   -- JSON
    stderr BLOB NOT NULL
) STRICT;

CREATE TABLE worker (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 32),
    pid INTEGER NOT NULL,
    tier TEXT NOT NULL CHECK (length(tier) BETWEEN 1 AND 7),
    tier_reason TEXT NOT NULL CHECK (length(tier_reason) <= 200),
    beat INTEGER NOT NULL,
    registered_at INTEGER NOT NULL
) STRICT;
