#include "server/api/named.h"

#include "server/api/wire.h"

static enum d7_err said(enum d7_err err, struct reply *reply, const char *what, const char *id)
{
    if (err == D7_ERR_NOT_FOUND) {
        (void)wire_no_such(reply, what, span_of(id)); /* returns the same error */
        (void)snprintf(reply->why.field, sizeof(reply->why.field), "%s", what);
    }
    return err;
}

enum d7_err named_policy(struct api *api, struct reply *reply, const char *id)
{
    if (!id[0]) {
        return D7_OK;
    }
    struct policy_row *row = calloc(1, sizeof(*row));
    if (!row) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = policy_get(api->store, id, row);
    free(row);
    return said(err, reply, "policy", id);
}

enum d7_err named_round(struct api *api, struct reply *reply, const char *id)
{
    if (!id[0]) {
        return D7_OK;
    }
    struct roundfile *round = NULL;
    enum d7_err err = round_get(api->store, id, &round);
    roundfile_free(round);
    return said(err, reply, "round", id);
}

enum d7_err named_suite(struct api *api, struct reply *reply, const char *id)
{
    if (!id[0]) {
        return D7_OK;
    }
    struct suite_row suite = {0};
    enum d7_err err = suite_get(api->store, id, &suite);
    suite_release(&suite);
    return said(err, reply, "suite", id);
}

enum d7_err named_run(struct api *api, struct reply *reply, const char *id)
{
    if (!id[0]) {
        return D7_OK;
    }
    struct run_row run;
    return said(run_get(api->store, id, &run), reply, "run", id);
}
