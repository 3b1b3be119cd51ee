#include "server/api/ranking.h"

#include "server/api/objects.h"
#include "server/api/people.h"

size_t ranking_round(const struct ranking *b, size_t i)
{
    return b->choice->rounds ? b->choice->rounds[i] : i;
}

bool ranking_shows(const struct ranking *b, size_t i)
{
    const struct policy_row *p = b->rows[i];
    const struct ranking_choice *c = b->choice;
    return p->status == c->status && (!c->has_kind || p->kind == c->kind) &&
           (!c->family[0] || strcmp(p->family, c->family) == 0);
}

static const struct policy_row *policy_of(const struct board_input *in, const char *id)
{
    for (size_t i = 0; i < in->policy_count; i++) {
        if (strcmp(in->policies[i].id, id) == 0) {
            return &in->policies[i];
        }
    }
    return NULL;
}

/* Place of a round among the chosen ones; SIZE_MAX when it is not chosen. */
static size_t place_of(const struct ranking *b, const char *round_id)
{
    for (size_t i = 0; i < b->round_count; i++) {
        if (strcmp(b->suite->round_ids[ranking_round(b, i)], round_id) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static struct rank_game rank_game_of(const struct game_row *g, size_t place)
{
    struct rank_game r = {.round_index = (uint32_t)place,
                          .summary = g->summary,
                          .outcome = g->outcome,
                          .illegal_moves = g->illegal_moves,
                          .timeouts = g->timeouts,
                          .crashes = g->crashes,
                          .elapsed_ms = g->elapsed_ms};
    memcpy(r.policy_id, g->policy_id, sizeof(r.policy_id));
    return r;
}

static enum d7_err rank(struct ranking *b, struct interval_memo *memo)
{
    const struct board_input *in = &b->input;
    enum d7_err err = D7_ERR_NOMEM;
    size_t count = 0; /* games on chosen rounds */
    struct rank_policy *policies = calloc(in->policy_count + 1, sizeof(*policies));
    struct rank_game *games = calloc(in->game_count + 1, sizeof(*games));
    if (!policies || !games) {
        goto out;
    }
    for (size_t i = 0; i < in->policy_count; i++) {
        memcpy(policies[i].id, in->policies[i].id, sizeof(policies[i].id));
        policies[i].seniority = in->policies[i].current.created_at;
        policies[i].guest = in->policies[i].status != POLICY_READY;
    }
    for (size_t i = 0; i < in->game_count; i++) {
        size_t place = place_of(b, in->games[i].round_id);
        if (place != SIZE_MAX) {
            games[count++] = rank_game_of(&in->games[i], place);
        }
    }
    err = rank_compute(policies, in->policy_count, games, count, b->round_count, memo, &b->result);
out:
    free(policies);
    free(games);
    return err;
}

static enum d7_err find_rows(struct ranking *b)
{
    b->rows = calloc(b->result.row_count + 1, sizeof(const struct policy_row *));
    if (!b->rows) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < b->result.row_count; i++) {
        b->rows[i] = policy_of(&b->input, b->result.rows[i].policy_id);
        D7_CHECK(b->rows[i]); /* rank_compute makes rows of listed policies only */
    }
    return D7_OK;
}

/* The one asked for, else the best ranked built-in. */
static enum d7_err find_reference(struct ranking *b)
{
    const char *wanted = b->choice->reference;
    for (size_t i = 0; i < b->result.row_count; i++) {
        const struct rank_row *row = &b->result.rows[i];
        if (row->guest) {
            continue;
        }
        bool hit = wanted[0] ? strcmp(row->policy_id, wanted) == 0
                             : b->rows[i]->kind == KIND_BUILTIN && row->rank > 0;
        if (hit) {
            b->reference = row->policy_id;
            return D7_OK;
        }
    }
    return wanted[0] ? D7_ERR_NOT_FOUND : D7_OK;
}

enum d7_err ranking_read(struct store *st, const struct suite_row *suite,
                         const struct ranking_choice *choice, struct interval_memo *memo,
                         struct ranking *ret)
{
    struct ranking b = {.suite = suite, .choice = choice};
    b.round_count = choice->rounds ? choice->round_count : suite->round_count;
    enum d7_err err = game_board_input(st, suite, choice->status, &b.input);
    if (err) {
        return err;
    }
    err = rank(&b, memo);
    if (!err) {
        err = find_rows(&b);
    }
    if (!err) {
        err = find_reference(&b);
    }
    if (!err && b.reference) {
        err = rank_pair(&b.result, b.reference, memo);
    }
    if (err) {
        ranking_release(&b);
        return err;
    }
    *ret = b;
    return D7_OK;
}

void ranking_release(struct ranking *b)
{
    board_input_release(&b->input);
    rank_release(&b->result);
    free(b->rows);
    b->rows = NULL;
}

static enum d7_err write_rounds(const struct ranking *b, struct store *st, struct jout *j)
{
    int64_t cap = -1;
    struct buf list;
    buf_init(&list, 1u << 20);
    struct jout rounds;
    jout_init(&rounds, &list);
    jout_array(&rounds);
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < b->round_count && !err; i++) {
        struct roundfile *r = NULL;
        err = round_get(st, b->suite->round_ids[ranking_round(b, i)], &r);
        if (!err) {
            jout_object(&rounds);
            jout_kv_text(&rounds, "id", r->id);
            jout_kv_text(&rounds, "name", r->name);
            jout_kv_text(&rounds, "generatorSeedHex", r->seed_hex);
            jout_object_end(&rounds);
            cap = r->round.maximum_moves > cap ? r->round.maximum_moves : cap;
        }
        roundfile_free(r);
    }
    jout_array_end(&rounds);
    err = err ? err : list.err;
    if (!err) {
        jout_key(j, "moveCap");
        cap < 0 ? jout_null(j) : jout_int(j, cap);
        jout_key(j, "rounds");
        jout_raw(j, buf_span(&list));
    }
    buf_release(&list);
    return err;
}

static void write_games(const struct ranking *b, struct jout *j)
{
    jout_key(j, "games");
    jout_array(j);
    for (size_t i = 0; i < b->result.row_count; i++) {
        for (size_t k = 0; k < b->input.game_count && ranking_shows(b, i); k++) {
            const struct game_row *g = &b->input.games[k];
            if (strcmp(g->policy_id, b->rows[i]->id) == 0 && place_of(b, g->round_id) != SIZE_MAX) {
                game_write(j, g);
            }
        }
    }
    jout_array_end(j);
}

static enum d7_err write_json(const struct ranking *b, const struct people *people,
                              struct store *st, struct buf *to)
{
    struct jout j;
    jout_init(&j, to);
    jout_object(&j);
    jout_kv_text(&j, "format", "drop7-leaderboard-v1");
    int64_t newest = b->input.newest > people->newest ? b->input.newest : people->newest;
    jout_kv_time(&j, "generatedAt", newest > 0 ? newest : -1);
    jout_kv_text(&j, "suite", b->suite->id);
    enum d7_err err = write_rounds(b, st, &j);
    if (err) {
        return err;
    }
    jout_key(&j, "policies");
    jout_array(&j);
    for (size_t i = 0; i < b->result.row_count; i++) {
        if (ranking_shows(b, i)) {
            policy_write(&j, b->rows[i], false);
        }
    }
    jout_array_end(&j);
    write_games(b, &j);
    jout_key(&j, "human");
    people_write(&j, people);
    rank_method_write(&j, b->reference);
    jout_key(&j, "summaries");
    jout_array(&j);
    for (size_t i = 0; i < b->result.row_count; i++) {
        if (ranking_shows(b, i)) {
            rank_row_write(&j, &b->result.rows[i]);
        }
    }
    jout_array_end(&j);
    jout_object_end(&j);
    return to->err;
}

enum d7_err ranking_write_json(const struct ranking *b, struct store *st, struct buf *to)
{
    struct people people = {.games = NULL};
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < b->round_count && !err; i++) {
        err = people_add(&people, st, b->suite->round_ids[ranking_round(b, i)]);
    }
    if (!err) {
        err = write_json(b, &people, st, to);
    }
    people_release(&people);
    return err;
}
