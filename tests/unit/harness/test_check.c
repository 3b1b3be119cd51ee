/* engine/harness: the registration check, connections that come and go, addresses. */
#include "tests/support/player.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>

#include "engine/base/clock.h"
#include "engine/harness/address.h"

static void check_names_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *name, *argument;
        enum check_result result;
        const char *reason;
    } rows[] = {
        {"good", NULL, CHECK_PASSED, ""},
        {"crlf", NULL, CHECK_PASSED, ""},
        {"silent", "handshake", CHECK_NO_HANDSHAKE, "no d7pok within 300 ms"},
        {"silent", "ready", CHECK_NO_HANDSHAKE, "no readyok within 300 ms"},
        {"silent", "go", CHECK_PASSED, ""}, /* judged in its games */
        {"illegal", "9", CHECK_PASSED, ""},
        {"endless_line", "d7p", CHECK_CRASHED, "a line of more than 4096 bytes"},
        {"exits_at_start", NULL, CHECK_CRASHED, NULL},
        {"crash_at_move", "1", CHECK_PASSED, ""},
    };
    struct harness_limits limits = player_limits();
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        bool waits = rows[i].argument && strcmp(rows[i].name, "silent") == 0;
        limits.handshake_ms = waits ? 300 : 10000;
        limits.ready_ms = limits.handshake_ms;
        limits.move_ms = limits.handshake_ms;
        for (enum player_way way = 0; way < PLAYER_WAYS; way++) {
            struct player pl;
            struct check c;
            player_start(&pl, way, NULL, &limits, rows[i].name, rows[i].argument, NULL);
            assert_int_equal(harness_check(pl.peer, &limits, NULL, &c), D7_OK);
            assert_int_equal(c.result, rows[i].result);
            if (rows[i].reason) {
                assert_string_equal(c.reason, rows[i].reason);
            } else {
                assert_non_null(
                    strstr(c.reason, way == PLAYER_TCP ? "closed the connection" : "the program"));
            }
            player_stop(&pl);
        }
    }
}

static void check_hears_who_it_is(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct player pl;
    struct check c;
    player_start(&pl, PLAYER_PIPE, NULL, &limits, "crlf", NULL, NULL);
    assert_int_equal(harness_check(pl.peer, &limits, NULL, &c), D7_OK);
    assert_string_equal(c.identity.name, "Carriage  Return");
    assert_false(c.identity.public_information);
    player_stop(&pl);
}

static void check_refuses_what_cannot_be_started(void **state)
{
    (void)state;
    static const char *const argv[] = {"/nonexistent", NULL};
    struct harness_limits limits = player_limits();
    struct child_spec spec = {.argv = argv};
    struct peer *peer = NULL;
    struct check c;
    assert_int_equal(peer_child_new(&spec, &limits, &peer), D7_OK);
    assert_int_equal(harness_check(peer, &limits, NULL, &c), D7_OK);
    assert_int_equal(c.result, CHECK_NO_START);
    assert_string_equal(c.reason, "the program cannot be started: No such file or directory");
    peer_free(peer);
}

/* Binds a free loopback port (0) or that one; listens when asked. */
static int open_port(struct sockaddr_in *at, bool listens)
{
    int on = 1;
    socklen_t len = sizeof(*at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    at->sin_family = AF_INET;
    at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)at, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &len), 0);
    assert_int_equal(listens ? listen(fd, 4) : 0, 0);
    return fd;
}

static void dead_endpoint_is_refused_at_once(void **state)
{
    (void)state;
    struct harness_limits limits = player_limits();
    struct sockaddr_in at = {.sin_port = 0};
    int fd = open_port(&at, false); /* taken, so nobody else answers there */
    struct tcp_spec spec = {.address = &at, .address_len = sizeof(at)};
    struct roundfile *r = player_round(3);
    struct peer *peer = NULL;
    struct check c;
    struct played p;
    int64_t from = clock_mono_ms();
    assert_int_equal(peer_tcp_new(&spec, &limits, &peer), D7_OK);
    assert_int_equal(harness_check(peer, &limits, NULL, &c), D7_OK);
    assert_int_equal(c.result, CHECK_NO_START);
    assert_string_equal(c.reason, "cannot connect to the endpoint: Connection refused");
    assert_int_equal(harness_play(peer, &r->round, &limits, NULL, &p), D7_OK);
    assert_int_equal(p.outcome, OUTCOME_FORFEIT);
    assert_counts(&p, 0, 0, 3);
    assert_true(clock_mono_ms() - from < limits.connect_ms);
    played_release(&p);
    peer_free(peer);
    (void)close(fd);
    roundfile_free(r);
}

/* An endpoint that accepts and hangs up after one answer, is away for a while, and comes back. */
struct restarting {
    struct sockaddr_in at;
    int fd;
    unsigned first_life; /* 1: it is away at first */
};

static void *run_restarting(void *arg)
{
    struct restarting *s = arg;
    for (unsigned life = s->first_life; life < 2; life++) {
        static const char words[] = "d7pok\nreadyok\n";
        if (life > 0) {
            (void)poll(NULL, 0, 300); /* the time it is away is what is tested */
            s->fd = open_port(&s->at, true);
        }
        int fd = accept(s->fd, NULL, NULL);
        (void)close(s->fd);
        char chunk[256];
        unsigned asked = 0;
        for (ssize_t got = 1; got > 0 && asked < (life ? 100 : 1);) {
            got = read(fd, chunk, sizeof(chunk) - 1);
            chunk[got > 0 ? got : 0] = '\0';
            const char *say = strstr(chunk, "go\n")        ? "bestmove 3\n"
                              : strstr(chunk, "isready\n") ? words + 6
                              : strstr(chunk, "d7p\n")     ? "d7pok\n"
                                                           : "";
            asked += say[0] == 'b';
            (void)send(fd, say, strlen(say), MSG_NOSIGNAL);
        }
        (void)close(fd);
    }
    return NULL;
}

/* Three moves against it; has_stood: as a worker knows of an endpoint that has passed its check. */
static void play_restarting(struct restarting *s, bool has_stood, struct played *ret)
{
    struct harness_limits limits = player_limits();
    struct sockaddr_in at = s->at; /* s is the thread's from here on */
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_restarting, s), 0);
    struct tcp_spec spec = {.address = &at, .address_len = sizeof(at), .has_stood = has_stood};
    struct roundfile *r = player_round(3);
    struct peer *peer = NULL;
    assert_int_equal(peer_tcp_new(&spec, &limits, &peer), D7_OK);
    assert_int_equal(harness_play(peer, &r->round, &limits, NULL, ret), D7_OK);
    peer_free(peer);
    assert_int_equal(pthread_join(thread, NULL), 0);
    roundfile_free(r);
}

static void endpoint_that_restarts_in_mid_game_is_waited_for(void **state)
{
    (void)state;
    struct restarting s = {.fd = -1};
    struct played p;
    s.fd = open_port(&s.at, true);
    play_restarting(&s, false, &p);
    assert_columns(&p, "333");
    assert_counts(&p, 0, 0, 1);
    assert_int_equal(p.outcome, OUTCOME_CENSORED);
    played_release(&p);
}

/* Or each game that waits would be forfeited within a millisecond, and the run with them. */
static void endpoint_that_restarts_between_games_is_waited_for(void **state)
{
    (void)state;
    struct restarting s = {.fd = -1, .first_life = 1};
    struct played p;
    (void)close(open_port(&s.at, false));
    play_restarting(&s, true, &p);
    assert_columns(&p, "333");
    assert_counts(&p, 0, 0, 0);
    assert_int_equal(p.outcome, OUTCOME_CENSORED);
    played_release(&p);
}

static void addresses_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
        uint16_t port;
        bool literal;
    } good[] = {
        {"tcp://example.org:7007", "example.org", 7007, false},
        {"tcp://a-b.c_d.x1:1", "a-b.c_d.x1", 1, false},
        {"tcp://192.0.2.1:65535", "192.0.2.1", 65535, true},
        {"tcp://[2001:db8::1]:80", "2001:db8::1", 80, true},
    };
    static const char *const bad[] = {
        "",
        "example.org:7007",
        "http://example.org:80",
        "tcp://",
        "tcp://:80",
        "tcp://example.org",
        "tcp://example.org:",
        "tcp://example.org:0",
        "tcp://example.org:65536",
        "tcp://example.org:080",
        "tcp://example.org:80/",
        "tcp://example.org:80 ",
        "tcp://user@example.org:80",
        "tcp://example..org:80",
        "tcp://-a.org:80",
        "tcp://a-.org:80",
        "tcp://example.org.:80",
        "tcp://127.1:80",
        "tcp://2130706433:80",
        "tcp://0x7f000001:80",
        "tcp://256.1.1.1:80",
        "tcp://2001:db8::1:80",
        "tcp://[2001:db8::1]",
        "tcp://[2001:db8::1]80",
        "tcp://[::1%lo]:80",
        "tcp://[1.2.3.4]:80",
        "tcp://ex\tample:80",
        "tcp://[",
    };
    for (size_t i = 0; i < D7_COUNT(good); i++) {
        struct host_port got;
        assert_int_equal(host_port_parse_endpoint(span_of(good[i].text), &got, NULL), D7_OK);
        assert_string_equal(got.host, good[i].host);
        assert_int_equal(got.port, good[i].port);
        assert_int_equal(got.is_literal, good[i].literal);
    }
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        struct host_port got = {.port = 1};
        struct d7_why why = {.text = ""};
        if (host_port_parse_endpoint(span_of(bad[i]), &got, &why) != D7_ERR_INVALID) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_true(why.text[0] != '\0');
        assert_int_equal(got.port, 1);
    }
    struct host_port any;
    assert_int_equal(host_port_parse(span_of("127.0.0.1:0"), 0, &any, NULL), D7_OK);
    char name[254];
    char text[300];
    memset(name, 'a', sizeof(name) - 1);
    for (size_t i = 50; i < 253; i += 51) {
        name[i] = '.';
    }
    name[253] = '\0';
    (void)snprintf(text, sizeof(text), "%s:80", name);
    assert_int_equal(host_port_parse(span_of(text), 1, &any, NULL), D7_OK);
    (void)snprintf(text, sizeof(text), "%sa:80", name);
    assert_int_equal(host_port_parse(span_of(text), 1, &any, NULL), D7_ERR_INVALID);
}

static void literals_resolve_to_themselves(void **state)
{
    (void)state;
    static const char *const texts[] = {"192.0.2.1:80", "[2001:db8::1]:7007"};
    for (size_t i = 0; i < D7_COUNT(texts); i++) {
        struct host_port at;
        struct address_list list;
        char text[ADDRESS_TEXT_SIZE];
        assert_int_equal(host_port_parse(span_of(texts[i]), 1, &at, NULL), D7_OK);
        assert_int_equal(address_resolve(&at, &list, NULL), D7_OK);
        assert_int_equal(list.count, 1);
        address_format(&list.items[0], text);
        assert_string_equal(text, texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYER_CASE(check_names_what_is_wrong),
        PLAYER_CASE(check_hears_who_it_is),
        PLAYER_CASE(check_refuses_what_cannot_be_started),
        PLAYER_CASE(dead_endpoint_is_refused_at_once),
        PLAYER_CASE(endpoint_that_restarts_in_mid_game_is_waited_for),
        PLAYER_CASE(endpoint_that_restarts_between_games_is_waited_for),
        PLAYER_CASE(addresses_are_read_strictly),
        PLAYER_CASE(literals_resolve_to_themselves),
    };
    return cmocka_run_group_tests_name("unit/harness/check", tests, NULL, NULL);
}
