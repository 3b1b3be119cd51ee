/* compare.c - two policies on the rounds of a suite. */
#include "server/api/handlers.h"
#include "server/api/wire.h"

#include "engine/rank/paired.h"
#include "engine/rank/stats.h"

/* A policy that must be named and exist, whatever its status: games stay reachable. */
static enum d7_err decode_side(struct api *api, const struct request *req, struct reply *reply,
                               const char *name, char ret_id[STORE_ID_SIZE])
{
    enum d7_err err = wire_query_id(req, reply, name, ret_id, STORE_ID_SIZE);
    if (err) {
        return err;
    }
    if (!ret_id[0]) {
        return wire_bad_query(reply, name, "%s must name a policy", name);
    }
    struct policy_row policy;
    err = policy_get(api->store, ret_id, &policy);
    return err == D7_ERR_NOT_FOUND ? wire_no_such(reply, "policy", span_of(ret_id)) : err;
}

/* The counted scores of the current revision by round. */
static enum d7_err read_scores(struct store *st, const struct suite_row *suite, const char *policy,
                               int64_t *scores)
{
    for (size_t i = 0; i < suite->round_count; i++) {
        struct game_row game;
        enum d7_err err = game_counted(st, policy, suite->round_ids[i], &game);
        if (err && err != D7_ERR_NOT_FOUND) {
            return err;
        }
        scores[i] = err ? STATS_UNPLAYED : game.summary.score;
    }
    return D7_OK;
}

/* Rounds both have played: a pair needs two scores. */
static void write_rounds(struct jout *j, const struct suite_row *suite, const int64_t *a,
                         const int64_t *b)
{
    jout_key(j, "rounds");
    jout_array(j);
    for (size_t i = 0; i < suite->round_count; i++) {
        if (a[i] == STATS_UNPLAYED || b[i] == STATS_UNPLAYED) {
            continue;
        }
        jout_object(j);
        jout_kv_text(j, "roundId", suite->round_ids[i]);
        jout_kv_int(j, "a", a[i]);
        jout_kv_int(j, "b", b[i]);
        jout_kv_int(j, "delta", a[i] - b[i]);
        jout_object_end(j);
    }
    jout_array_end(j);
}

struct comparison {
    const struct suite_row *suite;
    const char *a, *b;
    const int64_t *of_a, *of_b; /* scores by round */
    struct paired paired;
};

static enum d7_err write_comparison(const struct comparison *c, struct reply *reply)
{
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    jout_object(&j);
    jout_kv_text(&j, "a", c->a);
    jout_kv_text(&j, "b", c->b);
    jout_kv_text(&j, "suite", c->suite->id);
    write_rounds(&j, c->suite, c->of_a, c->of_b);
    jout_key(&j, "paired");
    paired_write(&j, &c->paired);
    jout_object_end(&j);
    return reply->body.err;
}

static enum d7_err reply_comparison(struct api *api, const struct suite_row *suite, const char *a,
                                    const char *b, struct reply *reply)
{
    enum d7_err err = D7_ERR_NOMEM;
    size_t n = suite->round_count ? suite->round_count : 1;
    int64_t *of_a = calloc(n, sizeof(*of_a));
    int64_t *of_b = calloc(n, sizeof(*of_b));
    struct comparison c = {.suite = suite, .a = a, .b = b, .of_a = of_a, .of_b = of_b};
    if (!of_a || !of_b) {
        goto out;
    }
    err = read_scores(api->store, suite, a, of_a);
    if (!err) {
        err = read_scores(api->store, suite, b, of_b);
    }
    if (!err) {
        err = paired_compute(of_a, of_b, suite->round_count, api->site->intervals, &c.paired);
    }
    if (!err) {
        err = write_comparison(&c, reply);
    }
out:
    free(of_a);
    free(of_b);
    return err;
}

enum d7_err api_compare(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"a", "b", "suite", NULL};
    char a[STORE_ID_SIZE];
    char b[STORE_ID_SIZE];
    char id[STORE_ID_SIZE];
    struct suite_row suite = {0};
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_query_id(req, reply, "suite", id, sizeof(id));
    }
    if (!err) {
        err = decode_side(api, req, reply, "a", a);
    }
    if (!err) {
        err = decode_side(api, req, reply, "b", b);
    }
    if (err) {
        return err;
    }
    err = suite_get(api->store, id[0] ? id : NULL, &suite);
    if (err) {
        return err == D7_ERR_NOT_FOUND ? wire_no_such(reply, "suite", span_of(id)) : err;
    }
    err = reply_comparison(api, &suite, a, b, reply);
    suite_release(&suite);
    return err;
}
