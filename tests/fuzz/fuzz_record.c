/*
 * Files that come from elsewhere: rounds, replays, and columns played again on a round. What is
 * taken must be written and read back as the same.
 */
#include "engine/base/json.h"
#include "engine/record/replay.h"
#include "engine/tool/replayfile.h"
#include "tests/fuzz/target.h"

#define TEXT_MAX (1u << 20)

static void check_refused(enum d7_err err, const struct d7_why *why)
{
    D7_CHECK(err == D7_ERR_INVALID || err == D7_ERR_SYNTAX || err == D7_ERR_TOO_LARGE);
    D7_CHECK(why->text[0] && memchr(why->text, '\0', sizeof(why->text)));
}

static void check_round(const struct round *r)
{
    D7_CHECK(r->maximum_moves >= 1 && r->maximum_moves <= ROUND_MOVES_MAX);
    D7_CHECK(r->disc_count >= r->maximum_moves && r->row_count >= (r->maximum_moves + 4) / 5 + 1);
    for (uint32_t i = 0; i < r->disc_count; i++) {
        D7_CHECK(r->discs[i] >= 1 && r->discs[i] <= 7);
    }
    for (uint32_t i = 0; i < r->row_count * BOARD_COLUMNS; i++) {
        D7_CHECK(r->rows[i / BOARD_COLUMNS][i % BOARD_COLUMNS] - 1u < 7);
    }
}

static void read_round(struct span text)
{
    struct roundfile *r = NULL;
    struct roundfile *again = NULL;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = roundfile_parse(text, &r, &why);
    if (err) {
        check_refused(err, &why);
        return;
    }
    check_round(&r->round);
    struct buf out;
    struct jout j;
    buf_init(&out, TEXT_MAX);
    jout_init(&j, &out);
    roundfile_write(&j, r);
    D7_CHECK(!out.err);
    D7_CHECK(roundfile_parse(buf_span(&out), &again, NULL) == D7_OK);
    D7_CHECK(strcmp(r->id, again->id) == 0 && strcmp(r->name, again->name) == 0 &&
             strcmp(r->seed_hex, again->seed_hex) == 0);
    D7_CHECK(r->round.maximum_moves == again->round.maximum_moves &&
             r->round.disc_count == again->round.disc_count &&
             r->round.row_count == again->round.row_count);
    size_t size = r->round.disc_count + (size_t)r->round.row_count * BOARD_COLUMNS;
    D7_CHECK(memcmp(r->memory, again->memory, size) == 0);
    buf_release(&out);
    roundfile_free(again);
    roundfile_free(r);
}

static void read_replay(struct span text, const struct round *round)
{
    struct replayfile file = {0};
    struct replay_facts facts;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = replayfile_parse(text, &file, &why);
    if (err) {
        check_refused(err, &why);
        return;
    }
    for (size_t i = 0; i < file.count; i++) {
        D7_CHECK(file.columns[i] < BOARD_COLUMNS);
    }
    err = replayfile_verify(&file, round, &facts, &why);
    if (err) {
        check_refused(err, &why);
    } else {
        D7_CHECK(facts.summary.moves == file.count && strlen(facts.summary.checksum) == 16);
    }
    replayfile_release(&file);
}

static enum d7_err on_frame(void *ctx, const struct frame *f)
{
    struct board b;
    uint32_t *frames = ctx;
    D7_CHECK(f->move == ++*frames && f->step_count >= 1);
    D7_CHECK(board_parse(f->board, BOARD_CELLS, &b) == BOARD_FINE && f->score_delta >= 0);
    return D7_OK;
}

/* Bytes as columns: what is illegal ends the game with its move named. */
static void read_columns(struct span text, const struct round *round)
{
    static uint8_t columns[256];
    size_t count = text.len < sizeof(columns) ? text.len : sizeof(columns);
    uint32_t frames = 0;
    const struct replay_watch watch = {.on_frame = on_frame, .ctx = &frames, .steps = true};
    struct summary with;
    struct summary without;
    struct d7_why why = {{0}, {0}};
    for (size_t i = 0; i < count; i++) {
        columns[i] = (uint8_t)(text.ptr[i] - '0');
    }
    enum d7_err err = replay_run(round, columns, count, &watch, &with, &why);
    if (err) {
        check_refused(err, &why);
        D7_CHECK(replay_run(round, columns, frames, NULL, &without, &why) == D7_OK);
        return;
    }
    D7_CHECK(replay_run(round, columns, count, NULL, &without, &why) == D7_OK);
    D7_CHECK(frames == count && memcmp(with.checksum, without.checksum, CHECKSUM_SIZE) == 0);
    D7_CHECK(with.score == without.score && with.moves == count && with.over == without.over);
}

static void read_json(struct span text)
{
    struct jval *root = NULL;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = jval_parse(text, &root, &why);
    if (err) {
        check_refused(err, &why);
    } else {
        D7_CHECK(jval_difference(root, root) == NULL);
    }
    jval_free(root);
}

void fuzz_record(const uint8_t *bytes, size_t len)
{
    static struct roundfile *gauntlet;
    if (!gauntlet) {
        D7_CHECK(roundfile_gauntlet(1, &gauntlet) == D7_OK);
    }
    struct span text = {(const char *)bytes, len};
    read_json(text);
    read_round(text);
    read_replay(text, &gauntlet->round);
    read_columns(text, &gauntlet->round);
}
