#include "engine/harness/again.h"

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/harness/talk.h"

struct pick {
    uint32_t move; /* 0-based */
    struct position at;
};

/* Draws without replacement from the moves that can be asked again. */
static enum d7_err draw(const struct again *a, struct pick picks[AGAIN_POSITIONS],
                        size_t *ret_count)
{
    uint32_t *pool = calloc(a->moves + 1, sizeof(*pool));
    if (!pool) {
        return D7_ERR_NOMEM;
    }
    uint32_t size = 0;
    for (uint32_t m = 0; m < a->moves; m++) {
        if (a->own[m]) {
            pool[size++] = m;
        }
    }
    char seed[] = "0x00000000";
    memcpy(seed + 2, a->checksum, 8);
    struct rng rng = {0};
    D7_CHECK(span_parse_seed(span_of(seed), &rng.state) == D7_OK); /* the checksum is hex */
    size_t count = 0;
    while (count < AGAIN_POSITIONS && size > 0) {
        uint32_t at = rng_below(&rng, size);
        picks[count++].move = pool[at];
        pool[at] = pool[--size];
    }
    free(pool);
    *ret_count = count;
    return D7_OK;
}

static void find_positions(const struct again *a, struct pick *picks, size_t count)
{
    struct game game;
    struct turn turn;
    game_start(&game, a->round);
    for (uint32_t m = 0; m < a->moves; m++) {
        for (size_t i = 0; i < count; i++) {
            if (picks[i].move == m) {
                picks[i].at = game_position(&game, a->round);
            }
        }
        game_play(&game, a->round, a->columns[m], NULL, &turn);
    }
}

enum d7_err again_run(struct peer *p, const struct again *a, struct patience *w, bool *ret_differs)
{
    struct pick picks[AGAIN_POSITIONS] = {{.move = 0}};
    size_t count = 0;
    enum d7_err err = draw(a, picks, &count);
    if (err) {
        return err;
    }
    find_positions(a, picks, count);
    int64_t limit_ms = AGAIN_POSITIONS * p->limits.move_ms;
    w->final_us = clock_mono_us() + (limit_ms < AGAIN_MS ? limit_ms : AGAIN_MS) * 1000;
    bool must_sync = a->must_sync;
    bool differs = false;
    struct talk t = {TALK_QUESTION, PEER_DONE};
    for (size_t i = 0; i < count && !differs; i++) {
        struct answer answer;
        if (must_sync) {
            err = talk_barrier(p, w, &t);
            if (err || t.event != PEER_DONE) {
                break; /* it no longer answers: nothing to compare */
            }
        }
        err = talk_ask(p, w, &picks[i].at, &answer, &t);
        if (err || (t.event != PEER_DONE && t.event != PEER_LATE) || patience_is_spent(w)) {
            break;
        }
        must_sync = t.event == PEER_LATE;
        differs = !must_sync &&
                  (answer.move != D7P_MOVE_COLUMN || answer.column != a->columns[picks[i].move]);
    }
    if (!err) {
        *ret_differs = differs;
    }
    return err;
}
