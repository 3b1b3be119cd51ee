/*
 * Design note
 *
 * The root is played here: its outcomes are the list of tasks that a crew values, on however many
 * threads; then each column's sum is taken over them in the order of the strata.
 */
#include "engine/policy/fair.h"

#include "engine/policy/columns.h"
#include "engine/policy/fair_crew.h"
#include "engine/policy/mirror.h"

#define TASKS_MAX (BOARD_COLUMNS * CHANCE_STRATA)

struct fair {
    unsigned depth;
    struct fair_crew *crew; /* owned */
    struct fair_task task[TASKS_MAX];
};

/* One task a stratum of a column. */
static void add_tasks(const struct fair_node *n, unsigned column, struct fair_task *ret)
{
    struct fair_move move;
    fair_play(n, column, false, &move);
    for (unsigned i = 0; i < move.count; i++) {
        for (unsigned left = move.outcome[i].strata; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            ret[s].outcome = move.outcome[i];
            ret[s].next = n->disc[s];
        }
    }
}

/* Q: points and what follows, over the strata in order. */
static double sum_up(const struct fair_task *tasks)
{
    double sum = 0.0;
    for (unsigned s = 0; s < CHANCE_STRATA; s++) {
        sum += (double)tasks[s].outcome.points + tasks[s].value;
    }
    return sum / CHANCE_STRATA;
}

void fair_decide(struct fair *f, const struct position *at, struct decision *ret)
{
    struct board board = at->board;
    bool reversed = mirror_canonicalise(&board);
    struct fair_node n;
    fair_node_init(&n, &board, chance_board_hash(&board), at->next, at->rise, f->depth);
    n.settled = false; /* a board from outside may hold matches */
    unsigned legal = board_legal(&at->board);
    unsigned count = 0;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            add_tasks(&n, reversed ? 6 - c : c, &f->task[count]);
            count += CHANCE_STRATA;
        }
    }
    fair_crew_run(f->crew, f->task, count);
    uint64_t moves = count;
    for (unsigned i = 0; i < count; i++) {
        moves += f->task[i].moves;
    }
    double values[BOARD_COLUMNS] = {0};
    const struct fair_task *task = f->task;
    for (unsigned c = 0; c < BOARD_COLUMNS; c++) {
        if (legal >> c & 1u) {
            values[c] = sum_up(task);
            task += CHANCE_STRATA;
        }
    }
    columns_choose(values, legal, reversed, ret);
    ret->depth = f->depth;
    ret->work = moves;
}

enum d7_err fair_new(unsigned depth, unsigned threads, struct fair **ret)
{
    D7_CHECK(depth >= 1 && depth <= FAIR_DEPTH_MAX);
    struct fair *f = calloc(1, sizeof(*f));
    if (!f) {
        return D7_ERR_NOMEM;
    }
    f->depth = depth;
    enum d7_err err = fair_crew_new(threads, depth - 1, &f->crew);
    if (err) {
        free(f);
        return err;
    }
    *ret = f;
    return D7_OK;
}

void fair_free(struct fair *f)
{
    if (f) {
        fair_crew_free(f->crew);
        free(f);
    }
}
