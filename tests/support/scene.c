#include "tests/support/scene.h"

#include "tests/support/support.h"

#include "store/handle.h"
#include "store/play.h"
#include "store/revision.h"
#include "tests/support/stores.h"

enum d7_err scene_submit(struct scene *s)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return stores_upload(s->st, id, s->owner, "one", run);
}

enum d7_err scene_claim(struct scene *s)
{
    return stores_claim(s->st, &s->job);
}

enum d7_err scene_pass(struct scene *s)
{
    return stores_pass(s->st, &s->job);
}

enum d7_err scene_finish(struct scene *s)
{
    char id[STORE_KEY_SIZE];
    return stores_finish(s->st, &s->job, OUTCOME_OVER, 10, id);
}

enum d7_err scene_revise(struct scene *s)
{
    char id[32];
    char run[STORE_KEY_SIZE];
    char sha[SHA_HEX_SIZE];
    int64_t number = 0;
    struct quota_excess excess;
    const struct quota quota = {{1000, 1000, 100000, 1 << 20}};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    sha_of(span_of(id), sha);
    const struct revision_new_row row = {.policy_id = id,
                                         .sha256 = sha,
                                         .size_bytes = 10,
                                         .format = "elf",
                                         .suite_id = "one",
                                         .quota = &quota,
                                         .excess = &excess};
    return revision_add(s->st, &row, 5, &number, run);
}

enum d7_err scene_suspend(struct scene *s)
{
    char id[32];
    const struct policy_patch patch = {
        .name = "Other", .has_status = true, .status = POLICY_SUSPENDED};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return policy_patch(s->st, id, &patch);
}

enum d7_err scene_cancel(struct scene *s)
{
    char id[32];
    struct policy_row p = {0};
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    enum d7_err err = policy_get(s->st, id, &p);
    return err ? err : run_cancel(s->st, p.latest_run_id, "", 6);
}

enum d7_err scene_retire(struct scene *s)
{
    char id[32];
    (void)snprintf(id, sizeof(id), "p-%u", s->number);
    return policy_retire(s->st, id, 7);
}

static void name_play(const struct scene *s, char sha[SHA_HEX_SIZE])
{
    char name[32];
    (void)snprintf(name, sizeof(name), "play-%u", s->number);
    sha_of(span_of(name), sha);
}

enum d7_err scene_sit_down(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    name_play(s, sha);
    return play_add(s->st, sha, "gauntlet-01", NULL, 0, 10, 20);
}

enum d7_err scene_move(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    struct play_row p = {.columns = NULL};
    name_play(s, sha);
    enum d7_err err = play_get(s->st, sha, &p);
    if (!err) {
        err = play_move(s->st, &p, 3, 7, true, 11, 21);
    }
    play_release(&p);
    return err;
}

enum d7_err scene_hand_in(struct scene *s)
{
    char sha[SHA_HEX_SIZE];
    char id[STORE_KEY_SIZE];
    struct play_row p = {.columns = NULL};
    name_play(s, sha);
    enum d7_err err = play_get(s->st, sha, &p);
    if (!err) {
        const struct game_result r = {.columns = p.columns,
                                      .think_us = p.think_us,
                                      .moves = p.moves,
                                      .summary = {.moves = 1, .checksum = "0123456789abcdef"},
                                      .outcome = OUTCOME_OVER,
                                      .reason = ""};
        err = play_submit(s->st, &p, "Ann", &r, 12, id);
    }
    play_release(&p);
    return err;
}

enum d7_err scene_list(struct scene *s)
{
    struct store_page page = {.limit = 5};
    struct game_filter filter = {.sort = GAME_SORT_BEST};
    struct game_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = game_list(s->st, &filter, &page, &rows, &count);
    if (!err) {
        free(rows);
    }
    return err;
}

enum d7_err scene_board(struct scene *s)
{
    struct suite_row suite = {0};
    struct board_input in = {0};
    enum d7_err err = suite_get(s->st, NULL, &suite);
    if (!err) {
        err = game_board_input(s->st, &suite, POLICY_READY, &in);
    }
    board_input_release(&in);
    suite_release(&suite);
    return err;
}

void scene_set(struct scene *s, const char *name)
{
    static const char *const rounds[] = {"gauntlet-01"};
    *s = (struct scene){.st = stores_open(name, STORE_MIGRATE)};
    assert_int_equal(sqlite3_exec(s->st->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(suite_add(s->st, "one", "One", true, rounds, 1, 1), D7_OK);
    s->owner = stores_account(s->st, "ann");
}
