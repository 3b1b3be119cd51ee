-- Rounds played move by move over HTTP. The id a client holds is a secret: only its hash is here.

CREATE TABLE play (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL UNIQUE CHECK (length(sha256) = 64),
    round TEXT NOT NULL REFERENCES round (id),
    policy TEXT, -- NULL: a person's
    revision INTEGER,
    status TEXT NOT NULL CHECK (status IN ('open', 'finished', 'submitted', 'expired')),
    columns BLOB NOT NULL CHECK (length(columns) <= 10000),                 -- a byte a move, 0-6
    think BLOB NOT NULL CHECK (length(think) = 4 * length(columns)),        -- microseconds, 32-bit LE
    created_at INTEGER NOT NULL,
    moved_at INTEGER NOT NULL,   -- the last move, or created_at
    expires_at INTEGER NOT NULL, -- put off by every move
    game INTEGER UNIQUE REFERENCES game (seq),
    CHECK ((policy IS NULL) = (revision IS NULL)),
    CHECK (status <> 'submitted' OR game IS NOT NULL),
    FOREIGN KEY (policy, revision) REFERENCES revision (policy, number)
) STRICT;
-- The first move commits a policy: one play a revision and round.
CREATE UNIQUE INDEX play_committed ON play (round, policy, revision)
    WHERE policy IS NOT NULL AND columns <> x'';
CREATE INDEX play_due ON play (expires_at) WHERE status IN ('open', 'finished');
CREATE INDEX play_age ON play (expires_at);

-- People's games of a round by name, for the list beside the leaderboard.
CREATE INDEX game_people ON game (round, player, score) WHERE player IS NOT NULL AND voided = 0;
