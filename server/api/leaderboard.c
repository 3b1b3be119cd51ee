/* leaderboard.c - the board of a suite: cached bytes, or computed for an unusual choice. */
#include "engine/base/hash.h"
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
    c->status = POLICY_READY;
    if (request_query(req, "status", &text) && !policy_status_parse(text, &c->status)) {
        return wire_bad_query(reply, "status",
                              "status must be checking, ready, rejected, suspended or retired");
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
    const struct ranking_choice *choice;
    struct interval_memo *memo;
    bool csv;
};

static enum d7_err make(void *ctx, struct buf *to)
{
    const struct making *m = ctx;
    struct ranking b;
    enum d7_err err = ranking_read(m->store, m->suite, m->choice, m->memo, &b);
    if (err) {
        return err;
    }
    if (m->csv) {
        ranking_write_csv(&b, to);
    } else {
        err = ranking_write_json(&b, m->store, to);
    }
    ranking_release(&b);
    return err ? err : to->err;
}

/* One name for equal selections. No part has a line break in it, so different ones differ. */
static enum d7_err key_of(const struct making *m, char ret_key[BOARD_KEY_SIZE])
{
    _Static_assert(BOARD_KEY_SIZE >= SHA_HEX_SIZE, "a digest is a key");
    const struct ranking_choice *c = m->choice;
    struct buf text;
    buf_init(&text, 1u << 20);
    buf_printf(&text, "%s\n%s\n%s\n%s\n%s\n%s\n%s", m->suite->id, m->csv ? "csv" : "json",
               policy_status_text(c->status), c->has_kind ? policy_kind_text(c->kind) : "",
               c->family, c->reference, c->rounds ? "rounds" : "all");
    for (size_t i = 0; i < c->round_count; i++) {
        buf_printf(&text, "\n%zu", c->rounds[i]);
    }
    enum d7_err err = text.err;
    if (!err) {
        sha_of(buf_span(&text), ret_key);
    }
    buf_release(&text);
    return err;
}

static enum d7_err reply_board(struct api *api, struct making *m, struct reply *reply)
{
    const struct ranking_choice *c = m->choice;
    bool whole = c->status == POLICY_READY && !c->has_kind && !c->family[0] && !c->reference[0] &&
                 !c->rounds && !m->csv;
    char key[BOARD_KEY_SIZE];
    struct board_wish wish = {.key = whole ? m->suite->id : key,
                              .content_type =
                                  m->csv ? "text/csv; charset=utf-8" : "application/json",
                              .make = make,
                              .ctx = m};
    enum d7_err err = whole ? D7_OK : key_of(m, key);
    if (!err) {
        /* read before the inputs: bytes may be newer than they claim, never older */
        err = store_board_version(api->store, &wish.version);
    }
    if (!err) {
        err = board_cache_serve(whole ? api->site->boards : api->site->selections, &wish, reply);
    }
    return err == D7_ERR_NOT_FOUND
               ? d7_refuse(&reply->why, err, NULL, "policy '%s' has no games on this board",
                           c->reference)
               : err;
}

/* The whole board of a suite (id empty: the default one) from memory, without a query: what nearly
 * everybody asks for. */
static bool reply_kept(struct api *api, const struct request *req, const char *id,
                       struct reply *reply)
{
    struct board_wish wish = {.content_type = "application/json"};
    if (req->query_count > (id[0] ? 1 : 0) || store_board_version(api->store, &wish.version)) {
        return false;
    }
    if (!id[0]) {
        if (!api->default_suite[0] || api->default_suite_at != wish.version) {
            return false;
        }
        id = api->default_suite;
    }
    wish.key = id;
    return board_cache_peek(api->site->boards, &wish, reply);
}

/* Suites change with the board version only. */
static enum d7_err find_suite(struct api *api, const char *id, struct suite_row *ret)
{
    int64_t version = 0;
    enum d7_err err = store_board_version(api->store, &version);
    if (!err) {
        err = suite_get(api->store, id[0] ? id : NULL, ret);
    }
    if (!err && !id[0]) {
        (void)snprintf(api->default_suite, sizeof(api->default_suite), "%s", ret->id); /* fits */
        api->default_suite_at = version;
    }
    return err;
}

enum d7_err api_leaderboard(struct api *api, const struct request *req, struct reply *reply)
{
    static const char *const known[] = {"suite",  "kind",   "family", "reference",
                                        "rounds", "format", "status", NULL};
    char id[STORE_ID_SIZE];
    struct suite_row suite = {0};
    struct ranking_choice choice = {0};
    bool csv = false;
    enum d7_err err = wire_query_only(req, reply, known);
    if (!err) {
        err = wire_query_id(req, reply, "suite", id, sizeof(id));
    }
    if (!err && reply_kept(api, req, id, reply)) {
        return D7_OK;
    }
    if (!err) {
        err = decode_format(req, reply, &csv);
    }
    if (!err) {
        err = find_suite(api, id, &suite);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "suite", span_of(id));
        }
    }
    if (err) {
        return err;
    }
    err = decode_choice(req, reply, &suite, &choice);
    if (!err) {
        struct making m = {api->store, &suite, &choice, api->site->intervals, csv};
        err = reply_board(api, &m, reply);
    }
    free(choice.rounds);
    suite_release(&suite);
    return err;
}
