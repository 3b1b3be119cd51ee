#include "engine/record/replay.h"

/* A drop, a rise, and three pictures for each of at most 56 waves (49 cells and a rise's seven). */
#define STEPS_MAX (2 + 3 * 56)

static const char *const outcome_names[] = {"over", "censored", "forfeit"};

const char *outcome_text(enum outcome o)
{
    return (size_t)o < D7_COUNT(outcome_names) ? outcome_names[o] : "unknown";
}

bool outcome_parse(struct span text, enum outcome *ret)
{
    for (size_t i = 0; i < D7_COUNT(outcome_names); i++) {
        if (span_is(text, outcome_names[i])) {
            *ret = (enum outcome)i;
            return true;
        }
    }
    return false;
}

void checksum_init(struct checksum *c)
{
    sha_init(&c->sha);
    c->started = false;
}

void checksum_add(struct checksum *c, unsigned column, int64_t score_delta,
                  const char board[BOARD_TEXT_SIZE])
{
    /* "|6:", 20 digits at most, ":", 49 cells */
    char text[96];
    int len = snprintf(text, sizeof(text), "%s%u:%lld:%s", c->started ? "|" : "", column,
                       (long long)score_delta, board);
    D7_CHECK(len > 0 && (size_t)len < sizeof(text));
    sha_update(&c->sha, text, (size_t)len);
    c->started = true;
}

void checksum_final(struct checksum *c, char ret_text[CHECKSUM_SIZE])
{
    char hex[SHA_HEX_SIZE];
    sha_final(&c->sha, hex);
    memcpy(ret_text, hex, CHECKSUM_SIZE - 1);
    ret_text[CHECKSUM_SIZE - 1] = '\0';
}

struct strip {
    struct turn_step steps[STEPS_MAX];
    size_t count;
};

static void keep_step(void *ctx, const struct turn_step *step)
{
    struct strip *strip = ctx;
    D7_CHECK(strip->count < STEPS_MAX);
    strip->steps[strip->count++] = *step;
}

static enum d7_err check_column(const struct game *g, unsigned column, size_t move,
                                struct d7_why *why)
{
    if (game_is_done(g)) {
        return d7_refuse(why, D7_ERR_INVALID, "columns",
                         "move %zu: the game ended with move %u, columns must end there", move,
                         g->moves);
    }
    if (column >= BOARD_COLUMNS) {
        return d7_refuse(why, D7_ERR_INVALID, "columns", "move %zu: column %u is outside 0-6", move,
                         column);
    }
    if (!(board_legal(&g->board) >> column & 1)) {
        return d7_refuse(why, D7_ERR_INVALID, "columns", "move %zu: column %u is full", move,
                         column);
    }
    return D7_OK;
}

static void summarise(const struct game *g, struct checksum *sum, struct summary *ret)
{
    *ret = (struct summary){
        .score = g->score,
        .moves = g->moves,
        .max_chain = g->max_chain,
        .discs_cleared = g->cleared,
        .covered_revealed = g->revealed,
        .over = g->over,
        .censored = g->censored,
    };
    checksum_final(sum, ret->checksum);
}

enum d7_err replay_run(const struct round *r, const uint8_t *columns, size_t count,
                       const struct replay_watch *watch, struct summary *ret, struct d7_why *why)
{
    struct strip *strip = NULL;
    if (watch && watch->steps) {
        strip = malloc(sizeof(*strip));
        if (!strip) {
            return D7_ERR_NOMEM;
        }
    }
    enum d7_err err = D7_OK;
    const struct turn_watch steps = {keep_step, strip};
    struct checksum sum;
    struct game g;
    checksum_init(&sum);
    game_start(&g, r);
    for (size_t m = 0; m < count; m++) {
        err = check_column(&g, columns[m], m + 1, why);
        if (err) {
            goto out;
        }
        struct turn turn;
        struct frame frame = {.move = (uint32_t)m + 1, .disc = r->discs[m], .column = columns[m]};
        if (strip) {
            strip->count = 0;
        }
        bool shown = watch && frame.move >= watch->from;
        game_play(&g, r, columns[m], strip && shown ? &steps : NULL, &turn);
        board_format(&g.board, frame.board);
        checksum_add(&sum, columns[m], turn.points, frame.board);
        if (!shown) {
            continue;
        }
        frame.score_delta = turn.points;
        frame.score = g.score;
        frame.next_disc = game_next_disc(&g, r);
        frame.moves_remaining = g.rise;
        frame.chain_depth = turn.waves;
        frame.cleared = turn.cleared;
        frame.revealed = turn.revealed;
        frame.level_advanced = turn.rose;
        frame.steps = strip ? strip->steps : NULL;
        frame.step_count = strip ? strip->count : 0;
        err = watch->on_frame(watch->ctx, &frame);
        if (err) {
            goto out;
        }
    }
    summarise(&g, &sum, ret);
out:
    free(strip);
    return err;
}

static void write_cells(struct jout *j, const char *key, uint64_t mask)
{
    jout_key(j, key);
    jout_array(j);
    for (; mask; mask &= mask - 1) {
        jout_int(j, __builtin_ctzll(mask));
    }
    jout_array_end(j);
}

static void write_step(struct jout *j, const struct turn_step *step)
{
    static const char *const kinds[] = {[STEP_DROP] = "drop",
                                        [STEP_BURST] = "burst",
                                        [STEP_IMPACT] = "impact",
                                        [STEP_SETTLE] = "settle",
                                        [STEP_RISE] = "rise"};
    char board[BOARD_TEXT_SIZE];
    board_format(&step->board, board);
    jout_object(j);
    jout_kv_text(j, "kind", kinds[step->kind]);
    jout_key(j, "wave");
    if (step->wave) {
        jout_int(j, step->wave);
    } else {
        jout_null(j);
    }
    write_cells(j, "cells", step->cells);
    if (step->kind == STEP_BURST) {
        jout_key(j, "points");
        jout_array(j);
        for (uint64_t left = step->cells; left; left &= left - 1) {
            jout_int(j, step->points_each);
        }
        jout_array_end(j);
    }
    if (step->kind == STEP_IMPACT) {
        write_cells(j, "cracked", step->cracked);
        write_cells(j, "revealed", step->revealed);
    }
    jout_kv_text(j, "board", board);
    jout_object_end(j);
}

void frame_write(struct jout *j, const struct frame *frame)
{
    jout_object(j);
    jout_kv_int(j, "move", frame->move);
    jout_kv_int(j, "disc", frame->disc);
    jout_kv_int(j, "column", frame->column);
    jout_kv_int(j, "scoreDelta", frame->score_delta);
    jout_kv_int(j, "score", frame->score);
    jout_kv_text(j, "board", frame->board);
    jout_key(j, "nextDisc");
    if (frame->next_disc) {
        jout_int(j, frame->next_disc);
    } else {
        jout_null(j);
    }
    jout_kv_int(j, "movesRemaining", frame->moves_remaining);
    jout_kv_int(j, "chainDepth", frame->chain_depth);
    jout_kv_int(j, "cleared", frame->cleared);
    jout_kv_int(j, "revealed", frame->revealed);
    jout_kv_bool(j, "levelAdvanced", frame->level_advanced);
    if (frame->steps) {
        jout_key(j, "steps");
        jout_array(j);
        for (size_t i = 0; i < frame->step_count; i++) {
            write_step(j, &frame->steps[i]);
        }
        jout_array_end(j);
    }
    jout_object_end(j);
}

void summary_write(struct jout *j, const struct summary *s)
{
    jout_kv_int(j, "score", s->score);
    jout_kv_int(j, "moves", s->moves);
    jout_kv_bool(j, "censored", s->censored);
    jout_kv_int(j, "maxChain", s->max_chain);
    jout_kv_int(j, "discsCleared", s->discs_cleared);
    jout_kv_int(j, "coveredRevealed", s->covered_revealed);
    jout_kv_text(j, "checksum", s->checksum);
}
