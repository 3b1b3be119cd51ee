/* drop7 move: one turn on a board given as text, wave by wave. For people writing an engine of
 * their own. */
#include <inttypes.h>

#include "engine/base/rng.h"
#include "engine/record/replay.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

#define STEPS_MAX                                                                                  \
    256 /* far over what 49 discs can do: at most 3 steps a wave and under 50 waves                \
         */

struct film {
    struct turn_step steps[STEPS_MAX];
    size_t count;
};

struct move_input {
    struct board board;
    struct board latent;
    bool has_latent;
    uint8_t disc;
    uint8_t rise;
    uint8_t column;
    uint8_t row[BOARD_COLUMNS];
    bool has_row;
    struct rng seed;
};

static void keep_step(void *ctx, const struct turn_step *step)
{
    struct film *film = ctx;
    D7_CHECK(film->count < STEPS_MAX);
    film->steps[film->count++] = *step;
}

static unsigned reveal_from_seed(void *ctx, unsigned index)
{
    (void)index;
    return rng_disc(ctx);
}

static void print_board(const struct board *b)
{
    char text[BOARD_TEXT_SIZE];
    board_format(b, text);
    for (int row = 0; row < BOARD_ROWS; row++) {
        (void)fputs("   ", stdout);
        for (int column = 0; column < BOARD_COLUMNS; column++) {
            char c = text[row * 7 + column];
            (void)printf(" %c", c == '0' ? '.' : c == '8' ? '#' : c == '9' ? '%' : c);
        }
        (void)fputc('\n', stdout);
    }
}

static void print_step(const struct turn_step *s)
{
    static const char *const names[] = {"drop", "burst", "impact", "settle", "rise"};
    (void)printf("%s", names[s->kind]);
    if (s->wave) {
        (void)printf(" (wave %" PRIu32 ")", s->wave);
    }
    if (s->kind == STEP_BURST) {
        (void)printf(": %d disc%s, %" PRIu32 " points each", __builtin_popcountll(s->cells),
                     __builtin_popcountll(s->cells) == 1 ? "" : "s", s->points_each);
    } else if (s->kind == STEP_IMPACT) {
        (void)printf(": %d cracked, %d revealed", __builtin_popcountll(s->cracked),
                     __builtin_popcountll(s->revealed));
    }
    (void)fputc('\n', stdout);
    print_board(&s->board);
}

static void print_text(const struct film *film, const struct turn *t, uint8_t rise)
{
    for (size_t i = 0; i < film->count; i++) {
        print_step(&film->steps[i]);
    }
    (void)printf("points %" PRId64 ", waves %" PRIu32 ", cleared %" PRIu32 ", revealed %" PRIu32
                 ", rise clock %u%s\n",
                 t->points, t->waves, t->cleared, t->revealed, rise, t->over ? ", game over" : "");
}

static int print_json(const struct move_input *in, const struct film *film, const struct turn *t)
{
    struct frame frame = {.move = 1,
                          .disc = in->disc,
                          .column = in->column,
                          .score_delta = t->points,
                          .score = t->points,
                          .moves_remaining = in->rise,
                          .chain_depth = t->waves,
                          .cleared = t->cleared,
                          .revealed = t->revealed,
                          .level_advanced = t->rose,
                          .steps = film->steps,
                          .step_count = film->count};
    board_format(&in->board, frame.board);
    struct buf frame_text;
    buf_init(&frame_text, 1 << 20);
    struct jout j;
    jout_init(&j, &frame_text);
    frame_write(&j, &frame);
    int status = frame_text.err ? tool_fail(1, "%s", d7_err_text(frame_text.err)) : 0;
    if (!status) {
        /* the frame object, reopened for the three fields only this command has */
        (void)printf("%.*s,", (int)frame_text.len - 1, frame_text.data);
        if (in->has_latent) {
            char latent[BOARD_TEXT_SIZE];
            board_format(&in->latent, latent);
            (void)printf("\"latentAfter\":\"%s\",", latent);
        } else {
            (void)printf("\"latentAfter\":null,");
        }
        (void)printf("\"riseAfter\":%u,\"over\":%s}\n", in->rise, t->over ? "true" : "false");
    }
    buf_release(&frame_text);
    return status;
}

/* Hidden numbers must lie under gray discs, all of them and nothing else. */
static bool latent_fits(const struct board *board, const struct board *latent)
{
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        bool gray = board_cell(board, i) >= CELL_SOLID;
        unsigned hidden = board_cell(latent, i);
        if (gray != (hidden != 0) || hidden > 7) {
            return false;
        }
    }
    return true;
}

static bool parse_board_option(const char *name, const char *text, struct board *ret)
{
    enum board_fault fault = board_parse(text, strlen(text), ret);
    if (fault) {
        (void)tool_fail(2, "%s: %s", name, board_fault_text(fault));
        return false;
    }
    return true;
}

static bool parse_row(const char *text, uint8_t row[BOARD_COLUMNS])
{
    if (strlen(text) != BOARD_COLUMNS || strspn(text, "1234567") != BOARD_COLUMNS) {
        (void)tool_fail(2, "--row must be seven digits 1-7");
        return false;
    }
    for (int c = 0; c < BOARD_COLUMNS; c++) {
        row[c] = (uint8_t)(text[c] - '0');
    }
    return true;
}

/* The latent digits of gray cells may name any board shape, so they are read cell by cell. */
static bool parse_latent(const char *text, const struct board *board, struct board *ret)
{
    if (strlen(text) != BOARD_CELLS || strspn(text, "01234567") != BOARD_CELLS) {
        (void)tool_fail(2, "--latent must be 49 digits 0-7");
        return false;
    }
    *ret = (struct board){{0}};
    for (unsigned i = 0; i < BOARD_CELLS; i++) {
        ret->col[i % 7] |= (uint32_t)(text[i] - '0') << (4 * (6 - i / 7));
    }
    if (!latent_fits(board, ret)) {
        (void)tool_fail(2, "--latent needs a number 1-7 under every gray disc and 0 elsewhere");
        return false;
    }
    return true;
}

static bool check_input(struct move_input *in)
{
    if (!(board_legal(&in->board) >> in->column & 1u)) {
        (void)tool_fail(2, "--column %u is full", in->column);
        return false;
    }
    if (in->has_latent && in->rise == 1 && !in->has_row) {
        (void)tool_fail(2, "--row is needed: this turn may bring a rise, and --latent was given");
        return false;
    }
    return true;
}

static void play(struct move_input *in, const struct turn_watch *watch, struct turn *ret)
{
    if (in->has_latent) {
        turn_hidden(&in->board, &in->latent, in->column, in->disc, &in->rise, in->row, watch, ret);
    } else {
        turn_sampled(&in->board, in->column, in->disc, &in->rise, reveal_from_seed, &in->seed,
                     watch, ret);
    }
}

struct move_text {
    const char *board, *next, *rise, *column, *latent, *row, *seed;
    bool json;
};

static bool read_input(const struct move_text *t, struct move_input *ret)
{
    struct move_input in = {.has_latent = t->latent != NULL, .has_row = t->row != NULL};
    int64_t next = 0;
    int64_t rise = 0;
    int64_t column = 0;
    if (!t->board || !t->next || !t->rise || !t->column) {
        (void)tool_fail(2, "move needs --board, --next, --rise and --column");
        return false;
    }
    if (!parse_board_option("--board", t->board, &in.board) ||
        !opts_integer("--next", t->next, 1, 7, 0, &next) ||
        !opts_integer("--rise", t->rise, 1, 5, 0, &rise) ||
        !opts_integer("--column", t->column, 0, 6, 0, &column) ||
        !opts_seed("--seed", t->seed, 0, &in.seed.state)) {
        return false;
    }
    if ((t->row && !parse_row(t->row, in.row)) ||
        (t->latent && !parse_latent(t->latent, &in.board, &in.latent))) {
        return false;
    }
    in.disc = (uint8_t)next;
    in.rise = (uint8_t)rise;
    in.column = (uint8_t)column;
    if (!check_input(&in)) {
        return false;
    }
    *ret = in;
    return true;
}

static int play_and_print(struct move_input *in, bool json)
{
    struct film *film = calloc(1, sizeof(*film));
    if (!film) {
        return tool_fail(1, "%s", d7_err_text(D7_ERR_NOMEM));
    }
    const struct turn_watch watch = {keep_step, film};
    struct turn turn;
    play(in, &watch, &turn);
    int status = 0;
    if (json) {
        status = print_json(in, film, &turn);
    } else {
        print_text(film, &turn, in->rise);
    }
    free(film);
    return status;
}

int cmd_move(int argc, char **argv)
{
    struct move_text t = {0};
    const struct opt table[] = {
        {"--board", "B", "49 digits, row by row from the top left", &t.board, NULL},
        {"--next", "N", "the disc to drop, 1-7", &t.next, NULL},
        {"--rise", "R", "drops left before the rise, 1-5", &t.rise, NULL},
        {"--column", "C", "where to drop it, 0-6", &t.column, NULL},
        {"--latent", "L", "hidden numbers, 49 digits, 0 where none", &t.latent, NULL},
        {"--row", "R7", "hidden numbers of the row a rise brings", &t.row, NULL},
        {"--seed", "S", "reveals from this seed, without --latent (default 0)", &t.seed, NULL},
        {"--json", NULL, "a frame with its steps, latentAfter, riseAfter, over", NULL, &t.json},
    };
    struct opts o = {.usage = "drop7 move --board B --next N --rise R --column C [options]",
                     .table = table,
                     .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct move_input in;
    return read_input(&t, &in) ? play_and_print(&in, t.json) : 2;
}
