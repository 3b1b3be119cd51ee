/* rounds_add.c - an administrator adds a scripted round, or a suite of rounds there are. */
#include "engine/base/clock.h"
#include "server/api/body.h"
#include "server/api/handlers.h"
#include "server/api/named.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

static enum d7_err taken(struct reply *reply, const char *what, const char *id)
{
    (void)snprintf(reply->existing, sizeof(reply->existing), API_PREFIX "/%ss/%s", what, id);
    return d7_refuse(&reply->why, D7_ERR_CONFLICT, "id", "this id is taken");
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* An equal one conflicts too: who is told 201 has added it. */
static enum d7_err add_round(struct api *api, struct reply *reply, const struct roundfile *round)
{
    struct roundfile *old = NULL;
    enum d7_err err = round_get(api->store, round->id, &old);
    roundfile_free(old);
    if (err == D7_ERR_NOT_FOUND) {
        err = round_add(api->store, round, clock_utc_ms());
    } else if (!err) {
        err = D7_ERR_CONFLICT;
    }
    return err == D7_ERR_CONFLICT ? taken(reply, "round", round->id) : err;
}

static enum d7_err parse_round(const struct request *req, struct reply *reply,
                               struct roundfile **ret)
{
    struct d7_why why = {0};
    enum d7_err err = roundfile_parse(req->body, ret, &why);
    if (err == D7_ERR_INVALID && why.field[0]) {
        (void)reply_field_error(reply, why.field, "%s", why.text);
        return body_verdict(reply);
    }
    reply->why = why;
    return err;
}

enum d7_err api_round_add(struct api *api, const struct request *req, struct reply *reply)
{
    struct roundfile *round = NULL;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = parse_round(req, reply, &round);
    }
    if (!err) {
        err = add_round(api, reply, round);
    }
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/rounds/%s", round->id);
        struct jout j = reply_json(reply, 201, CACHE_NONE);
        jout_object(&j);
        jout_kv_text(&j, "id", round->id);
        jout_kv_text(&j, "name", round->name);
        jout_kv_text(&j, "generatorSeedHex", round->seed_hex);
        jout_kv_int(&j, "maximumMoves", round->round.maximum_moves);
        jout_object_end(&j);
        err = reply->body.err;
    }
    roundfile_free(round);
    return err;
}

/* --- suites ---------------------------------------------------------------------------------- */

struct suite_new {
    char id[STORE_ID_SIZE];
    char name[STORE_NAME_SIZE];
    bool is_default;
    char (*rounds)[STORE_ID_SIZE]; /* owned */
    size_t round_count;
};

static enum d7_err decode_suite(const struct request *req, struct reply *reply,
                                struct suite_new *ret)
{
    static const char *const known[] = {"id", "name", "rounds", "default", NULL};
    struct jval *root = NULL;
    enum d7_err err = body_object(req, reply, known, &root);
    if (err) {
        return err;
    }
    body_slug(root, reply, "id", true, ret->id);
    struct span name = body_text(root, reply, "name");
    if (!name.ptr && !jval_get(root, "name")) {
        (void)reply_field_error(reply, "name", "name is required");
    } else if (name.ptr && (!span_is_name(name) || span_copy(name, ret->name, sizeof(ret->name)))) {
        (void)reply_field_error(reply, "name",
                                "name must have 1 to 80 characters, one of them visible, no "
                                "control characters");
    }
    const struct jval *is_default = jval_get(root, "default");
    if (is_default && !jval_bool(is_default, &ret->is_default)) {
        (void)reply_field_error(reply, "default", "default must be true or false");
    }
    err = body_rounds(root, reply, &ret->rounds, &ret->round_count);
    jval_free(root);
    return err ? err : body_verdict(reply);
}

static enum d7_err add_suite(struct api *api, struct reply *reply, const struct suite_new *s)
{
    const char *ids[SUITE_ROUNDS_MAX];
    enum d7_err err = D7_OK;
    for (size_t i = 0; i < s->round_count && !err; i++) {
        ids[i] = s->rounds[i];
        err = named_round(api, reply, s->rounds[i]);
    }
    if (!err) {
        err = suite_add(api->store, s->id, s->name, s->is_default, ids, s->round_count,
                        clock_utc_ms());
    }
    return err == D7_ERR_CONFLICT ? taken(reply, "suite", s->id) : err;
}

enum d7_err api_suite_add(struct api *api, const struct request *req, struct reply *reply)
{
    struct suite_new s = {.rounds = NULL};
    struct suite_row row = {.round_ids = NULL};
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = decode_suite(req, reply, &s);
    }
    if (!err) {
        err = add_suite(api, reply, &s);
    }
    if (!err) {
        err = suite_get(api->store, s.id, &row);
    }
    if (!err) {
        reply_header(reply, "Location", API_PREFIX "/suites/%s", s.id);
        struct jout j = reply_json(reply, 201, CACHE_NONE);
        suite_write(&j, &row);
        err = reply->body.err;
    }
    suite_release(&row);
    free(s.rounds);
    return err;
}
