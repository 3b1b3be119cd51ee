/* rounds.c - rounds in their own format, and suites of them. */
#include "server/api/handlers.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

static const char *const page_params[] = {"limit", "cursor", NULL};

enum d7_err api_suite_list(struct api *api, const struct request *req, struct reply *reply)
{
    struct store_page page;
    struct suite_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, page_params);
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = wire_list_error(reply, suite_list(api->store, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count; i++) {
        suite_write(&j, &rows[i]);
        suite_release(&rows[i]);
    }
    free(rows);
    return wire_list_end(&j, req, reply, &page);
}

enum d7_err api_suite_get(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_ID_SIZE];
    struct suite_row suite;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "suite", id, sizeof(id));
    }
    if (!err) {
        err = suite_get(api->store, id, &suite);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "suite", span_of(id));
        }
    }
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    suite_write(&j, &suite);
    suite_release(&suite);
    return reply->body.err;
}

enum d7_err api_round_list(struct api *api, const struct request *req, struct reply *reply)
{
    struct store_page page;
    struct round_row *rows = NULL;
    size_t count = 0;
    enum d7_err err = wire_query_only(req, reply, page_params);
    if (!err) {
        err = wire_page(req, reply, &page);
    }
    if (!err) {
        err = wire_list_error(reply, round_list(api->store, &page, &rows, &count));
    }
    if (err) {
        return err;
    }
    struct jout j = wire_list_start(reply);
    for (size_t i = 0; i < count; i++) {
        jout_object(&j);
        jout_kv_text(&j, "id", rows[i].id);
        jout_kv_text(&j, "name", rows[i].name);
        jout_kv_text(&j, "generatorSeedHex", rows[i].seed_hex);
        jout_kv_int(&j, "maximumMoves", rows[i].maximum_moves);
        jout_object_end(&j);
    }
    free(rows);
    return wire_list_end(&j, req, reply, &page);
}

enum d7_err api_round_get(struct api *api, const struct request *req, struct reply *reply)
{
    char id[STORE_ID_SIZE];
    struct roundfile *round = NULL;
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "round", id, sizeof(id));
    }
    if (!err) {
        err = round_get(api->store, id, &round);
        if (err == D7_ERR_NOT_FOUND) {
            return wire_no_such(reply, "round", span_of(id));
        }
    }
    if (err) {
        return err;
    }
    struct jout j = reply_json(reply, 200, CACHE_REVALIDATE);
    roundfile_write(&j, round);
    roundfile_free(round);
    return reply->body.err;
}
