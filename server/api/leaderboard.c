/* leaderboard.c - the board of a suite: cached bytes, or computed for an unusual choice. */
#include "server/api/board_cache.h"
#include "server/api/handlers.h"
#include "server/api/ranking.h"
#include "server/api/wire.h"

static size_t suite_index(const struct suite_row *suite, const char *round_id)
{
    size_t i = 0;
    while (i < suite->round_count && strcmp(suite->round_ids[i], round_id) != 0) {
        i++;
    }
    return i;
}

/* `rounds=a,b`: rounds of the suite, none of them twice. */
static enum d7_err decode_rounds(const struct request *req, struct reply *reply,
                                 const struct suite_row *suite, struct ranking_choice *c)
{
    struct span rest;
    if (!request_query(req, "rounds", &rest)) {
        return D7_OK;
    }
    c->rounds = calloc(suite->round_count ? suite->round_count : 1, sizeof(*c->rounds));
    if (!c->rounds) {
        return D7_ERR_NOMEM;
    }
    do {
        bool last = rest.len == 0 || !memchr(rest.ptr, ',', rest.len);
        struct span part = span_cut(&rest, ',');
        char id[STORE_ID_SIZE];
        if (!span_is_slug(part, 1, sizeof(id) - 1, false) || span_copy(part, id, sizeof(id))) {
            return wire_bad_query(reply, "rounds", "rounds must be round ids with commas between");
        }
        size_t at = suite_index(suite, id);
        if (at == suite->round_count) {
            return d7_refuse(&reply->why, D7_ERR_NOT_FOUND, NULL, "no round '%s' in suite '%s'", id,
                             suite->id);
        }
        for (size_t i = 0; i < c->round_count; i++) {
            if (c->rounds[i] == at) {
                return wire_bad_query(reply, "rounds", "rounds names '%s' twice", id);
            }
        }
        c->rounds[c->round_count++] = at;
        if (last) {
            return D7_OK;
        }
    } while (true);
}

static enum d7_err decode_choice(const struct request *req, struct reply *reply,
                                 const struct suite_row *suite, struct ranking_choice *c)
{
    struct span text;
    if (request_query(req, "kind", &text)) {
        c->has_kind = true;
        if (!policy_kind_parse(text, &c->kind)) {
            return wire_bad_query(reply, "kind",
                                  "kind must be builtin, upload, endpoint or remote");
        }
    }
    if (request_query(req, "family", &text) &&
        (!span_is_label(text, 1, 80, false) || span_copy(text, c->family, sizeof(c->family)))) {
        return wire_bad_query(reply, "family",
                              "family must have 1 to 80 characters, no control characters");
    }
    enum d7_err err = wire_query_id(req, reply, "reference", c->reference, sizeof(c->reference));
    return err ? err : decode_rounds(req, reply, suite, c);
}

static enum d7_err decode_format(const struct request *req, struct reply *reply, bool *ret_csv)
{
    struct span text;
    *ret_csv = false;
    if (!request_query(req, "format", &text) || span_is(text, "json")) {
        return D7_OK;
    }
    *ret_csv = span_is(text, "csv");
    return *ret_csv ? D7_OK : wire_bad_query(reply, "format", "format must be json or csv");
}

struct making {
    struct store *store;
    const struct suite_row *suite;
};

static enum d7_err make_plain(void *ctx, const char *suite_id, struct buf *to)
{
    (void)suite_id; /* its row is in ctx */
    const struct making *m = ctx;
    const struct ranking_choice everything = {0};
    struct ranking b;
    enum d7_err err = ranking_read(m->store, m->suite, &everything, &b);
    if (!err) {
        err = ranking_write_json(&b, m->store, to);
        ranking_release(&b);
    }
    return err;
}

static enum d7_err reply_cached(struct api *api, const struct suite_row *suite, struct reply *reply)
{
    struct making m = {api->store, suite};
    int64_t version = 0;
    /* read before the inputs: bytes may be newer than they claim, never older */
    enum d7_err err = store_board_version(api->store, &version);
    return err ? err
               : board_cache_serve(api->site->boards, suite->id, version, make_plain, &m, reply);
}

static enum d7_err reply_choice(struct api *api, const struct suite_row *suite,
                                const struct ranking_choice *choice, bool csv, struct reply *reply)
{
    struct ranking b;
    enum d7_err err = ranking_read(api->store, suite, choice, &b);
    if (err) {
        return err == D7_ERR_NOT_FOUND
                   ? d7_refuse(&reply->why, err, NULL, "policy '%s' has no games on this board",
                               choice->reference)
                   : err;
    }
    (void)reply_json(reply, 200, CACHE_REVALIDATE);
    if (csv) {
        reply->content_type = "text/csv; charset=utf-8";
        ranking_write_csv(&b, &reply->body);
    } else {
        err = ranking_write_json(&b, api->store, &reply->body);
    }
    ranking_release(&b);
    return err ? err : reply->body.err;
}

enum d7_err api_leaderboard(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"suite",  "kind",   "family", "reference",
                                        "rounds", "format", NULL};
    char id[STORE_ID_SIZE];
    struct suite_row suite = {0};
    struct ranking_choice choice = {0};
    bool csv = false;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_query_id(req, reply, "suite", id, sizeof(id));
    }
    if (!err) {
        err = decode_format(req, reply, &csv);
    }
    if (!err) {
        err = suite_get(api->store, id[0] ? id : NULL, &suite);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "suite", span_of(id));
        }
    }
    if (err) {
        return err;
    }
    err = decode_choice(req, reply, &suite, &choice);
    bool plain = !choice.has_kind && !choice.family[0] && !choice.reference[0] && !choice.rounds;
    if (!err) {
        err = plain && !csv ? reply_cached(api, &suite, reply)
                            : reply_choice(api, &suite, &choice, csv, reply);
    }
    free(choice.rounds);
    suite_release(&suite);
    return err;
}
