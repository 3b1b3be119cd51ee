/*
 * sql.h - every statement of the store: one table of names and texts.
 *
 * Why     all SQL but the migrations is here, prepared once at open; a test prepares each on a
 * fresh schema and looks at its query plan. Rules   named parameters only, no SELECT *, every list
 * has a LIMIT and a key to continue from. `:x IS NULL OR` in a WHERE is a filter that may be
 * absent.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

/* Set on each connection before anything is prepared. The limit on the WAL that stays on disk goes
 * with the hook in store.c, which bounds it while there are always readers. */
#define STORE_PRAGMAS                                                                              \
    "PRAGMA foreign_keys = ON;"                                                                    \
    "PRAGMA synchronous = FULL;"                                                                   \
    "PRAGMA journal_size_limit = 8388608;"                                                         \
    "PRAGMA trusted_schema = OFF;"                                                                 \
    "PRAGMA temp_store = MEMORY;"

/* Statements needed before the schema is there: run as they stand. */
#define STORE_SQL_WAL         "PRAGMA journal_mode = WAL"
#define STORE_SQL_VERSION     "PRAGMA user_version"
#define STORE_SQL_SET_VERSION "PRAGMA user_version = %d"
#define STORE_SQL_APPLICATION "PRAGMA application_id"
#define STORE_SQL_SCHEMA_SIZE "SELECT count(*) FROM sqlite_schema"
#define STORE_SQL_BEGIN       "BEGIN IMMEDIATE"
#define STORE_SQL_COMMIT      "COMMIT"
#define STORE_SQL_ROLLBACK    "ROLLBACK"

/* A fresh copy becomes a file of its own (no log beside it), of a store where nobody is at work. */
#define STORE_SQL_SETTLE_COPY                                                                      \
    "PRAGMA journal_mode = DELETE;"                                                                \
    "UPDATE job SET state = 'queued', lease = NULL, moves = 0 WHERE state = 'playing';"            \
    "DELETE FROM worker"
#define STORE_SQL_CHECK_COPY "PRAGMA quick_check(1)"

/* --- columns, in the order of the readers
 * --------------------------------------------------------*/
#define REVISION_COLUMNS(r)                                                                        \
    r ".number, " r ".sha256, " r ".size_bytes, " r ".format, " r ".endpoint, " r                  \
      ".created_at, " r ".status, " r ".reason_code, " r ".reason_message"
#define POLICY_SELECT                                                                              \
    "SELECT p.id, p.name, p.family, p.description, p.kind, p.public_information, p.slow, "         \
    "coalesce(c.nondeterministic, 0), p.concurrency, p.status, p.reason_code, p.reason_message, "  \
    "coalesce(p.owner, 0), a.name, p.latest_run, p.created_at, " REVISION_COLUMNS(                 \
        "c") ", " REVISION_COLUMNS("n") " FROM policy p LEFT JOIN account a ON a.id = p.owner "    \
                                        "LEFT JOIN revision c ON c.policy = p.id AND c.number = "  \
                                        "p.current "                                               \
                                        "LEFT JOIN revision n ON n.policy = p.id AND n.number = "  \
                                        "p.pending "
#define RUN_SELECT                                                                                 \
    "SELECT r.id, r.policy, r.revision, r.suite, r.status, r.reason, r.created_at, r.started_at, " \
    "r.finished_at, r.seq, r.builtin FROM run r "
#define RUN_PAGE                                                                                   \
    "r.seq < :seq AND (:suite IS NULL OR r.suite = :suite) AND r.created_at >= :since "            \
    "AND r.created_at < :until ORDER BY r.seq DESC LIMIT :limit"
#define GAME_SELECT                                                                                \
    "SELECT g.id, g.policy, g.revision, r.id, g.round, g.outcome, g.reason, g.score, g.moves, "    \
    "g.max_chain, g.discs_cleared, g.covered_revealed, g.checksum, g.illegal_moves, g.timeouts, "  \
    "g.crashes, g.nondeterministic, g.counted, g.voided, g.elapsed_ms, g.ms_p50, g.ms_p95, "       \
    "g.ms_p99, g.ms_max, g.created_at, g.seq, g.player "                                           \
    "FROM game g LEFT JOIN run r ON r.seq = g.run "

/* --- lists of games: one driving filter, the others on what it leaves; four orders
 * ---------------*/
#define GAME_LIST_SQL(driver, page)                                                                \
    GAME_SELECT                                                                                    \
    "WHERE " driver "(:policy IS NULL OR g.policy = :policy) AND (:player IS NULL OR g.player = "  \
    ":player) AND (:round IS NULL OR g.round = :round) "                                           \
    "AND (:outcome IS NULL OR g.outcome = :outcome) "                                              \
    "AND (:run IS NULL OR r.id = :run) AND g.created_at >= :since "                                \
    "AND g.created_at < :until "                                                                   \
    "AND (:suite IS NULL OR EXISTS (SELECT 1 FROM suite_round s "                                  \
    "WHERE s.suite = :suite AND s.round = g.round)) AND " page " LIMIT :limit"
#define GAME_PAGE_NEWEST "(:score IS NULL OR 1) AND g.seq < :seq ORDER BY g.seq DESC"
#define GAME_PAGE_OLDEST "(:score IS NULL OR 1) AND g.seq > :seq ORDER BY g.seq"
#define GAME_PAGE_BEST   "(g.score, g.seq) < (:score, :seq) ORDER BY g.score DESC, g.seq DESC"
#define GAME_PAGE_WORST  "(g.score, g.seq) > (:score, :seq) ORDER BY g.score, g.seq"
/* The four orders of enum game_sort, in its order. */
#define GAME_LIST_STATEMENTS(X, name, driver)                                                      \
    X(GAME_LIST_##name##_NEWEST, GAME_LIST_SQL(driver, GAME_PAGE_NEWEST))                          \
    X(GAME_LIST_##name##_OLDEST, GAME_LIST_SQL(driver, GAME_PAGE_OLDEST))                          \
    X(GAME_LIST_##name##_BEST, GAME_LIST_SQL(driver, GAME_PAGE_BEST))                              \
    X(GAME_LIST_##name##_WORST, GAME_LIST_SQL(driver, GAME_PAGE_WORST))

#define STORE_SQL(X)                                                                               \
    X(TX_BEGIN, "BEGIN IMMEDIATE")                                                                 \
    X(TX_BEGIN_READ, "BEGIN")                                                                      \
    X(TX_COMMIT, "COMMIT")                                                                         \
    X(TX_ROLLBACK, "ROLLBACK")                                                                     \
    X(CHANGE_GET, "SELECT version, board FROM change WHERE id = 1")                                \
    X(CHANGE_BUMP, "UPDATE change SET version = version + 1, board = board + :board WHERE id = 1") \
    X(CHANGE_SERIAL, "UPDATE change SET serial = serial + 1, last_ms = max(last_ms, :now) "        \
                     "WHERE id = 1 RETURNING serial, last_ms")                                     \
    X(CHANGE_TURN, "UPDATE change SET turn = turn + 1 WHERE id = 1 RETURNING turn")                \
    X(CHANGE_PROBE, "UPDATE change SET probe = probe + 1 WHERE id = 1")                            \
    STORE_SQL_ACCOUNT(X)                                                                           \
    STORE_SQL_ROUND(X)                                                                             \
    STORE_SQL_POLICY(X)                                                                            \
    STORE_SQL_QUOTA(X)                                                                             \
    STORE_SQL_RUN(X)                                                                               \
    STORE_SQL_JOB(X)                                                                               \
    STORE_SQL_GAME(X)                                                                              \
    STORE_SQL_PLAY(X)                                                                              \
    STORE_SQL_OPERATOR(X)

/* For metrics and backups. */
#define STORE_SQL_OPERATOR(X)                                                                      \
    X(GAME_TOTALS, "SELECT coalesce(max(seq), :seq), coalesce(sum(outcome = 'over'), 0), "         \
                   "coalesce(sum(outcome = 'censored'), 0), "                                      \
                   "coalesce(sum(outcome = 'forfeit'), 0), coalesce(sum(moves), 0), "              \
                   "coalesce(sum(illegal_moves), 0), coalesce(sum(timeouts), 0), "                 \
                   "coalesce(sum(crashes), 0), coalesce(sum(nondeterministic), 0) "                \
                   "FROM game WHERE seq > :seq")                                                   \
    X(JOB_FIGURES, "SELECT kind, state, count(*) FROM job "                                        \
                   "WHERE state IN ('waiting', 'queued', 'playing', 'failed') "                    \
                   "GROUP BY state, kind")                                                         \
    X(ARTIFACT_LIST, "SELECT DISTINCT v.sha256 FROM revision v JOIN policy p ON p.id = v.policy "  \
                     "WHERE v.sha256 > :after AND p.status <> 'retired' "                          \
                     "ORDER BY v.sha256 LIMIT :limit")

#define STORE_SQL_ACCOUNT(X)                                                                       \
    X(ACCOUNT_BY_NAME, "SELECT id, admin FROM account WHERE name = :name")                         \
    X(ACCOUNT_ADD, "INSERT INTO account (name, admin, created_at) VALUES (:name, :admin, :now)")   \
    X(ACCOUNT_RAISE, "UPDATE account SET admin = 1 WHERE id = :id")                                \
    X(ACCOUNT_SERVED, "UPDATE account SET served = :turn WHERE id = :id")                          \
    X(ACCOUNT_BY_TOKEN, "SELECT a.id, a.name, a.admin, t.sha256 FROM token t JOIN account a "      \
                        "ON a.id = t.account WHERE t.sha256 >= :from AND t.sha256 < :to "          \
                        "AND t.revoked_at IS NULL LIMIT 16")                                       \
    X(TOKEN_ADD, "INSERT INTO token (id, account, sha256, created_at) "                            \
                 "VALUES (:id, :account, :sha256, :now)")                                          \
    X(TOKEN_LIST, "SELECT t.id, a.name, a.admin, t.revoked_at IS NOT NULL, t.created_at, "         \
                  "t.last_used_at, t.seq FROM token t JOIN account a ON a.id = t.account "         \
                  "WHERE t.seq > :seq ORDER BY t.seq LIMIT :limit")                                \
    X(TOKEN_REVOKE, "UPDATE token SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id")     \
    X(TOKEN_OWNER, "SELECT account FROM token WHERE id = :id")                                     \
    X(TOKEN_USED, "UPDATE token SET last_used_at = :now WHERE sha256 = :sha256")

#define STORE_SQL_ROUND(X)                                                                         \
    X(ROUND_GET, "SELECT id, name, seed_hex, maximum_moves, discs, latent FROM round "             \
                 "WHERE id = :id")                                                                 \
    X(ROUND_ADD, "INSERT INTO round (id, name, seed_hex, maximum_moves, discs, latent, "           \
                 "created_at) VALUES (:id, :name, :seed, :moves, :discs, :latent, :now)")          \
    X(ROUND_LIST, "SELECT id, name, seed_hex, maximum_moves FROM round WHERE id > :after "         \
                  "ORDER BY id LIMIT :limit")                                                      \
    X(SUITE_ADD, "INSERT INTO suite (id, name, is_default, created_at) "                           \
                 "VALUES (:id, :name, :default, :now)")                                            \
    X(SUITE_UNSET_DEFAULT, "UPDATE suite SET is_default = 0 WHERE is_default = 1")                 \
    X(SUITE_ROUND_ADD, "INSERT INTO suite_round (suite, position, round) "                         \
                       "VALUES (:suite, :position, :round)")                                       \
    X(SUITE_GET, "SELECT id, name, is_default FROM suite WHERE id = :id")                          \
    X(SUITE_DEFAULT, "SELECT id, name, is_default FROM suite WHERE is_default = 1")                \
    X(SUITE_LIST, "SELECT id, name, is_default FROM suite WHERE id > :after "                      \
                  "ORDER BY id LIMIT :limit")                                                      \
    X(SUITE_ROUNDS, "SELECT round FROM suite_round WHERE suite = :suite "                          \
                    "ORDER BY position LIMIT :limit")

#define STORE_SQL_POLICY(X)                                                                        \
    X(POLICY_GET, POLICY_SELECT "WHERE p.id = :id")                                                \
    X(POLICY_LIST, POLICY_SELECT "WHERE p.id > :after AND (:kind IS NULL OR p.kind = :kind) "      \
                                 "AND (:family IS NULL OR p.family = :family) "                    \
                                 "AND CASE WHEN :status IS NULL THEN p.status <> 'retired' "       \
                                 "ELSE p.status = :status END ORDER BY p.id LIMIT :limit")         \
    X(POLICY_ADD, "INSERT INTO policy (id, name, family, description, kind, owner, "               \
                  "public_information, slow, concurrency, status, current, pending, created_at) "  \
                  "VALUES (:id, :name, :family, :description, :kind, :owner, :public, :slow, "     \
                  ":concurrency, :status, :current, :pending, :now)")                              \
    X(POLICY_UPDATE, "UPDATE policy SET name = :name, family = :family, "                          \
                     "description = :description, public_information = :public, slow = :slow "     \
                     "WHERE id = :id AND (name, family, description, public_information, slow) "   \
                     "<> (:name, :family, :description, :public, :slow)")                          \
    X(POLICY_STATE, "SELECT kind, status, coalesce(current, 0), coalesce(pending, 0), "            \
                    "coalesce(owner, 0), latest_run FROM policy WHERE id = :id")                   \
    X(POLICY_PATCH, "UPDATE policy SET name = coalesce(:name, name), "                             \
                    "family = coalesce(:family, family), "                                         \
                    "description = coalesce(:description, description) WHERE id = :id")            \
    X(POLICY_SUSPEND, "UPDATE policy SET status = 'suspended', reason_code = 'suspended', "        \
                      "reason_message = :message WHERE id = :id")                                  \
    X(POLICY_RESUME,                                                                               \
      "UPDATE policy SET (status, reason_code, reason_message) = "                                 \
      "(SELECT coalesce(v.status, 'checking'), coalesce(v.reason_code, ''), "                      \
      "coalesce(v.reason_message, '') FROM policy p LEFT JOIN revision v ON v.policy = p.id "      \
      "AND v.number = coalesce(p.current, p.pending) WHERE p.id = :id) "                           \
      "WHERE id = :id AND status = 'suspended'")                                                   \
    X(POLICY_RETIRE, "UPDATE policy SET status = 'retired', reason_code = '', "                    \
                     "reason_message = '' WHERE id = :id")                                         \
    X(POLICY_REVISE,                                                                               \
      "UPDATE policy SET current = coalesce(:current, current), "                                  \
      "pending = coalesce(:pending, pending), reason_code = '', reason_message = '', "             \
      "status = CASE WHEN current IS NULL THEN 'checking' ELSE status END WHERE id = :id")         \
    X(POLICY_SET_RUN, "UPDATE policy SET latest_run = :run WHERE id = :id")                        \
    X(POLICY_PASSED,                                                                               \
      "UPDATE policy SET current = :revision, public_information = :public, "                      \
      "reason_code = CASE WHEN status = 'suspended' THEN reason_code ELSE '' END, "                \
      "reason_message = CASE WHEN status = 'suspended' THEN reason_message ELSE '' END, "          \
      "pending = CASE WHEN pending = :revision THEN NULL ELSE pending END, "                       \
      "status = CASE WHEN status IN ('checking', 'rejected') THEN 'ready' ELSE status END "        \
      "WHERE id = :id AND coalesce(current, 0) < :revision")                                       \
    X(POLICY_REASON, "UPDATE policy SET reason_code = :code, reason_message = :message, "          \
                     "status = CASE WHEN status = 'checking' THEN :status ELSE status END "        \
                     "WHERE id = :id AND current IS NULL AND status = 'checking' "                 \
                     "AND pending = :revision")                                                    \
    X(REVISION_ADD, "INSERT INTO revision (policy, number, sha256, size_bytes, format, endpoint, " \
                    "status, created_at) VALUES (:policy, :number, :sha256, :size, :format, "      \
                    ":endpoint, :status, :now)")                                                   \
    X(REVISION_STATUS, "SELECT status FROM revision WHERE policy = :policy AND number = :number")  \
    X(REVISION_CHECKED, "UPDATE revision SET status = :status, reason_code = :code, "              \
                        "reason_message = :message, log = :log "                                   \
                        "WHERE policy = :policy AND number = :number")                             \
    X(REVISION_NONDETERMINISTIC, "UPDATE revision SET nondeterministic = 1 "                       \
                                 "WHERE policy = :policy AND number = :number")                    \
    X(REVISION_NEXT, "SELECT coalesce(max(number), 0) + 1 FROM revision WHERE policy = :policy")   \
    X(REVISION_GET,                                                                                \
      "SELECT " REVISION_COLUMNS("v") " FROM revision v "                                          \
                                      "WHERE v.policy = :policy AND v.number = :number")           \
    X(REVISION_LIST,                                                                               \
      "SELECT " REVISION_COLUMNS("v") " FROM revision v "                                          \
                                      "WHERE v.policy = :policy AND v.number < :before "           \
                                      "ORDER BY v.number DESC LIMIT :limit")                       \
    X(REVISION_LOG, "SELECT log FROM revision WHERE policy = :policy AND number = :number")        \
    X(REVISION_NEXT_FILE, "SELECT sha256 FROM revision WHERE policy = :policy "                    \
                          "AND sha256 > :after ORDER BY sha256 LIMIT 1")                           \
    X(REVISION_OWNED, "SELECT 1 FROM revision v JOIN policy p ON p.id = v.policy "                 \
                      "WHERE v.sha256 = :sha256 AND p.owner = :owner "                             \
                      "AND p.status <> 'retired' LIMIT 1")                                         \
    X(REVISION_USES, "SELECT 1 FROM revision v JOIN policy p ON p.id = v.policy "                  \
                     "WHERE v.sha256 = :sha256 AND p.status <> 'retired' LIMIT 1")

#define STORE_SQL_QUOTA(X)                                                                         \
    X(QUOTA_POLICIES, "SELECT count(*) FROM policy WHERE owner = :owner "                          \
                      "AND status <> 'retired'")                                                   \
    X(QUOTA_REVISIONS, "SELECT count(*) FROM policy p JOIN revision v ON v.policy = p.id "         \
                       "WHERE p.owner = :owner AND v.created_at > :since")                         \
    X(QUOTA_JOBS, "SELECT count(*) FROM job WHERE state IN ('waiting', 'queued') "                 \
                  "AND kind IN ('check', 'game') AND owner = :owner")                              \
    X(QUOTA_ARTIFACTS, "SELECT coalesce(sum(u.size), 0) FROM (SELECT DISTINCT v.sha256, "          \
                       "v.size_bytes AS size FROM policy p JOIN revision v ON v.policy = p.id "    \
                       "WHERE p.owner = :owner AND p.status <> 'retired' "                         \
                       "AND v.sha256 IS NOT NULL) u")

#define STORE_SQL_RUN(X)                                                                           \
    X(RUN_ADD, "INSERT INTO run (id, policy, revision, suite, builtin, status, created_at) "       \
               "VALUES (:id, :policy, :revision, :suite, :builtin, 'queued', :now)")               \
    X(RUN_UNFINISHED, "SELECT id, seq FROM run WHERE policy = :policy AND revision = :revision "   \
                      "AND finished_at IS NULL")                                                   \
    X(RUN_UNFINISHED_ANY, "SELECT seq FROM run WHERE policy = :policy "                            \
                          "AND finished_at IS NULL LIMIT 1")                                       \
    X(RUN_OPEN, "SELECT seq, finished_at IS NOT NULL FROM run WHERE id = :id")                     \
    X(RUN_GET, RUN_SELECT "WHERE r.id = :id")                                                      \
    X(RUN_PROGRESS, "SELECT count(*), coalesce(sum(state = 'done'), 0), "                          \
                    "coalesce(sum(state = 'playing'), 0), coalesce(sum(moves), 0) "                \
                    "FROM job WHERE run = :run")                                                   \
    X(RUN_QUEUE_POSITION, "SELECT count(*) FROM run INDEXED BY run_queue WHERE status = 'queued' " \
                          "AND (builtin, seq) <= (:builtin, :seq)")                                \
    X(RUN_ROUNDS, "SELECT j.round, CASE j.state WHEN 'waiting' THEN 'queued' ELSE j.state END, "   \
                  "g.id FROM run r JOIN job j ON j.run = r.seq "                                   \
                  "LEFT JOIN game g ON g.job = j.id WHERE r.id = :id ORDER BY j.position "         \
                  "LIMIT :limit")                                                                  \
    X(RUN_LIST_ALL, RUN_SELECT "WHERE :policy IS NULL AND :status IS NULL AND " RUN_PAGE)          \
    X(RUN_LIST_POLICY, RUN_SELECT "WHERE r.policy = :policy AND "                                  \
                                  "(:status IS NULL OR r.status = :status) AND " RUN_PAGE)         \
    X(RUN_LIST_STATUS, RUN_SELECT "WHERE r.status = :status AND :policy IS NULL AND " RUN_PAGE)    \
    X(RUN_START, "UPDATE run SET status = 'playing', started_at = :now "                           \
                 "WHERE seq = :run AND status = 'queued'")                                         \
    X(RUN_FINISH, "UPDATE run SET status = :status, reason = :reason, finished_at = :now "         \
                  "WHERE seq = :run AND finished_at IS NULL")

#define STORE_SQL_JOB(X)                                                                           \
    X(JOB_ADD_CHECK, "INSERT INTO job (kind, state, owner, policy, revision) "                     \
                     "SELECT 'check', 'queued', :owner, :policy, :revision WHERE NOT EXISTS ("     \
                     "SELECT 1 FROM job WHERE policy = :policy AND revision = :revision "          \
                     "AND kind = 'check' AND state IN ('queued', 'playing')) "                     \
                     "AND EXISTS (SELECT 1 FROM revision WHERE policy = :policy "                  \
                     "AND number = :revision AND status = 'checking')")                            \
    X(JOB_ADD_GAME, "INSERT INTO job (kind, state, owner, policy, revision, run, position, round)" \
                    " VALUES ('game', :state, :owner, :policy, :revision, :run, :position, "       \
                    ":round)")                                                                     \
    X(JOB_NEXT_OWNER,                                                                              \
      "SELECT j.owner, coalesce(a.served, 0) FROM job j LEFT JOIN account a ON a.id = j.owner "    \
      "WHERE j.state = 'queued' AND j.kind = :kind AND j.owner > :owner ORDER BY j.owner LIMIT 1") \
    X(JOB_OF_OWNER,                                                                                \
      "SELECT j.id FROM job j JOIN policy p ON p.id = j.policy "                                   \
      "WHERE j.state = 'queued' AND j.kind = :kind AND j.owner = :owner "                          \
      "AND p.status NOT IN ('suspended', 'retired') "                                              \
      "AND ((p.kind = 'upload' AND :uploads) OR (p.kind = 'builtin' AND :builtins) OR "            \
      "(p.kind = 'endpoint' AND :endpoints AND p.concurrency > (SELECT count(*) FROM job b "       \
      "WHERE b.state = 'playing' AND b.policy = p.id))) ORDER BY j.id LIMIT 1")                    \
    X(JOB_CLAIM, "UPDATE job SET state = 'playing', lease = :lease, beat = beat + 1, moves = 0 "   \
                 "WHERE id = :id AND state = 'queued'")                                            \
    X(JOB_INFO, "SELECT j.kind, j.lease, j.policy, p.kind, j.revision, v.sha256, v.format, "       \
                "v.endpoint, r.id, j.round, j.attempts, j.run, j.owner FROM job j "                \
                "JOIN policy p ON p.id = j.policy "                                                \
                "JOIN revision v ON v.policy = j.policy AND v.number = j.revision "                \
                "LEFT JOIN run r ON r.seq = j.run WHERE j.id = :id")                               \
    X(JOB_HELD, "SELECT kind, policy, revision, coalesce(run, 0), coalesce(position, 0), round, "  \
                "attempts FROM job WHERE id = :id AND lease = :lease "                             \
                "AND (:beat IS NULL OR beat = :beat)")                                             \
    X(JOB_BEAT, "UPDATE job SET beat = beat + 1, moves = :moves "                                  \
                "WHERE id = :id AND lease = :lease")                                               \
    X(JOB_CLOSE, "UPDATE job SET state = :state, lease = NULL, moves = :moves, "                   \
                 "attempts = :attempts WHERE id = :id AND lease = :lease")                         \
    X(JOB_OPEN_WAITING, "UPDATE job SET state = 'queued' WHERE run = :run AND state = 'waiting' "  \
                        "AND position < :below")                                                   \
    X(JOB_CANCEL_REST, "UPDATE job SET state = 'cancelled', lease = NULL WHERE run = :run "        \
                       "AND state IN ('waiting', 'queued', 'playing')")                            \
    X(JOB_CANCEL_CHECKS, "UPDATE job SET state = 'cancelled', lease = NULL "                       \
                         "WHERE policy = :policy AND kind = 'check' "                              \
                         "AND state IN ('queued', 'playing')")                                     \
    X(JOB_OPEN_COUNT, "SELECT count(*) FROM job WHERE run = :run "                                 \
                      "AND state IN ('waiting', 'queued', 'playing')")                             \
    X(JOB_FIRST_FORFEITS, "SELECT count(*) FROM job j JOIN game g ON g.job = j.id "                \
                          "WHERE j.run = :run AND j.position < :first "                            \
                          "AND g.outcome = 'forfeit'")                                             \
    X(JOB_LEASES, "SELECT id, lease, beat FROM job WHERE state = 'playing' AND id > :after "       \
                  "ORDER BY id LIMIT :limit")                                                      \
    X(JOB_COUNT, "SELECT (SELECT count(*) FROM job WHERE state = 'queued' AND kind = 'check'), "   \
                 "(SELECT count(*) FROM job WHERE state IN ('queued', 'waiting') "                 \
                 "AND kind = 'game'), (SELECT count(*) FROM job WHERE state = 'playing'), "        \
                 "(SELECT count(*) FROM job WHERE state = 'failed')")                              \
    X(WORKER_REGISTER, "INSERT INTO worker (id, pid, tier, tier_reason, beat, registered_at) "     \
                       "VALUES (:id, :pid, :tier, :reason, 0, :now) ON CONFLICT (id) DO UPDATE "   \
                       "SET pid = :pid, tier = :tier, tier_reason = :reason, beat = beat + 1")     \
    X(WORKER_REMOVE, "DELETE FROM worker WHERE id = :id")                                          \
    X(WORKER_LIST, "SELECT id, pid, tier, tier_reason, beat FROM worker WHERE id > :after "        \
                   "ORDER BY id LIMIT :limit")

#define STORE_SQL_GAME(X)                                                                          \
    X(GAME_ADD,                                                                                    \
      "INSERT INTO game (id, job, policy, revision, player, run, round, outcome, reason, score, "  \
      "moves, "                                                                                    \
      "max_chain, discs_cleared, covered_revealed, checksum, illegal_moves, timeouts, crashes, "   \
      "nondeterministic, counted, elapsed_ms, ms_p50, ms_p95, ms_p99, ms_max, created_at) "        \
      "VALUES (:id, :job, :policy, :revision, :player, :run, :round, :outcome, :reason, :score, "  \
      ":moves, "                                                                                   \
      ":chain, :cleared, :revealed, :checksum, :illegal, :timeouts, :crashes, :nondeterministic, " \
      ":policy IS NOT NULL AND NOT EXISTS (SELECT 1 FROM game WHERE round = :round AND policy = "  \
      ":policy "                                                                                   \
      "AND revision = :revision AND counted = 1), "                                                \
      ":elapsed, :p50, :p95, :p99, :max, :now)")                                                   \
    X(GAME_RECORD_ADD, "INSERT INTO game_record (game, columns, think, faults, stderr) "           \
                       "SELECT seq, :columns, :think, :faults, :stderr FROM game WHERE id = :id")  \
    X(GAME_GET, GAME_SELECT "WHERE g.id = :id")                                                    \
    X(GAME_COLUMNS, "SELECT c.columns FROM game g JOIN game_record c ON c.game = g.seq "           \
                    "WHERE g.id = :id")                                                            \
    X(GAME_LOG, "SELECT c.faults, c.stderr FROM game g JOIN game_record c ON c.game = g.seq "      \
                "WHERE g.id = :id")                                                                \
    X(GAME_COUNTED, GAME_SELECT "JOIN policy p ON p.id = g.policy AND p.current = g.revision "     \
                                "WHERE g.policy = :policy AND g.round = :round "                   \
                                "AND g.counted = 1")                                               \
    X(GAME_BOARD,                                                                                  \
      GAME_SELECT "JOIN policy p ON p.id = g.policy AND p.current = g.revision "                   \
                  "WHERE g.round = :round AND g.counted = 1 AND p.status IN ('ready', :status) "   \
                  "AND g.policy > :after ORDER BY g.policy LIMIT :limit")                          \
    X(GAME_SCAN, GAME_SELECT "WHERE g.id > :after ORDER BY g.id LIMIT :limit")                     \
    X(GAME_VOID, "UPDATE game SET voided = 1, counted = 0, void_reason = :reason, "                \
                 "voided_at = :now WHERE id = :id AND voided = 0")                                 \
    X(GAME_COUNT_NEXT,                                                                             \
      "UPDATE game SET counted = 1 WHERE seq = (SELECT min(n.seq) FROM game n "                    \
      "JOIN game o ON o.id = :id WHERE n.policy = o.policy AND n.revision = o.revision "           \
      "AND +n.round = o.round AND n.voided = 0) AND NOT EXISTS (SELECT 1 FROM game c "             \
      "WHERE c.round = game.round AND c.policy = game.policy AND c.revision = game.revision "      \
      "AND c.counted = 1)")                                                                        \
    GAME_LIST_STATEMENTS(X, ALL, "")                                                               \
    GAME_LIST_STATEMENTS(X, POLICY, "g.policy = :policy AND ")                                     \
    GAME_LIST_STATEMENTS(X, ROUND, "g.round = :round AND ")                                        \
    GAME_LIST_STATEMENTS(X, RUN, "g.run = (SELECT seq FROM run WHERE id = :run) AND ")             \
    GAME_LIST_STATEMENTS(X, PLAYER, "g.player = :player AND ")                                     \
    GAME_LIST_STATEMENTS(X, OUTCOME, "g.outcome = :outcome AND ")

#define STORE_SQL_PLAY(X)                                                                          \
    X(PLAY_OPEN_COUNT, "SELECT count(*) FROM play INDEXED BY play_due WHERE status IN ('open', "   \
                       "'finished') AND expires_at > :after")                                      \
    X(PLAY_ROUND, "SELECT 1 FROM round WHERE id = :round")                                         \
    X(PLAY_COMMITTED, "SELECT 1 FROM play WHERE round = :round AND policy = :policy AND revision " \
                      "= :revision AND columns <> x''")                                            \
    X(PLAY_ADD, "INSERT INTO play (sha256, round, policy, revision, status, columns, think, "      \
                "created_at, moved_at, expires_at) VALUES (:sha256, :round, :policy, :revision, "  \
                "'open', x'', x'', :now, :now, :expires)")                                         \
    X(PLAY_GET, "SELECT p.sha256, p.round, p.policy, coalesce(p.revision, 0), p.status, "          \
                "p.columns, p.think, p.created_at, p.moved_at, p.expires_at, g.id FROM play p "    \
                "LEFT JOIN game g ON g.seq = p.game WHERE p.sha256 = :sha256")                     \
    X(PLAY_MOVE, "UPDATE play SET columns = :columns, think = :think, status = :status, moved_at " \
                 "= :now, expires_at = :expires WHERE sha256 = :sha256 AND status = 'open' AND "   \
                 "length(columns) = :moves")                                                       \
    X(PLAY_END, "UPDATE play SET status = :status, game = (SELECT seq FROM game WHERE id = "       \
                ":game) WHERE sha256 = :sha256 AND status = :before AND length(columns) = :moves") \
    X(PLAY_NEXT_DUE, "SELECT sha256 FROM play WHERE status IN ('open', 'finished') AND "           \
                     "expires_at <= :now ORDER BY expires_at LIMIT 1")                             \
    X(PLAY_FORGET, "DELETE FROM play WHERE expires_at < :before AND status IN ('submitted', "      \
                   "'expired') AND (policy IS NULL OR columns = x'')")                             \
    X(GAME_PEOPLE,                                                                                 \
      "SELECT id, max(score) AS best, seq FROM game WHERE round = :round AND player IS NOT NULL "  \
      "AND voided = 0 GROUP BY player ORDER BY best DESC, seq LIMIT :limit")

enum store_sql {
#define X(name, text) SQL_##name,
    STORE_SQL(X)
#undef X
        STORE_SQL_COUNT
};

#endif
