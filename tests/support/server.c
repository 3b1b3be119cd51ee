#include "tests/support/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "tests/support/command.h"

#define ARGV_MAX 48

/* --- the server ---------------------------------------------------------------------------------
 */

static void *drain(void *ctx)
{
    struct test_server *s = ctx;
    char chunk[4096];
    for (;;) {
        ssize_t got = read(s->stderr_fd, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        (void)pthread_mutex_lock(&s->lock);
        if (got <= 0) {
            s->log_ended = true;
        } else {
            if (s->log_len + (size_t)got + 1 > s->log_cap) {
                s->log_cap = 2 * (s->log_len + (size_t)got + 1);
                s->log = realloc(s->log, s->log_cap);
                D7_CHECK(s->log);
            }
            memcpy(s->log + s->log_len, chunk, (size_t)got);
            s->log_len += (size_t)got;
            s->log[s->log_len] = '\0';
        }
        (void)pthread_cond_broadcast(&s->grown);
        (void)pthread_mutex_unlock(&s->lock);
        if (got <= 0) {
            return NULL;
        }
    }
}

/* text NULL: waits for the end of the log. */
static bool wait_log(struct test_server *s, const char *text, int64_t wait_ms)
{
    struct timespec until;
    wait_ms = support_patience(wait_ms);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += (wait_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    bool found = false;
    (void)pthread_mutex_lock(&s->lock);
    for (int err = 0; err == 0;) {
        found = text ? s->log && strstr(s->log, text) : s->log_ended;
        if (found || s->log_ended) {
            break;
        }
        err = pthread_cond_timedwait(&s->grown, &s->lock, &until);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return found;
}

bool server_wait_log(struct test_server *s, const char *text, int64_t wait_ms)
{
    return wait_log(s, text, wait_ms);
}

bool server_wait_silence(struct test_server *s, int64_t wait_ms)
{
    return wait_log(s, NULL, wait_ms);
}

/* What follows "listening on " on its line; false until that line has its end. */
static bool listening_line(struct test_server *s, char *to, size_t size)
{
    static const char mark[] = "listening on ";
    (void)pthread_mutex_lock(&s->lock);
    const char *at = s->log ? strstr(s->log, mark) : NULL;
    const char *end = at ? strchr(at, '\n') : NULL;
    bool found = end != NULL;
    if (found) {
        at += sizeof(mark) - 1;
        found = span_copy(span_make(at, (size_t)(end - at)), to, size) == D7_OK;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return found;
}

static void find_port(struct test_server *s)
{
    char text[200] = "";
    for (int turn = 0; turn < 100 && !listening_line(s, text, sizeof(text)); turn++) {
        (void)poll(NULL, 0, 10);
    }
    struct span line = span_of(text);
    int64_t port = 0;
    while (line.len && (line.ptr[line.len - 1] < '0' || line.ptr[line.len - 1] > '9')) {
        line.len--;
    }
    size_t digits = 0;
    while (digits < line.len && line.ptr[line.len - 1 - digits] >= '0' &&
           line.ptr[line.len - 1 - digits] <= '9') {
        digits++;
    }
    assert_int_equal(
        span_parse_i64(span_make(line.ptr + line.len - digits, digits), 1, 65535, &port), D7_OK);
    s->port = (unsigned)port;
}

static void end_drain(struct test_server *s)
{
    if (s->draining) {
        (void)pthread_join(s->drain, NULL);
        (void)close(s->stderr_fd);
        (void)pthread_mutex_destroy(&s->lock);
        (void)pthread_cond_destroy(&s->grown);
        s->draining = false;
    }
    free(s->log);
    s->log = NULL;
    s->log_len = s->log_cap = 0;
    s->log_ended = false;
}

void server_run(struct test_server *s, const char *const *extra)
{
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s",
                   s->program ? s->program : support_program("drop7d"));
    const char *argv[ARGV_MAX] = {program, "serve", "--listen", "127.0.0.1:0", "--data", s->data};
    size_t count = 6;
    for (size_t i = 0; extra && extra[i]; i++) {
        assert_true(count + 1 < ARGV_MAX);
        argv[count++] = extra[i];
    }
    end_drain(s);
    int pipes[2];
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    s->stderr_fd = pipes[0];
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->grown, NULL);
    assert_int_equal(pthread_create(&s->drain, NULL, drain, s), 0);
    s->draining = true;
    s->pid = process_spawn(argv, pipes[1]);
    (void)close(pipes[1]);
    if (!wait_log(s, "listening on ", 20000)) {
        (void)pthread_mutex_lock(&s->lock);
        fail_msg("the server does not listen; it said: %s", s->log ? s->log : "nothing");
    }
    find_port(s);
}

void server_start(struct test_server *s, const char *const *extra)
{
    server_start_as(s, NULL, extra);
}

void server_start_as(struct test_server *s, const char *program, const char *const *extra)
{
    memset(s, 0, sizeof(*s));
    s->program = program;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(s->data, sizeof(s->data), "%s/drop7d-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(s->data));
    server_run(s, extra);
}

static int stop_by(struct test_server *s, int signal_number, int64_t wait_ms)
{
    int status = 0;
    assert_true(s->pid > 0);
    assert_int_equal(kill(s->pid, signal_number), 0);
    if (!process_wait(s->pid, wait_ms, &status)) {
        (void)kill(s->pid, SIGKILL);
        (void)waitpid(s->pid, &status, 0);
        s->pid = 0;
        fail_msg("the server did not end within %lld ms", (long long)wait_ms);
    }
    s->pid = 0;
    return process_exit_code(status);
}

int server_stop(struct test_server *s)
{
    return stop_by(s, SIGTERM, 15000);
}

void server_kill(struct test_server *s)
{
    (void)stop_by(s, SIGKILL, 5000);
}

size_t server_workers(const struct test_server *s, pid_t *ret_pids, size_t max)
{
    pid_t keeper = 0;
    return process_children(s->pid, &keeper, 1) ? process_children(keeper, ret_pids, max) : 0;
}

void server_remove(struct test_server *s)
{
    if (s->pid > 0) {
        int status = 0;
        if (process_wait(s->pid, 0, &status)) {
            s->pid = 0;
            (void)wait_log(s, NULL, 2000);
            (void)pthread_mutex_lock(&s->lock);
            /* not print_message, which cuts */
            (void)fprintf(stderr, "the server ended by itself (%d); it said:\n%s\n",
                          process_exit_code(status), s->log ? s->log : "");
            (void)pthread_mutex_unlock(&s->lock);
        }
        if (s->pid > 0) {
            (void)kill(s->pid, SIGTERM);
        }
        if (s->pid > 0 && !process_wait(s->pid, 15000, &status)) {
            (void)kill(s->pid, SIGKILL);
            (void)waitpid(s->pid, &status, 0);
        }
        s->pid = 0;
    }
    end_drain(s);
    if (s->data[0]) {
        support_remove(s->data);
        s->data[0] = '\0';
    }
}

const char *server_token(struct test_server *s, const char *name, bool admin)
{
    static char secret[68];
    char program[PATH_MAX];
    (void)snprintf(program, sizeof(program), "%s", support_program("drop7d"));
    const char *argv[] = {program, "token", "create", name, "--data", s->data, NULL, NULL};
    if (admin) {
        argv[6] = "--admin";
    }
    char *text = NULL;
    int code = command_text(argv, &text);
    const char *at = text ? strstr(text, "d7_") : NULL;
    if (code != 0 || !at || strlen(at) < 67) {
        fail_msg("token create: exit %d, %s", code, text);
        return "";
    }
    (void)snprintf(secret, sizeof(secret), "%.67s", at);
    free(text);
    return secret;
}
