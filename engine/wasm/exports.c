#include "engine/wasm/exports.h"

#include "engine/base/rng.h"
#include "engine/policy/expectimax.h"

#define ROWS_MAX       (ROUND_MOVES_MAX / 5 + 20)
#define GREEDY_DEPTH   1
#define GREEDY_WORK    100000
#define NOT_A_POSITION (-1)

static uint8_t discs[ROUND_MOVES_MAX];
static uint8_t rows[ROWS_MAX][BOARD_COLUMNS];
static struct round tape = {.discs = discs, .rows = (const uint8_t (*)[BOARD_COLUMNS])rows};
static struct game game;
static char text[BOARD_TEXT_SIZE];
static struct report report;
static struct picture pictures[EXPORTS_PICTURES];
static double values[BOARD_COLUMNS];
static struct expectimax *greedy; /* made when it is first asked, kept */

/* The pictures of a turn, up to the first that shows a hidden number when `certain` is set. */
struct film {
    unsigned count;
    bool certain;
    bool stopped;
};

EXPORTS_AS("text") char *exports_text(void)
{
    return text;
}

EXPORTS_AS("discs") uint8_t *exports_discs(void)
{
    return discs;
}

EXPORTS_AS("rows") uint8_t *exports_rows(void)
{
    return rows[0];
}

EXPORTS_AS("report") const struct report *exports_report(void)
{
    return &report;
}

EXPORTS_AS("pictures") const struct picture *exports_pictures(void)
{
    return pictures;
}

EXPORTS_AS("values") const double *exports_values(void)
{
    return values;
}

static bool tape_is_whole(void)
{
    if (tape.row_count < (tape.maximum_moves + 4) / 5 + 1) {
        return false;
    }
    for (uint32_t m = 0; m < tape.maximum_moves; m++) {
        if (discs[m] - 1u > 6) {
            return false;
        }
    }
    for (uint32_t i = 0; i < tape.row_count * BOARD_COLUMNS; i++) {
        if (rows[i / BOARD_COLUMNS][i % BOARD_COLUMNS] - 1u > 6) {
            return false;
        }
    }
    return true;
}

EXPORTS_AS("tape") bool exports_tape(uint32_t moves, uint32_t row_count)
{
    tape.maximum_moves = 0;
    if (moves == 0 || moves > ROUND_MOVES_MAX || row_count > ROWS_MAX) {
        return false;
    }
    tape.maximum_moves = tape.disc_count = moves;
    tape.row_count = row_count;
    if (!tape_is_whole()) {
        tape.maximum_moves = 0;
        return false;
    }
    return true;
}

EXPORTS_AS("generate") bool exports_generate(uint32_t seed, uint32_t moves)
{
    if (moves == 0 || moves > ROUND_MOVES_MAX) {
        return false;
    }
    round_generate(seed, moves, discs, rows);
    return exports_tape(moves, round_generated_rows(moves));
}

EXPORTS_AS("endless") void exports_endless(uint32_t seed)
{
    struct rng rng = {~seed};
    uint32_t m = ROUND_GAUNTLET_MOVES;
    uint32_t r = round_generated_rows(m);
    round_generate(seed, m, discs, rows);
    while (m < ROUND_MOVES_MAX) {
        discs[m++] = rng_disc(&rng);
    }
    for (; r < ROWS_MAX; r++) {
        for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
            rows[r][c] = rng_disc(&rng);
        }
    }
    (void)exports_tape(m, r); /* it is one */
}

static void tell(const struct turn *t)
{
    bool done = game_is_done(&game);
    report = (struct report){.score = (double)game.score,
                             .points = (double)t->points,
                             .waves = t->waves,
                             .cleared = t->cleared,
                             .revealed = t->revealed,
                             .rose = t->rose,
                             .moves = game.moves,
                             .rises = game.rises,
                             .rise = game.rise,
                             .next = game_next_disc(&game, &tape),
                             .over = game.over,
                             .censored = game.censored,
                             .max_chain = game.max_chain,
                             .total_cleared = game.cleared,
                             .total_revealed = game.revealed,
                             .legal = done ? 0 : board_legal(&game.board)};
    board_format(&game.board, text);
}

EXPORTS_AS("begin") bool exports_begin(void)
{
    const struct turn nothing = {0};
    if (tape.maximum_moves == 0) {
        return false;
    }
    game_start(&game, &tape);
    tell(&nothing);
    return true;
}

static void on_step(void *ctx, const struct turn_step *step)
{
    struct film *film = ctx;
    if (film->certain && step->revealed) {
        film->stopped = true;
    }
    if (film->stopped || film->count == EXPORTS_PICTURES) {
        return;
    }
    struct picture *p = &pictures[film->count++];
    *p = (struct picture){.cells = step->cells,
                          .cracked = step->cracked,
                          .revealed = step->revealed,
                          .kind = (uint32_t)step->kind,
                          .wave = step->wave,
                          .points = step->points_each};
    board_format(&step->board, p->board);
}

EXPORTS_AS("play") int exports_play(unsigned column)
{
    struct film film = {.count = 0};
    const struct turn_watch watch = {on_step, &film};
    struct turn turn;
    if (game_is_done(&game) || tape.maximum_moves == 0 || column >= BOARD_COLUMNS ||
        !(board_legal(&game.board) >> column & 1u)) {
        return NOT_A_POSITION;
    }
    game_play(&game, &tape, column, &watch, &turn);
    tell(&turn);
    return (int)film.count;
}

static bool read_position(unsigned next, unsigned rise, struct position *ret)
{
    if (next - 1 > 6 || rise - 1 > TURN_RISE_EVERY - 1 ||
        board_parse(text, BOARD_CELLS, &ret->board) != BOARD_FINE) {
        return false;
    }
    ret->next = (uint8_t)next;
    ret->rise = (uint8_t)rise;
    return true;
}

/* Asked only behind the picture at which a preview stops. */
static unsigned any_number(void *ctx, unsigned index)
{
    (void)ctx;
    (void)index;
    return 1;
}

EXPORTS_AS("preview") int exports_preview(unsigned next, unsigned rise, unsigned column)
{
    struct film film = {.certain = true};
    const struct turn_watch watch = {on_step, &film};
    struct position at;
    struct turn turn;
    if (!read_position(next, rise, &at) || column >= BOARD_COLUMNS ||
        !(board_legal(&at.board) >> column & 1u)) {
        return NOT_A_POSITION;
    }
    turn_sampled(&at.board, column, at.next, &at.rise, any_number, NULL, &watch, &turn);
    return (int)film.count;
}

EXPORTS_AS("greedy") int exports_greedy(unsigned next, unsigned rise)
{
    struct position at;
    struct decision decision;
    if (!read_position(next, rise, &at) ||
        (!greedy && expectimax_new(GREEDY_DEPTH, GREEDY_WORK, &greedy))) {
        return NOT_A_POSITION;
    }
    expectimax_decide(greedy, &at, &decision);
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        values[c] = __builtin_nan("");
    }
    for (unsigned i = 0; i < decision.value_count; i++) {
        values[decision.values[i].column] = decision.values[i].value;
    }
    return decision.column;
}
