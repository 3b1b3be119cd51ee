/* Lists of games, and what a leaderboard is made of. */
#include "store/game_row.h"
#include "store/page.h"
#include "store/rows.h"
#include "store/tx.h"

#define BOARD_PAGE 500

/* The filter that narrows most drives the query through its index; the others sift what it leaves.
 */
static enum store_sql list_statement(const struct game_filter *f)
{
    enum store_sql first = SQL_GAME_LIST_ALL_NEWEST;
    if (f->run_id[0]) {
        first = SQL_GAME_LIST_RUN_NEWEST;
    } else if (f->policy_id[0]) {
        first = SQL_GAME_LIST_POLICY_NEWEST;
    } else if (f->player[0]) {
        first = SQL_GAME_LIST_PLAYER_NEWEST;
    } else if (f->round_id[0]) {
        first = SQL_GAME_LIST_ROUND_NEWEST;
    } else if (f->has_outcome) {
        first = SQL_GAME_LIST_OUTCOME_NEWEST;
    }
    return (enum store_sql)((unsigned)first +
                            (unsigned)f->sort); /* the orders stand in the enum's order */
}

static bool is_ascending(enum game_sort sort)
{
    return sort == GAME_SORT_OLDEST || sort == GAME_SORT_WORST;
}

static void bind_filter(struct query *q, const struct game_filter *f)
{
    query_text_or_null(q, ":policy", f->policy_id);
    query_text_or_null(q, ":player", f->player);
    query_text_or_null(q, ":round", f->round_id);
    query_text_or_null(q, ":suite", f->suite_id);
    query_text_or_null(q, ":run", f->run_id);
    query_text(q, ":outcome", f->has_outcome ? outcome_text(f->outcome) : NULL);
    query_int(q, ":since", f->since);
    query_int(q, ":until", f->until ? f->until : INT64_MAX);
}

static enum d7_err init_page(struct page *p, struct store_page *page, const struct game_filter *f)
{
    return page_init(p, page, "games\n%s\n%s\n%s\n%s\n%s\n%s\n%lld\n%lld\n%d", f->policy_id,
                     f->player, f->round_id, f->suite_id, f->run_id,
                     f->has_outcome ? outcome_text(f->outcome) : "", (long long)f->since,
                     (long long)f->until, (int)f->sort);
}

enum d7_err game_list(struct store *st, const struct game_filter *filter, struct store_page *page,
                      struct game_row **ret_rows, size_t *ret_count)
{
    struct page p;
    enum d7_err err = init_page(&p, page, filter);
    int64_t seq = is_ascending(filter->sort) ? -1 : INT64_MAX;
    int64_t score = seq;
    if (!err) {
        err = page_numbers(&p, &score, &seq);
    }
    if (err) {
        return err;
    }
    struct rows rows;
    rows_init(&rows, sizeof(struct game_row));
    struct query q;
    query_begin(&q, st, list_statement(filter));
    bind_filter(&q, filter);
    query_int(&q, ":score", score);
    query_int(&q, ":seq", seq);
    query_int(&q, ":limit", (int64_t)page->limit + 1);
    while (query_row(&q)) {
        if (rows.count == page->limit) {
            char key[48];
            (void)snprintf(key, sizeof(key), "%lld.%lld", (long long)score, (long long)seq);
            page_set_next(&p, key);
            break;
        }
        struct game_row *row = rows_add(&rows, &q.err);
        if (row) {
            seq = row_game(&q, row);
            score = row->summary.score;
        }
    }
    return rows_finish(&rows, query_end(&q), (void **)ret_rows, ret_count);
}

/* --- the leaderboard's input ---------------------------------------------------------------- */

void board_input_release(struct board_input *in)
{
    free(in->games);
    free(in->policies);
    *in = (struct board_input){0};
}

/* One page of the counted games on a round, by policy; *after moves on. */
static enum d7_err read_round_page(struct store *st, const char *round, enum policy_status also,
                                   char *after, struct rows *games, bool *ret_more)
{
    struct query q;
    query_begin(&q, st, SQL_GAME_BOARD);
    query_text(&q, ":round", round);
    query_text(&q, ":status", policy_status_text(also));
    query_text(&q, ":after", after);
    query_int(&q, ":limit", BOARD_PAGE);
    size_t before = games->count;
    struct game_row *row = NULL;
    while (query_row(&q)) {
        row = rows_add(games, &q.err);
        if (row) {
            (void)row_game(&q, row);
        }
    }
    enum d7_err err = query_end(&q);
    *ret_more = !err && games->count - before == BOARD_PAGE;
    if (row) {
        memcpy(after, row->policy_id, sizeof(row->policy_id));
    }
    return err;
}

static enum d7_err read_games(struct store *st, const struct suite_row *suite,
                              enum policy_status also, struct rows *games)
{
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < suite->round_count && !err; i++) {
        char after[STORE_ID_SIZE] = "";
        bool more = true;
        while (more && !err) {
            err = read_round_page(st, suite->round_ids[i], also, after, games, &more);
        }
    }
    return err;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The policies of the games, each once, by id. */
static enum d7_err read_policies(struct store *st, const struct game_row *games, size_t count,
                                 struct rows *policies)
{
    D7_AUTO_FREE const char **ids = calloc(count + 1, sizeof(*ids));
    if (!ids) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        ids[i] = games[i].policy_id;
    }
    qsort(ids, count, sizeof(*ids), compare_ids);
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < count && !err; i++) {
        if (i > 0 && strcmp(ids[i], ids[i - 1]) == 0) {
            continue;
        }
        struct policy_row *row = rows_add(policies, &err);
        if (row) {
            err = policy_get(st, ids[i], row);
        }
    }
    return err;
}

static enum d7_err read_input(struct store *st, const struct suite_row *suite,
                              enum policy_status also, struct rows *games, struct rows *policies)
{
    enum d7_err err = read_games(st, suite, also, games);
    return err ? err : read_policies(st, games->items, games->count, policies);
}

enum d7_err game_board_input(struct store *st, const struct suite_row *suite,
                             enum policy_status also, struct board_input *ret)
{
    enum d7_err err = tx_begin_read(st); /* games and policies of one moment */
    if (err) {
        return err;
    }
    struct board_input in = {0};
    struct rows games;
    struct rows policies;
    rows_init(&games, sizeof(struct game_row));
    rows_init(&policies, sizeof(struct policy_row));
    err = tx_end(st, read_input(st, suite, also, &games, &policies));
    err = rows_finish(&games, err, (void **)&in.games, &in.game_count);
    err = rows_finish(&policies, err, (void **)&in.policies, &in.policy_count);
    if (err) {
        board_input_release(&in);
        return err;
    }
    for (size_t i = 0; i < in.game_count; i++) {
        int64_t at = in.games[i].created_at;
        in.newest = at > in.newest ? at : in.newest;
    }
    *ret = in;
    return D7_OK;
}
