/*
 * Playing the list: a thread takes the next game, owns its policy while it plays, writes the
 * replay, counts. The main thread only watches and prints.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/tool/bench.h"
#include "engine/tool/command.h"

enum d7_err bench_replay_path(const struct bench *b, const struct bench_game *g, char *ret_path,
                              size_t size)
{
    int used = snprintf(ret_path, size, "%s/replays/%s--%s.json", b->out, b->policies[g->policy].id,
                        b->rounds[g->round]->id);
    return used < 0 || (size_t)used >= size ? D7_ERR_TOO_LARGE : D7_OK;
}

void bench_fingerprint(struct bench_policy *policy)
{
    struct sha s;
    sha_init(&s);
    for (size_t i = 0; policy->argv[i]; i++) {
        struct buf file;
        buf_init(&file, 64u << 20);
        sha_update(&s, policy->argv[i], strlen(policy->argv[i]) + 1);
        struct stat info; /* most words are no files */
        if (stat(policy->argv[i], &info) == 0 && S_ISREG(info.st_mode) &&
            !file_read(policy->argv[i], &file)) {
            sha_update(&s, file.data, file.len);
        }
        buf_release(&file);
    }
    sha_final(&s, policy->fingerprint);
}

/* Whatever lies there, a pipe too: then the game is played again. */
static bool load_finished(const struct bench *b, struct bench_game *g)
{
    char path[4096];
    struct stat info;
    if (bench_replay_path(b, g, path, sizeof(path)) || stat(path, &info) ||
        !S_ISREG(info.st_mode)) {
        return false;
    }
    struct buf text;
    buf_init(&text, REPLAY_FILE_MAX);
    struct replayfile file = {0};
    bool ok = !file_read(path, &text) && !replayfile_parse(buf_span(&text), &file, NULL) &&
              span_is(file.round_id, b->rounds[g->round]->id) &&
              span_is(file.fingerprint, b->policies[g->policy].fingerprint) &&
              !replayfile_verify(&file, &b->rounds[g->round]->round, &g->facts, NULL) &&
              strcmp(g->facts.policy_id, b->policies[g->policy].id) == 0;
    replayfile_release(&file);
    buf_release(&text);
    return ok;
}

enum d7_err bench_plan(struct bench *b, bool resume, struct d7_why *why)
{
    char folder[4096];
    int used = snprintf(folder, sizeof(folder), "%s/replays", b->out);
    if (used < 0 || (size_t)used >= sizeof(folder)) {
        return d7_refuse(why, D7_ERR_TOO_LARGE, "out", "--out is too long");
    }
    if ((mkdir(b->out, 0777) < 0 && errno != EEXIST) ||
        (mkdir(folder, 0777) < 0 && errno != EEXIST)) {
        int number = errno;
        return d7_refuse(why, d7_err_from_errno(number), "out", "cannot make %s: %s", folder,
                         strerrordesc_np(number));
    }
    b->game_count = (size_t)b->policy_count * b->round_count;
    b->games = calloc(b->game_count, sizeof(*b->games));
    if (!b->games) {
        return D7_ERR_NOMEM;
    }
    for (size_t i = 0; i < b->game_count; i++) {
        struct bench_game *g = &b->games[i];
        g->policy = (unsigned)(i / b->round_count);
        g->round = (unsigned)(i % b->round_count);
        if (resume && load_finished(b, g)) {
            g->state = BENCH_DONE;
            b->done++;
        }
    }
    return D7_OK;
}

static bool keep_going(void *ctx, uint32_t moves_played)
{
    (void)moves_played;
    const struct bench *b = ctx;
    return !atomic_load(b->stop);
}

static enum d7_err open_peer(const struct bench *b, const struct bench_policy *policy,
                             struct peer **ret)
{
    if (policy->info) {
        return peer_builtin_new(policy->info, 1, ret);
    }
    const struct child_spec spec = {.argv = policy->argv, .envp = command_environment()};
    return peer_child_new(&spec, &b->limits, ret);
}

static void facts_of(const struct bench_policy *policy, const struct played *p,
                     struct replay_facts *ret)
{
    *ret = (struct replay_facts){.outcome = p->outcome,
                                 .illegal_moves = p->illegal_moves,
                                 .timeouts = p->timeouts,
                                 .crashes = p->crashes,
                                 .nondeterministic = p->nondeterministic,
                                 .elapsed_ms = p->elapsed_ms,
                                 .times = p->times,
                                 .summary = p->summary};
    memcpy(ret->policy_id, policy->id, sizeof(ret->policy_id));
    (void)snprintf(ret->reason, sizeof(ret->reason), "%s", p->reason);
}

static enum d7_err save(const struct bench *b, const struct bench_game *g,
                        const struct played *played)
{
    char path[4096];
    struct buf text;
    buf_init(&text, REPLAY_FILE_MAX);
    struct jout j;
    jout_init(&j, &text);
    enum d7_err err = replayfile_write(&j, &g->facts, b->rounds[g->round], played,
                                       b->policies[g->policy].fingerprint);
    buf_char(&text, '\n');
    if (!err) {
        err = bench_replay_path(b, g, path, sizeof(path));
    }
    if (!err) {
        err = text.err ? text.err : file_write(path, buf_span(&text), 0644);
    }
    buf_release(&text);
    return err;
}

static enum d7_err play_one(struct bench *b, struct bench_game *g)
{
    const struct bench_policy *policy = &b->policies[g->policy];
    const struct harness_watch watch = {keep_going, b};
    struct peer *peer = NULL;
    struct played played = {0};
    enum d7_err err = open_peer(b, policy, &peer);
    if (!err) {
        err = harness_play(peer, &b->rounds[g->round]->round, &b->limits, &watch, &played);
    }
    if (!err) {
        facts_of(policy, &played, &g->facts);
        err = save(b, g, &played);
        played_release(&played);
    }
    peer_free(peer);
    return err;
}

static void note_trouble(struct bench *b, const struct bench_game *g, enum d7_err err)
{
    if (!b->trouble[0] && err != D7_ERR_CANCELLED) {
        (void)snprintf(b->trouble, sizeof(b->trouble), "%s on %s: %s", b->policies[g->policy].id,
                       b->rounds[g->round]->id, d7_err_text(err));
    }
}

static void *work(void *ctx)
{
    struct bench *b = ctx;
    for (;;) {
        pthread_mutex_lock(&b->lock);
        while (b->next < b->game_count && b->games[b->next].state == BENCH_DONE) {
            b->next++;
        }
        struct bench_game *g =
            b->next < b->game_count && !atomic_load(b->stop) ? &b->games[b->next++] : NULL;
        pthread_mutex_unlock(&b->lock);
        if (!g) {
            return NULL;
        }
        enum d7_err err = play_one(b, g);
        pthread_mutex_lock(&b->lock);
        g->state = err ? BENCH_FAILED : BENCH_DONE;
        b->done += !err;
        b->moves += err ? 0 : g->facts.summary.moves;
        if (err) {
            note_trouble(b, g, err);
        }
        pthread_mutex_unlock(&b->lock);
    }
}

static void progress(struct bench *b, int64_t started, size_t before, bool tty)
{
    pthread_mutex_lock(&b->lock);
    size_t done = b->done;
    uint64_t moves = b->moves;
    pthread_mutex_unlock(&b->lock);
    double seconds = (double)(clock_mono_ms() - started) / 1000.0;
    double rate = seconds > 0 ? (double)moves / seconds : 0;
    size_t fresh = done - before;
    int64_t eta = fresh ? (int64_t)(seconds / (double)fresh * (double)(b->game_count - done)) : 0;
    (void)fprintf(stderr, "%s%zu/%zu games, %.0f moves/s, ETA %" PRId64 " s%s",
                  tty ? "\r\x1b[K" : "", done, b->game_count, rate, eta, tty ? "" : "\n");
}

/* before: games that were done when the threads began. */
static void wait_for(struct bench *b, const pthread_t *threads, unsigned count, size_t before)
{
    bool tty = isatty(STDERR_FILENO) == 1;
    int64_t started = clock_mono_ms();
    int64_t shown = started;
    for (unsigned i = 0; i < count;) {
        struct timespec until;
        D7_CHECK(clock_gettime(CLOCK_REALTIME, &until) == 0);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_timedjoin_np(threads[i], NULL, &until) == 0) {
            i++;
        }
        if (clock_mono_ms() - shown >= (tty ? 500 : 10000)) {
            shown = clock_mono_ms();
            progress(b, started, before, tty);
        }
    }
    progress(b, started, before, tty);
    if (tty) {
        (void)fputc('\n', stderr);
    }
}

enum d7_err bench_run(struct bench *b, struct d7_why *why)
{
    pthread_t threads[64];
    unsigned count = 0;
    size_t before = b->done;
    D7_CHECK(b->jobs >= 1 && b->jobs <= D7_COUNT(threads));
    D7_CHECK(pthread_mutex_init(&b->lock, NULL) == 0);
    while (count < b->jobs && pthread_create(&threads[count], NULL, work, b) == 0) {
        count++;
    }
    if (count == 0) {
        (void)pthread_mutex_destroy(&b->lock);
        return d7_refuse(why, D7_ERR_NOMEM, NULL, "cannot start a thread");
    }
    wait_for(b, threads, count, before);
    (void)pthread_mutex_destroy(&b->lock);
    if (atomic_load(b->stop)) {
        return D7_ERR_CANCELLED;
    }
    if (b->trouble[0]) {
        return d7_refuse(why, D7_ERR_INTERNAL, NULL, "%s", b->trouble);
    }
    return D7_OK;
}

void bench_release(struct bench *b)
{
    for (unsigned i = 0; i < b->round_count; i++) {
        roundfile_free(b->rounds[i]);
    }
    free(b->games);
}
