/*
 * events.c - GET /runs/{id}/events: a run as it is played (text/event-stream).
 *
 * Design  the id of an event is the number of games that were finished then, so whoever comes back
 * with Last-Event-ID gets exactly the games after it, then one `progress`. Whoever comes without
 * gets all of them: nothing is lost between reading the run and following it. A finished run ends
 * its stream with `end`. What a run looks like is read once a change and thread (event_view): the
 * streams of one run are asked one after the other.
 */
#include "server/api/events.h"

#include "server/api/handlers.h"
#include "server/api/objects.h"
#include "server/api/wire.h"

#define BATCH_MAX     64
#define EVENT_MAX     4096
#define PROGRESS_SIZE 320

struct event_view {
    int64_t version;
    struct run_row run;
    struct game_row *games; /* owned; the finished ones, in the order in which they were */
    size_t game_count;
};

/* One client's stream. */
struct follower {
    char run_id[STORE_KEY_SIZE];
    size_t sent;                  /* games */
    char progress[PROGRESS_SIZE]; /* the last one sent; empty: none yet */
};

void event_view_free(struct event_view *v)
{
    if (v) {
        free(v->games);
        free(v);
    }
}

/* --- the run -------------------------------------------------------------------------------- */

static enum d7_err read_games(struct store *st, struct event_view *v)
{
    struct game_row *games = NULL;
    size_t count = 0;
    struct game_filter filter = {.sort = GAME_SORT_OLDEST};
    struct store_page page = {.limit = STORE_LIST_MAX}; /* SUITE_ROUNDS_MAX is less */
    memcpy(filter.run_id, v->run.id, sizeof(filter.run_id));
    enum d7_err err = game_list(st, &filter, &page, &games, &count);
    if (err) {
        return err;
    }
    free(v->games);
    v->games = games;
    /* one more may have been finished since the run was read: it is the next look's */
    v->game_count = count < v->run.done ? count : v->run.done;
    return D7_OK;
}

/* The run as of that version of the store or later. */
static enum d7_err look(struct api *api, const char *run_id, int64_t version,
                        const struct event_view **ret)
{
    if (!api->view) {
        api->view = calloc(1, sizeof(*api->view));
        if (!api->view) {
            return D7_ERR_NOMEM;
        }
    }
    struct event_view *v = api->view;
    bool same = strcmp(v->run.id, run_id) == 0;
    if (same && v->version == version) {
        *ret = v;
        return D7_OK;
    }
    v->version = -1; /* what is there is not to be taken for current if this fails half-way */
    if (!same) {
        v->game_count = 0;
        v->run = (struct run_row){.id = ""};
    }
    enum d7_err err = run_get(api->store, run_id, &v->run);
    if (!err && v->run.done != v->game_count) {
        err = read_games(api->store, v);
    }
    if (!err) {
        v->version = version;
        *ret = v;
    }
    return err;
}

/* --- its events ----------------------------------------------------------------------------- */

static void write_event(struct buf *to, const char *name, size_t id, struct span data)
{
    buf_printf(to, "id: %zu\nevent: %s\ndata: ", id, name);
    buf_append(to, data.ptr, data.len);
    buf_text(to, "\n\n");
}

/* At most BATCH_MAX of the games not sent yet. */
static enum d7_err write_games(const struct event_view *v, struct follower *f, struct buf *to)
{
    struct buf data;
    buf_init(&data, EVENT_MAX);
    for (size_t i = 0; i < BATCH_MAX && f->sent < v->game_count && !data.err && !to->err; i++) {
        struct jout j;
        buf_clear(&data);
        jout_init(&j, &data);
        game_write(&j, &v->games[f->sent]);
        if (!data.err) {
            f->sent++;
            write_event(to, "game", f->sent, buf_span(&data));
        }
    }
    enum d7_err err = data.err;
    buf_release(&data);
    return err ? err : to->err;
}

static void status_write(struct jout *j, const struct run_row *run)
{
    jout_kv_text(j, "runId", run->id);
    jout_kv_text(j, "status", run_status_text(run->status));
}

/* Where it differs from the last one sent. */
static enum d7_err write_progress(const struct event_view *v, struct follower *f, struct buf *to)
{
    struct buf data;
    struct jout j;
    buf_init(&data, sizeof(f->progress) - 1);
    jout_init(&j, &data);
    jout_object(&j);
    status_write(&j, &v->run);
    run_progress_write(&j, &v->run);
    jout_object_end(&j);
    enum d7_err err = data.err;
    if (!err && strcmp(data.data, f->progress) != 0) {
        memcpy(f->progress, data.data, data.len + 1);
        write_event(to, "progress", f->sent, buf_span(&data));
        err = to->err;
    }
    buf_release(&data);
    return err;
}

static enum d7_err write_end(const struct run_row *run, size_t sent, struct buf *to)
{
    struct buf data;
    struct jout j;
    buf_init(&data, EVENT_MAX);
    jout_init(&j, &data);
    jout_object(&j);
    status_write(&j, run);
    jout_key(&j, "reason");
    jout_span(&j, run->reason[0] ? span_of(run->reason) : span_make(NULL, 0));
    jout_object_end(&j);
    enum d7_err err = data.err;
    if (!err) {
        write_event(to, "end", sent, buf_span(&data));
        err = to->err;
    }
    buf_release(&data);
    return err;
}

static bool is_finished(const struct run_row *run)
{
    return run->status != RUN_QUEUED && run->status != RUN_PLAYING;
}

static enum d7_err follow(void *ctx, struct api *api, int64_t version, struct buf *to,
                          bool *ret_more, bool *ret_ended)
{
    struct follower *f = ctx;
    struct follower next = *f; /* becomes ours when all of it could be written */
    const struct event_view *v = NULL;
    enum d7_err err = look(api, f->run_id, version, &v);
    if (!err) {
        err = write_games(v, &next, to);
    }
    if (err) {
        return err;
    }
    bool more = next.sent < v->game_count;
    bool ended = !more && is_finished(&v->run);
    if (!more) {
        err = write_progress(v, &next, to);
    }
    if (!err && ended) {
        err = write_end(&v->run, next.sent, to);
    }
    if (!err) {
        *f = next;
        *ret_more = more;
        *ret_ended = ended;
    }
    return err;
}

/* The run goes on, the server does not: without an id, so that the client's stays. */
static void goodbye(void *ctx, struct buf *to)
{
    const struct follower *f = ctx;
    buf_printf(to,
               "event: end\ndata: {\"runId\":\"%s\",\"status\":\"playing\","
               "\"reason\":\"the server stops; come back with Last-Event-ID\"}\n\n",
               f->run_id);
}

/* --- the request ---------------------------------------------------------------------------- */

static enum d7_err decode_last(const struct request *req, struct reply *reply, size_t *ret)
{
    struct span text = req->header(req, "Last-Event-ID");
    int64_t last = 0;
    if (text.ptr && text.len && span_parse_i64(text, 0, SUITE_ROUNDS_MAX, &last)) {
        return wire_bad_query(reply, "Last-Event-ID",
                              "Last-Event-ID must be the id of an event of this stream");
    }
    *ret = (size_t)last;
    return D7_OK;
}

static enum d7_err begin(struct api *api, struct follower *f, struct reply *reply, bool *ret_ended)
{
    int64_t version = 0;
    bool more = false;
    const struct event_view *v = NULL;
    enum d7_err err = store_version(api->store, &version);
    if (!err) {
        err = look(api, f->run_id, version, &v);
    }
    if (err) {
        return err == D7_ERR_NOT_FOUND ? wire_no_such(reply, "run", span_of(f->run_id)) : err;
    }
    f->sent = f->sent < v->game_count ? f->sent : v->game_count;
    reply->status = 200;
    reply->content_type = "text/event-stream";
    reply->cache = CACHE_NONE;
    reply_header(reply, "X-Accel-Buffering", "no"); /* nginx in front must not collect them */
    buf_text(&reply->body, "retry: 2000\n\n");
    return follow(f, api, version, &reply->body, &more, ret_ended);
}

enum d7_err api_run_events(struct api *api, const struct request *req, struct reply *reply)
{
    struct follower *f = calloc(1, sizeof(*f));
    bool ended = false;
    if (!f) {
        return D7_ERR_NOMEM;
    }
    enum d7_err err = wire_query_none(req, reply);
    if (!err) {
        err = wire_param(req, reply, 0, "run", f->run_id, sizeof(f->run_id));
    }
    if (!err) {
        err = decode_last(req, reply, &f->sent);
    }
    if (!err) {
        err = begin(api, f, reply, &ended);
    }
    if (err || ended) {
        free(f);
        return err;
    }
    reply->stream =
        (struct event_source){.next = follow, .goodbye = goodbye, .release = free, .ctx = f};
    memcpy(reply->stream.topic, f->run_id, sizeof(f->run_id));
    return D7_OK;
}
