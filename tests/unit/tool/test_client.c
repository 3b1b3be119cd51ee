/* The client of drop7 submit, status and leaderboard against a server that says what a case wants:
 * event streams cut anywhere, connections lost, answers of other servers. */
#include "tests/support/command.h"

#include <arpa/inet.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "engine/base/fdio.h"
#include "engine/base/json.h"
#include "engine/tool/events_in.h"

/* --- event streams ---------------------------------------------------------------------------- */

struct heard {
    char text[512]; /* NAME=DATA; */
    size_t len;
    unsigned stop_after;
    unsigned count;
};

static bool hear(void *ctx, const char *name, struct span data)
{
    struct heard *h = ctx;
    h->len += (size_t)snprintf(h->text + h->len, sizeof(h->text) - h->len, "%s=%.*s;", name,
                               (int)data.len, data.ptr ? data.ptr : "");
    return ++h->count != h->stop_after;
}

static const char stream_text[] =
    ": heartbeat\n\nretry: 1500\n\nid: 1\nevent: game\ndata: {\"a\":1}\n"
    "\r\nid:2\r\ndata: one\r\ndata:  two\r\n\r\nevent: empty\n\n"
    "data\rid: 3\r\runknown: x\nid: 4\nevent: end\ndata: cut";

static void events_are_the_same_wherever_the_stream_is_cut(void **state)
{
    (void)state;
    for (size_t cut = 1; cut < sizeof(stream_text); cut++) {
        struct events_in in;
        struct heard h = {.len = 0};
        bool stopped = false;
        events_in_init(&in);
        for (size_t at = 0; at < sizeof(stream_text) - 1; at += cut) {
            size_t left = sizeof(stream_text) - 1 - at;
            struct span part = span_make(stream_text + at, left < cut ? left : cut);
            assert_int_equal(events_in_feed(&in, part, hear, &h, &stopped), D7_OK);
            assert_false(stopped);
        }
        assert_string_equal(h.text, "game={\"a\":1};message=one\n two;message=;");
        assert_int_equal(in.retry_ms, 1500);
        assert_string_equal(in.last_id, "3"); /* the event of 4 is not whole */
        events_in_restart(&in);
        static const char rest[] = "data: x\n\n";
        assert_int_equal(events_in_feed(&in, span_of(rest), hear, &h, &stopped), D7_OK);
        assert_string_equal(in.last_id, "3");
        assert_non_null(strstr(h.text, "message=x;"));
        events_in_release(&in);
    }
}

static void events_end_where_the_reader_wants_no_more(void **state)
{
    (void)state;
    struct events_in in;
    struct heard h = {.stop_after = 1};
    bool stopped = false;
    events_in_init(&in);
    assert_int_equal(events_in_feed(&in, span_of(stream_text), hear, &h, &stopped), D7_OK);
    assert_true(stopped);
    assert_string_equal(h.text, "game={\"a\":1};");
    events_in_release(&in);
}

static void endless_line_of_a_stream_is_an_error(void **state)
{
    (void)state;
    static char line[EVENTS_IN_MAX + 8];
    struct events_in in;
    struct heard h = {.len = 0};
    bool stopped = false;
    memset(line, 'x', sizeof(line) - 1);
    events_in_init(&in);
    assert_int_equal(events_in_feed(&in, span_of(line), hear, &h, &stopped), D7_ERR_TOO_LARGE);
    events_in_release(&in);
}

/* --- a server with a script ------------------------------------------------------------------- */

#define REQUESTS_MAX 12

struct script {
    const char *const *answers; /* whole ones, NULL-terminated; the connection closes after each */
    int listener;
    unsigned port;
    pthread_t thread;
    char requests[REQUESTS_MAX][4096]; /* as they came, up to the end of the head or body */
    size_t count;
};

static struct script script;
static char drop7[PATH_MAX];
static char address[64];

/* The head, and the body as Content-Length has it. */
static void read_request(int fd, char *to, size_t size)
{
    size_t len = 0;
    size_t want = size - 1;
    while (len < want) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        ssize_t got = poll(&ready, 1, 10000) == 1 ? read(fd, to + len, size - 1 - len) : 0;
        if (got <= 0) {
            break;
        }
        len += (size_t)got;
        to[len] = '\0';
        const char *end = strstr(to, "\r\n\r\n");
        const char *body = strstr(to, "Content-Length: ");
        if (end) {
            struct span text = body ? span_make(body + 16, strcspn(body + 16, "\r")) : span_of("0");
            int64_t bytes = 0;
            (void)!span_parse_i64(text, 0, (int64_t)size, &bytes);
            want = (size_t)(end - to) + 4 + (size_t)bytes;
        }
    }
    to[len] = '\0';
}

static void *serve(void *ctx)
{
    struct script *s = ctx;
    for (; s->answers[s->count] && s->count < REQUESTS_MAX; s->count++) {
        struct pollfd ready = {.fd = s->listener, .events = POLLIN};
        int fd = poll(&ready, 1, 20000) == 1 ? accept4(s->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0) {
            break;
        }
        read_request(fd, s->requests[s->count], sizeof(s->requests[0]));
        (void)!fd_write_all(fd, s->answers[s->count], strlen(s->answers[s->count]));
        (void)shutdown(fd, SHUT_WR);
        char rest[64];
        while (read(fd, rest, sizeof(rest)) > 0) {
        }
        (void)close(fd);
    }
    return NULL;
}

static void listen_here(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    script.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(script.listener >= 0);
    assert_int_equal(bind(script.listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(script.listener, 8), 0);
    assert_int_equal(getsockname(script.listener, (struct sockaddr *)&at, &len), 0);
    script.port = ntohs(at.sin_port);
    (void)snprintf(address, sizeof(address), "http://127.0.0.1:%u", script.port);
}

/* Runs `drop7 WORDS --server THIS`; every answer must have been asked for. */
static void run(const char *const *answers, const char *const *words, struct command_result *ret)
{
    const char *argv[24] = {drop7};
    size_t count = 1;
    memset(&script, 0, sizeof(script));
    script.answers = answers;
    listen_here();
    for (size_t i = 0; words[i]; i++) {
        argv[count++] = words[i];
    }
    argv[count++] = "--server";
    argv[count++] = address;
    assert_true(count < D7_COUNT(argv));
    assert_int_equal(pthread_create(&script.thread, NULL, serve, &script), 0);
    command_run(argv, NULL, ret);
    (void)shutdown(script.listener, SHUT_RDWR);
    (void)pthread_join(script.thread, NULL);
    (void)close(script.listener);
    if (answers[script.count]) {
        fail_msg("asked %zu times only; said: %s%s", script.count, ret->out, ret->err);
    }
}

static void assert_requested(size_t at, const char *text)
{
    if (!strstr(script.requests[at], text)) {
        fail_msg("request %zu lacks '%s': %s", at, text, script.requests[at]);
    }
}

static void assert_says(const char *where, const char *text)
{
    if (!strstr(where, text)) {
        fail_msg("'%s' is not in: %s", text, where);
    }
}

#define HEAD(status) "HTTP/1.1 " status "\r\nConnection: close\r\n"
#define JSON(status) HEAD(status) "Content-Type: application/json\r\n\r\n"
#define STREAM       HEAD("200 OK") "Content-Type: text/event-stream\r\n\r\nretry: 10\n\n"
#define NONE         JSON("404 Not Found") "{\"code\":\"not-found\",\"detail\":\"no such thing\"}"
#define GAME(n)                                                                                    \
    "{\"id\":\"G" n "\",\"roundId\":\"gauntlet-0" n "\",\"score\":10" n                            \
    ",\"moves\":5,\"outcome\":\"over\"}"
#define GAME_EVENT(n) "id: " n "\nevent: game\ndata: " GAME(n) "\n\n"
#define DONE                                                                                       \
    JSON("200 OK")                                                                                 \
    "{\"id\":\"R1\",\"policyId\":\"p\",\"status\":\"done\",\"progress\":{\"games\":2,\"done\":2,"  \
    "\"playing\":0,\"moves\":10},\"games\":[" GAME("1") "," GAME("2") "]}"

static const char *const follow_words[] = {"status", "R1", "--follow", NULL};

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

static void lost_stream_is_taken_up_after_the_last_whole_event(void **state)
{
    (void)state;
    struct command_result r;
    const char *const answers[] = {NONE,
                                   STREAM GAME_EVENT("1") "id: 2\nevent: game\ndata: {\"id\":\"G2",
                                   STREAM GAME_EVENT("2") "event: end\ndata: {\"status\":"
                                                          "\"playing\",\"reason\":\"stops\"}\n\n",
                                   STREAM "id: 2\nevent: end\ndata: {\"status\":\"done\"}\n\n",
                                   DONE,
                                   NULL};
    run(answers, follow_words, &r);
    assert_int_equal(r.status, 0);
    assert_requested(1, "GET /api/v1/runs/R1/events ");
    assert_null(strstr(script.requests[1], "Last-Event-ID"));
    assert_requested(2, "Last-Event-ID: 1\r\n");
    assert_requested(3, "Last-Event-ID: 2\r\n");
    assert_int_equal(count_of(r.err, "gauntlet-01"), 1);
    assert_int_equal(count_of(r.err, "gauntlet-02"), 1);
    assert_says(r.out, "101.5"); /* the mean of 101 and 102 */
    command_release(&r);
}

static void run_is_polled_where_there_are_no_events(void **state)
{
    (void)state;
    struct command_result r;
    const char *const answers[] = {
        NONE,
        JSON("405 Method Not Allowed") "{}",
        JSON(
            "200 OK") "{\"id\":\"R1\",\"status\":\"playing\",\"progress\":{\"games\":2,\"done\":1},"
                      "\"games\":[" GAME("2") "]}",
        DONE,
        DONE,
        NULL};
    run(answers, follow_words, &r);
    assert_int_equal(r.status, 0);
    assert_requested(2, "GET /api/v1/runs/R1 ");
    assert_says(r.err, "[1/2] gauntlet-02");
    assert_says(r.err, "[2/2] gauntlet-01");
    assert_int_equal(count_of(r.err, "gauntlet-"), 2);
    command_release(&r);
}

static void busy_server_is_asked_again(void **state)
{
    (void)state;
    struct command_result r;
    const char *const answers[] = {
        NONE, HEAD("503 Service Unavailable") "Retry-After: 1\r\n\r\n{}",
        STREAM "id: 0\nevent: end\ndata: {\"status\":\"stopped\"}\n\n",
        JSON("200 OK") "{\"id\":\"R1\",\"status\":\"stopped\",\"reason\":\"three crashes\"}", NULL};
    run(answers, follow_words, &r);
    assert_int_equal(r.status, 1);
    assert_says(r.err, "answers 503");
    assert_says(r.err, "the run is stopped");
    assert_says(r.out, "three crashes");
    command_release(&r);
}

static void redirection_is_not_followed(void **state)
{
    (void)state;
    struct command_result r;
    const char *const answers[] = {
        HEAD("302 Found") "Location: /api/v1/elsewhere\r\nContent-Length: 0\r\n\r\n", NULL};
    const char *const words[] = {"leaderboard", "--token", "secret-of-mine", NULL};
    run(answers, words, &r);
    assert_int_equal(r.status, 1);
    assert_requested(0, "Authorization: Bearer secret-of-mine\r\n");
    assert_says(r.err, "302: the server is somewhere else");
    assert_null(strstr(r.err, "secret"));
    command_release(&r);
}

static void other_servers_answers_are_one_harmless_line(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        const char *says;
    } rows[] = {
        {HEAD("200 OK") "\r\n<html>", "200: not the answer of a drop7d server"},
        {JSON("500 Oops") "[1,2]", "500: not the answer of a drop7d server"},
        {JSON("400 Bad") "{\"code\":\"a\\u001b[2Jb\",\"detail\":\"x\\ny\"}", "a\\x1b[2Jb: x\\x0ay"},
        {"SSH-2.0-OpenSSH\r\n", "no answer from http://127.0.0.1:"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "no answer from http://127.0.0.1:"},
    };
    const char *const words[] = {"leaderboard", NULL};
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct command_result r;
        const char *const answers[] = {rows[i].answer, NULL};
        run(answers, words, &r);
        assert_int_equal(r.status, 1);
        assert_says(r.err, rows[i].says);
        assert_int_equal(count_of(r.err, "\n"), 1);
        assert_string_equal(r.out, "");
        command_release(&r);
    }
}

static void revision_goes_to_its_policy_with_the_program_alone(void **state)
{
    (void)state;
    struct command_result r;
    const char *const answers[] = {
        JSON("201 Created") "{\"id\":\"mine\",\"status\":\"ready\",\"latestRunId\":\"R1\"}", NULL};
    const char *const words[] = {
        "submit", "--revision", "--id",    "mine", "--endpoint", "tcp://192.0.2.1:7001",
        "--json", "--no-wait",  "--token", "t",    NULL};
    run(answers, words, &r);
    assert_int_equal(r.status, 0);
    assert_requested(0, "POST /api/v1/policies/mine/revisions ");
    assert_requested(0, "\r\n\r\n{\"endpoint\":\"tcp://192.0.2.1:7001\"}");
    struct jval *root = NULL;
    struct span text;
    assert_int_equal(jval_parse(span_of(r.out), &root, NULL), D7_OK);
    assert_true(jval_text(jval_get(jval_get(root, "policy"), "latestRunId"), &text));
    assert_true(span_is(text, "R1"));
    jval_free(root);
    command_release(&r);
}

static void uploads_say_nothing_of_the_file_but_its_bytes(void **state)
{
    (void)state;
    char file[PATH_MAX];
    struct command_result r;
    (void)snprintf(file, sizeof(file), "%s/private-name", support_scratch());
    assert_int_equal(file_write(file, span_of("#!/bin/sh\n"), 0644), D7_OK);
    const char *const answers[] = {JSON("201 Created") "{\"latestRunId\":\"R1\"}",
                                   STREAM "event: end\ndata: {\"status\":\"cancelled\"}\n\n",
                                   JSON("200 OK") "{\"id\":\"R1\",\"status\":\"cancelled\"}",
                                   JSON("200 OK") "{\"id\":\"p\",\"status\":\"ready\"}", NULL};
    const char *const words[] = {"submit",   "--id", "p-1",       "--name", "A \"name\"",
                                 "--family", "f",    "--token=t", file,     NULL};
    run(answers, words, &r);
    assert_int_equal(r.status, 1);
    assert_requested(0, "name=\"policy\"; filename=\"policy\"");
    assert_requested(0, "#!/bin/sh\n\r\n");
    assert_requested(0, "A \"name\"");
    assert_null(strstr(script.requests[0], "private"));
    assert_null(strstr(script.requests[0], "description"));
    assert_says(r.err, "the run is cancelled");
    command_release(&r);
}

static int setup(void **state)
{
    (void)state;
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    return setenv("no_proxy", "*", 1) || unsetenv("DROP7_TOKEN") || unsetenv("DROP7_SERVER");
}

static int teardown(void **state)
{
    (void)state;
    support_scratch_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_the_same_wherever_the_stream_is_cut),
        cmocka_unit_test(events_end_where_the_reader_wants_no_more),
        cmocka_unit_test(endless_line_of_a_stream_is_an_error),
        cmocka_unit_test(lost_stream_is_taken_up_after_the_last_whole_event),
        cmocka_unit_test(run_is_polled_where_there_are_no_events),
        cmocka_unit_test(busy_server_is_asked_again),
        cmocka_unit_test(redirection_is_not_followed),
        cmocka_unit_test(other_servers_answers_are_one_harmless_line),
        cmocka_unit_test(revision_goes_to_its_policy_with_the_program_alone),
        cmocka_unit_test(uploads_say_nothing_of_the_file_but_its_bytes),
    };
    return cmocka_run_group_tests_name("unit/tool/client", tests, setup, teardown);
}
