#include "tests/support/support.h"

#include "tests/support/stores.h"

#include "store/handle.h"

const struct job_skills stores_all_skills = {.uploads = true, .endpoints = true, .builtins = true};

const char *stores_path(const char *name)
{
    static char root[512];
    static char paths[4][1024];
    static unsigned next;
    if (!root[0]) {
        assert_int_equal(span_copy(span_of(support_scratch()), root, sizeof(root)), D7_OK);
    }
    char *path = paths[next++ % D7_COUNT(paths)];
    assert_true(snprintf(path, sizeof(paths[0]), "%s/%s", root, name) < (int)sizeof(paths[0]));
    return path;
}

struct store *stores_open(const char *name, enum store_mode mode)
{
    struct store *st = NULL;
    struct d7_why why = {0};
    if (store_open(stores_path(name), mode, &st, &why)) {
        fail_msg("store_open: %s", why.text);
    }
    return st;
}

int64_t stores_account(struct store *st, const char *name)
{
    char secret[41];
    char sha[SHA_HEX_SIZE];
    char token[STORE_KEY_SIZE];
    struct account account = {0};
    assert_int_equal(random_hex(secret, 20), D7_OK);
    sha_of(span_of(secret), sha);
    assert_int_equal(account_token_add(st, name, false, false, sha, 1000, token), D7_OK);
    assert_int_equal(account_by_token(st, sha, &account), D7_OK);
    return account.id;
}

enum d7_err stores_upload(struct store *st, const char *id, int64_t owner, const char *suite,
                          char ret_run_id[STORE_KEY_SIZE])
{
    char sha[SHA_HEX_SIZE];
    sha_of(span_of(id), sha);
    const struct policy_new_row row = {
        .id = id,
        .name = id,
        .family = "test",
        .description = "",
        .kind = KIND_UPLOAD,
        .owner_id = owner,
        .public_information = true,
        .concurrency = 1,
        .sha256 = sha,
        .size_bytes = 10,
        .format = "elf",
        .suite_id = suite,
    };
    return policy_add(st, &row, 2000, ret_run_id);
}

enum d7_err stores_builtin(struct store *st, const char *id, const char *suite,
                           char ret_run_id[STORE_KEY_SIZE])
{
    const struct policy_new_row row = {
        .id = id,
        .name = id,
        .family = "test",
        .description = "",
        .kind = KIND_BUILTIN,
        .public_information = true,
        .concurrency = 1,
        .format = "builtin",
        .suite_id = suite,
    };
    return policy_add(st, &row, 2000, ret_run_id);
}

enum d7_err stores_claim(struct store *st, struct job *ret)
{
    char lease[STORE_KEY_SIZE];
    enum d7_err err = random_hex(lease, 16);
    return err ? err : job_claim(st, &stores_all_skills, lease, 3000, ret);
}

enum d7_err stores_finish(struct store *st, const struct job *job, enum outcome outcome,
                          int64_t score, char ret_game_id[STORE_KEY_SIZE])
{
    static const uint8_t columns[] = {3, 0, 6, 6};
    static const uint32_t think[] = {10, 20, 30, 70000};
    struct game_result result = {
        .columns = columns,
        .think_us = think,
        .moves = D7_COUNT(columns),
        .summary = {.score = score, .moves = D7_COUNT(columns), .max_chain = 1},
        .outcome = outcome,
        .reason = outcome == OUTCOME_FORFEIT ? "crashes" : "",
        .crashes = outcome == OUTCOME_FORFEIT ? 3 : 0,
        .elapsed_ms = 70,
        .ms_max = 70.0,
        .stderr_tail = {"warn\0ing", 8},
    };
    memcpy(result.summary.checksum, "0123456789abcdef", CHECKSUM_SIZE);
    return job_finish_game(st, job, &result, 4000, ret_game_id);
}

enum d7_err stores_pass(struct store *st, const struct job *job)
{
    const struct check_outcome outcome = {.passed = true, .public_information = true};
    return job_finish_check(st, job, &outcome, 3500);
}

size_t stores_drain(struct store *st, enum outcome outcome)
{
    size_t games = 0;
    for (;;) {
        struct job job;
        char id[STORE_KEY_SIZE];
        enum d7_err err = stores_claim(st, &job);
        if (err == D7_ERR_NOT_FOUND) {
            return games;
        }
        assert_int_equal(err, D7_OK);
        if (job.kind == JOB_CHECK) {
            assert_int_equal(stores_pass(st, &job), D7_OK);
        } else {
            assert_int_equal(stores_finish(st, &job, outcome, 100, id), D7_OK);
            games++;
        }
    }
}

int64_t stores_number(struct store *st, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t value = -1;
    assert_int_equal(sqlite3_prepare_v2(st->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    value = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return value;
}

int stores_change(struct store *st, const char *sql)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) == SQLITE_OK ? sqlite3_changes(st->db) : -1;
}

void stores_assert_consistent(struct store *st)
{
    static const char *const bad[] = {
        "SELECT count(*) FROM job j WHERE kind = 'game' AND "
        "(state = 'done') <> (SELECT count(*) FROM game g WHERE g.job = j.id)",
        "SELECT count(*) FROM game g LEFT JOIN game_record c ON c.game = g.seq "
        "WHERE c.game IS NULL",
        "SELECT count(*) FROM run r WHERE (finished_at IS NULL) <> EXISTS (SELECT 1 FROM job "
        "WHERE run = r.seq AND state IN ('waiting', 'queued', 'playing'))",
        "SELECT count(*) FROM (SELECT 1 FROM game WHERE policy IS NOT NULL GROUP BY policy, "
        "revision, round "
        "HAVING sum(counted) <> (count(*) > sum(voided)))",
        "SELECT count(*) FROM run WHERE (status = 'queued') <> (started_at IS NULL) "
        "AND status NOT IN ('cancelled', 'failed')",
        "SELECT count(*) FROM job WHERE attempts > 3 OR (attempts = 3) <> (state = 'failed')",
        "SELECT count(*) FROM run r WHERE status = 'done' AND EXISTS (SELECT 1 FROM job "
        "WHERE run = r.seq AND state <> 'done')",
        "SELECT count(*) FROM run r WHERE status = 'stopped' AND 3 <> (SELECT count(*) FROM job j "
        "JOIN game g ON g.job = j.id WHERE j.run = r.seq AND g.outcome = 'forfeit')",
        "SELECT count(*) FROM policy p WHERE current IS NOT NULL AND 'ready' <> (SELECT status "
        "FROM revision WHERE policy = p.id AND number = p.current)",
    };
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        if (stores_number(st, bad[i]) != 0) {
            fail_msg("broken: %s", bad[i]);
        }
    }
    sqlite3_stmt *check = NULL;
    assert_int_equal(sqlite3_prepare_v2(st->db, "PRAGMA integrity_check", -1, &check, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(check), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(check, 0), "ok");
    (void)sqlite3_finalize(check);
    assert_int_equal(sqlite3_exec(st->db, "PRAGMA foreign_key_check", NULL, NULL, NULL), SQLITE_OK);
}
