#include "server/api/people.h"

#include "server/api/objects.h"

/* The better score first; of equals the earlier game. */
static int compare_games(const struct game_row *a, const struct game_row *b)
{
    if (a->summary.score != b->summary.score) {
        return a->summary.score > b->summary.score ? -1 : 1;
    }
    return strcmp(a->id, b->id); /* ids grow with time */
}

static int by_score(const void *a, const void *b)
{
    return compare_games(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct game_row *x = a;
    const struct game_row *y = b;
    int order = strcmp(x->player, y->player);
    return order ? order : compare_games(x, y);
}

/* Keeps each name's best game and the best PEOPLE_MAX of those: who is cut here is behind so many
 * already that further rounds cannot bring that game back. */
static void keep_best(struct people *p)
{
    size_t kept = 0;
    qsort(p->games, p->count, sizeof(*p->games), by_name);
    for (size_t i = 0; i < p->count; i++) {
        if (kept == 0 || strcmp(p->games[kept - 1].player, p->games[i].player) != 0) {
            p->games[kept++] = p->games[i];
        }
    }
    qsort(p->games, kept, sizeof(*p->games), by_score);
    p->count = kept < PEOPLE_MAX ? kept : PEOPLE_MAX;
    p->newest = 0;
    for (size_t i = 0; i < p->count; i++) {
        int64_t at = p->games[i].created_at;
        p->newest = at > p->newest ? at : p->newest;
    }
}

enum d7_err people_add(struct people *p, struct store *st, const char *round_id)
{
    struct game_row *more = NULL;
    size_t count = 0;
    enum d7_err err = play_best_games(st, round_id, PEOPLE_MAX, &more, &count);
    if (err || count == 0) {
        free(more);
        return err;
    }
    struct game_row *all = reallocarray(p->games, p->count + count, sizeof(*all));
    if (all) {
        memcpy(all + p->count, more, count * sizeof(*all));
        p->games = all;
        p->count += count;
        keep_best(p);
    }
    free(more);
    return all ? D7_OK : D7_ERR_NOMEM;
}

void people_release(struct people *p)
{
    free(p->games);
    *p = (struct people){.games = NULL};
}

void people_write(struct jout *j, const struct people *p)
{
    jout_array(j);
    for (size_t i = 0; i < p->count; i++) {
        game_write(j, &p->games[i]);
    }
    jout_array_end(j);
}
