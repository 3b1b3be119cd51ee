/*
 * follow.c - the loop around event streams and polls.
 *
 * Design  every attempt ends in one of few ways (enum attempt), whatever it was; the loop decides
 * how long to wait for the next one. Games are told apart by their ids, not by counting: a server
 * that knows no Last-Event-ID tells all of them again.
 */
#include "engine/tool/follow.h"

#include "engine/base/clock.h"

#define GAMES_MAX     1024
#define ID_SIZE       65
#define POLL_MIN_MS   500
#define POLL_MAX_MS   5000
#define RETRY_MIN_MS  1000
#define RETRY_MAX_MS  30000
#define RETRY_STREAM  2000 /* where the server does not say */
#define STREAM_GAP_MS 100  /* between connections, whatever it says */
#define PATH_SIZE     128

enum attempt {
    ATTEMPT_AGAIN,       /* all well so far */
    ATTEMPT_RETRY,       /* not reached, or busy: with patience */
    ATTEMPT_UNSUPPORTED, /* no event streams here */
    ATTEMPT_FAILED,      /* and said so */
    ATTEMPT_INTERRUPTED,
};

struct follow {
    struct remote *remote;
    const char *run_id;
    struct events_in events;
    struct progress progress;
    struct run_view view;
    char (*seen)[ID_SIZE]; /* owned; games shown */
    size_t seen_count;
    bool changed;      /* by the last attempt */
    int64_t wanted_ms; /* the server asked for this wait; 0: it did not */
    struct d7_why why; /* of the last ATTEMPT_RETRY */
};

static int64_t longest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* --- what is heard ---------------------------------------------------------------------------- */

static bool is_new(struct follow *f, const struct jval *game)
{
    char id[ID_SIZE];
    struct span text;
    if (!jval_text(jval_get(game, "id"), &text) || span_copy(text, id, sizeof(id))) {
        return false;
    }
    for (size_t i = 0; i < f->seen_count; i++) {
        if (strcmp(f->seen[i], id) == 0) {
            return false;
        }
    }
    if (f->seen_count == GAMES_MAX) {
        return false;
    }
    memcpy(f->seen[f->seen_count++], id, sizeof(id));
    return true;
}

/* Games may come before the word that their run is played. */
static void hear_game(struct follow *f, const struct jval *game)
{
    struct run_view *v = &f->view;
    if (!jval_get(game, "outcome") || !is_new(f, game)) {
        return;
    }
    f->changed = true;
    v->done = longest(v->done, (int64_t)f->seen_count);
    v->games = longest(v->games, v->done);
    if (!run_view_over(v)) {
        (void)snprintf(v->status, sizeof(v->status), "playing");
        v->queue_position = 0;
    }
    progress_game(&f->progress, game, (int64_t)f->seen_count, v);
}

/* A run, or a `progress` or `end` event. */
static void hear_run(struct follow *f, const struct jval *run)
{
    struct run_view before = f->view;
    run_view_read(&f->view, run);
    f->changed = f->changed || memcmp(&before, &f->view, sizeof(before)) != 0;
    const struct jval *games = jval_get(run, "games");
    for (size_t i = 0; i < jval_length(games); i++) {
        hear_game(f, jval_at(games, i));
    }
    progress_show(&f->progress, &f->view);
}

static bool hear_event(void *ctx, const char *name, struct span data)
{
    struct follow *f = ctx;
    struct jval *root = NULL;
    struct d7_why why;
    bool is_end = strcmp(name, "end") == 0;
    if (jval_parse(data, &root, &why)) {
        return true; /* not one of ours */
    }
    if (strcmp(name, "game") == 0) {
        hear_game(f, root);
    } else if (is_end || strcmp(name, "progress") == 0) {
        hear_run(f, root);
        f->changed = true;
    }
    jval_free(root);
    return !is_end; /* also the server's own goodbye: the run is not over then */
}

/* --- attempts --------------------------------------------------------------------------------- */

static enum attempt missed(struct follow *f, enum d7_err err)
{
    return err == D7_ERR_CANCELLED ? ATTEMPT_INTERRUPTED
           : f->changed            ? ATTEMPT_AGAIN
                                   : ATTEMPT_RETRY;
}

static bool is_passing(long status)
{
    return status == 408 || status == 429 || (status >= 500 && status != 501);
}

static enum attempt busy(struct follow *f, const struct client_answer *a)
{
    f->wanted_ms = a->retry_after_s > 60 ? 60000 : a->retry_after_s * 1000;
    (void)d7_refuse(&f->why, D7_ERR_BUSY, NULL, "%s answers %ld", client_server(f->remote->client),
                    a->status);
    return ATTEMPT_RETRY;
}

static enum attempt try_stream(struct follow *f)
{
    char path[PATH_SIZE];
    struct client_answer a;
    (void)snprintf(path, sizeof(path), "/runs/%s/events", f->run_id); /* fits: ids are short */
    enum d7_err err =
        client_follow(f->remote->client, path, &f->events, hear_event, f, &a, &f->why);
    if (err) {
        return missed(f, err);
    }
    enum attempt result = ATTEMPT_UNSUPPORTED;
    if (a.is_stream) {
        (void)d7_refuse(&f->why, D7_ERR_CLOSED, NULL, "the event stream ends without a word");
        result = f->changed ? ATTEMPT_AGAIN : ATTEMPT_RETRY;
        f->wanted_ms = f->events.retry_ms < 0              ? RETRY_STREAM
                       : f->events.retry_ms > RETRY_MAX_MS ? RETRY_MAX_MS
                                                           : f->events.retry_ms;
    } else if (is_passing(a.status)) {
        result = busy(f, &a);
    }
    client_answer_release(&a);
    return result;
}

static enum attempt try_poll(struct follow *f)
{
    char path[PATH_SIZE];
    struct client_answer a;
    (void)snprintf(path, sizeof(path), "/runs/%s", f->run_id);
    enum d7_err err = client_get(f->remote->client, path, &a, &f->why);
    if (err) {
        return missed(f, err);
    }
    enum attempt result = ATTEMPT_AGAIN;
    if (is_passing(a.status)) {
        result = busy(f, &a);
    } else if (a.status != 200 || !a.json) {
        progress_end(&f->progress);
        (void)remote_refused(&a);
        result = ATTEMPT_FAILED;
    } else {
        hear_run(f, a.json);
    }
    client_answer_release(&a);
    return result;
}

/* --- the loop --------------------------------------------------------------------------------- */

static int64_t longer(int64_t wait_ms, int64_t lo, int64_t hi)
{
    int64_t next = wait_ms < lo ? lo : 2 * wait_ms;
    return next > hi ? hi : next;
}

/* Until the run is over. */
static enum attempt loop(struct follow *f)
{
    bool streams = true;
    int64_t wait_ms = 0;
    int64_t heard_ms = clock_mono_ms();
    while (!run_view_over(&f->view)) {
        f->changed = false;
        f->wanted_ms = 0;
        enum attempt was = streams ? try_stream(f) : try_poll(f);
        if (was == ATTEMPT_FAILED || was == ATTEMPT_INTERRUPTED) {
            return was;
        }
        if (was == ATTEMPT_UNSUPPORTED) {
            streams = false;
            continue;
        }
        if (was == ATTEMPT_AGAIN) {
            heard_ms = clock_mono_ms();
            wait_ms = streams      ? longest(f->wanted_ms, STREAM_GAP_MS)
                      : f->changed ? POLL_MIN_MS
                                   : longer(wait_ms, POLL_MIN_MS, POLL_MAX_MS);
        } else {
            wait_ms = longer(wait_ms, RETRY_MIN_MS, RETRY_MAX_MS);
            wait_ms = longest(wait_ms, f->wanted_ms);
            if (clock_mono_ms() + wait_ms - heard_ms > FOLLOW_PATIENCE_MS) {
                return ATTEMPT_RETRY;
            }
            progress_note(&f->progress, f->why.text);
        }
        if (!run_view_over(&f->view) && client_wait(f->remote->client, wait_ms)) {
            return ATTEMPT_INTERRUPTED;
        }
    }
    return ATTEMPT_AGAIN;
}

void follow_hint(const struct remote *r, const char *run_id)
{
    (void)fprintf(stderr, "to see it again: drop7 status %s --follow --server %s\n", run_id,
                  client_server(r->client));
}

static int give_up(const struct follow *f, enum attempt was)
{
    int status = 1;
    if (was == ATTEMPT_FAILED) {
        return 1;
    }
    if (was == ATTEMPT_INTERRUPTED) {
        status = tool_fail(REMOTE_INTERRUPTED, "no longer following; the run goes on");
    } else {
        status = tool_fail(1, "%s; the run may go on", f->why.text);
    }
    follow_hint(f->remote, f->run_id);
    return status;
}

int follow_run(struct remote *r, const char *run_id, struct client_answer *ret)
{
    struct follow f = {.remote = r, .run_id = run_id};
    f.seen = calloc(GAMES_MAX, sizeof(*f.seen));
    if (!f.seen) {
        return tool_fail(1, "%s", d7_err_text(D7_ERR_NOMEM));
    }
    events_in_init(&f.events);
    progress_init(&f.progress);
    enum attempt was = loop(&f);
    progress_end(&f.progress);
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof(path), "/runs/%s", run_id);
    int status = was == ATTEMPT_AGAIN ? remote_get(r, path, true, ret) : give_up(&f, was);
    events_in_release(&f.events);
    free(f.seen);
    return status;
}
