/* drop7 check: every correct engine passes, every broken one fails its step and no other. */
#include "tests/support/command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "engine/base/fdio.h"
#include "engine/base/json.h"
#include "engine/policy/registry.h"
#include "tests/support/player.h"
#include "tests/support/process.h"

#define SHORT_MS 30000 /* the longest any of these may take: what never comes is waited for 2 s */

static char drop7[PATH_MAX];

/* `drop7 check` with short limits: one of command and endpoint, one more word or NULL. */
static void check(struct command_result *ret, const char *how, const char *target, const char *word)
{
    const char *argv[] = {drop7,     "check", how,  target, "--move-timeout", "2", "--timeout", "2",
                          "--quick", "1",     word, NULL};
    command_run(argv, NULL, ret);
}

static void player_command(const char *player, char *to, size_t size)
{
    char name[200] = "tests/policies/";
    size_t folder = strlen(name);
    size_t len = strcspn(player, " ");
    assert_true(folder + len < sizeof(name));
    memcpy(name + folder, player, len);
    name[folder + len] = '\0';
    assert_true(snprintf(to, size, "'%s'%s", support_program(name), player + len) < (int)size);
}

/* Our orphans come back to us (see main): whatever the command left behind is still our child. One
 * that was killed may need a moment to be gone. */
static void assert_nothing_left(void)
{
    int64_t end = clock_mono_ms() + 5000;
    pid_t left = 0;
    while (left >= 0) {
        left = waitpid(-1, NULL, WNOHANG);
        if (left == 0) {
            assert_true(clock_mono_ms() < end); /* it runs on */
            (void)poll(NULL, 0, 5);
        }
    }
    assert_int_equal(errno, ECHILD);
}

static bool is_result(const struct jval *step, const char *result)
{
    struct span text = {0};
    assert_true(jval_text(jval_get(step, "result"), &text));
    return span_is(text, result);
}

/* The names of the steps with that result, each followed by a blank. */
static void list_results(const char *json, const char *result, char *to, size_t size)
{
    struct jval *all = NULL;
    assert_int_equal(jval_parse(span_of(json), &all, NULL), D7_OK);
    const struct jval *steps = jval_get(all, "steps");
    assert_true(jval_length(steps) >= 40);
    size_t len = 0;
    to[0] = '\0';
    for (size_t i = 0; i < jval_length(steps); i++) {
        const struct jval *step = jval_at(steps, i);
        struct span name = {0};
        assert_true(jval_text(jval_get(step, "name"), &name));
        if (is_result(step, result)) {
            assert_true(len + name.len + 2 < size);
            memcpy(to + len, name.ptr, name.len);
            len += name.len;
            to[len++] = ' ';
            to[len] = '\0';
        }
    }
    jval_free(all);
}

static void assert_results(const char *what, const struct command_result *r, const char *failed,
                           const char *noted)
{
    char fails[1024];
    char notes[1024];
    list_results(r->out, "fail", fails, sizeof(fails));
    list_results(r->out, "note", notes, sizeof(notes));
    if (strcmp(fails, failed) != 0 || strcmp(notes, noted) != 0) {
        fail_msg("%s: failed [%s], noted [%s]", what, fails, notes);
    }
    assert_int_equal(r->status, failed[0] ? 1 : 0);
}

static void assert_passes(const char *how, const char *target)
{
    struct command_result r;
    const char *argv[] = {drop7, "check", how, target, "--quick", "1", "--json", "--strict", NULL};
    command_run(argv, NULL, &r);
    assert_results(target, &r, "", "");
    command_release(&r);
    assert_nothing_left();
}

static void every_builtin_policy_passes(void **state)
{
    (void)state;
    size_t count = 0;
    const struct policy_info *all = policy_registry(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        if (all[i].slow && !getenv("D7_ALL_VECTORS")) {
            continue; /* minutes of search; the protocol side is the same code */
        }
        char command[PATH_MAX + 100];
        (void)snprintf(command, sizeof(command), "'%s' policy --policy %s", drop7, all[i].id);
        assert_passes("--command", command);
    }
}

static void builtin_policy_passes_over_tcp(void **state)
{
    (void)state;
    char at[100] = "";
    const char *argv[] = {drop7, "policy", "--policy", "greedy", "--listen", "127.0.0.1:0", NULL};
    pid_t pid = program_start(argv, at, sizeof(at));
    struct command_result r;
    const char *words[] = {drop7, "check", "--endpoint", at, "--quick", "1", "--json", NULL};
    command_run(words, NULL, &r);
    assert_results(at, &r, "", "");
    command_release(&r);
    program_end(pid);
    assert_nothing_left();
}

static void examples_in_c_and_python_pass(void **state)
{
    (void)state;
    char lowest[PATH_MAX];
    struct command_result r;
    (void)snprintf(lowest, sizeof(lowest), "%s/lowest", support_scratch());
    const char *argv[] = {"/usr/bin/gcc",           "-O2", "-static", "-o", lowest,
                          "docs/examples/lowest.c", NULL};
    command_run(argv, NULL, &r);
    assert_int_equal(r.status, 0);
    command_release(&r);
    assert_passes("--command", lowest);
    assert_passes("--command", "python3 docs/examples/match.py");
    support_scratch_remove();
}

static void example_in_javascript_passes(void **state)
{
    (void)state;
    if (access("/usr/bin/node", X_OK) != 0 && access("/usr/local/bin/node", X_OK) != 0) {
        support_skip("node is not installed");
        return;
    }
    assert_passes("--command", "docs/examples/mirror.js");
}

static void odd_but_correct_players_pass(void **state)
{
    (void)state;
    static const char *const players[] = {"good", "crlf", "stderr_flood", "one_fault", "slow 1"};
    for (size_t i = 0; i < D7_COUNT(players); i++) {
        char command[PATH_MAX];
        player_command(players[i], command, sizeof(command));
        assert_passes("--command", command);
    }
}

/* Each player is correct but for one thing. */
static const struct {
    const char *player;
    const char *step;
} broken[] = {
    {"exits_at_start", "handshake "},
    {"surroundings", "handshake "},
    {"never_reads", "handshake "},
    {"silent handshake", "handshake "},
    {"garbage ids", "identity output "}, /* wrong in two ways */
    {"one_fault bad-id", "identity "},
    {"one_fault two-names", "identity "},
    {"one_fault handshake-again", "handshake-again "},
    {"silent ready", "ready "},
    {"silent barrier", "ready-again "},
    {"one_fault chunk", "ready-again "},
    {"silent go", "first-move "},
    {"slow 2500", "first-move "},
    {"late_once 2500", "first-move "},
    {"late_once 2500 pieces", "first-move "},
    {"chatty slowly", "first-move "},
    {"chatty flood", "first-move "},
    {"chatty empty", "first-move "},
    {"endless_line", "first-move "},
    {"partial_line", "first-move "},
    {"partial_line ends", "first-move "},
    {"answers_then_exits", "first-move "},
    {"closes_pipes stdout", "first-move "},
    {"closes_pipes stdin", "first-move "},
    {"ignores_signals", "first-move "},
    {"grandchild", "first-move "},
    {"crash_at_move 1", "first-move "},
    {"illegal +3", "first-move "},
    {"illegal 03", "first-move "},
    {"illegal 3.0", "first-move "},
    {"illegal 7", "first-move "},
    {"illegal none", "first-move "},
    {"illegal", "first-move "},
    {"one_fault board", "board "},
    {"double_answer", "one-answer "},
    {"one_fault next", "next "},
    {"one_fault rise", "rise "},
    {"one_fault digits", "digits "},
    {"one_fault empty-board", "empty-board "},
    {"illegal 3", "full-column "},
    {"one_fault only-legal", "only-legal "},
    {"one_fault several-full", "several-full "},
    {"one_fault none", "none "},
    {"one_fault none-numbers", "none-numbers "},
    {"one_fault after-none", "after-none "},
    {"one_fault crlf", "crlf "},
    {"one_fault blank-lines", "blank-lines "},
    {"one_fault unknown", "unknown "},
    {"one_fault unknown-between", "unknown-between "},
    {"one_fault unknown-utf8", "unknown-utf8 "},
    {"one_fault long-line", "long-line "},
    {"one_fault last-position", "last-position "},
    {"one_fault ready-between", "ready-between "},
    {"one_fault split", "split-position "},
    {"one_fault late-stop", "late-stop "},
    {"crash_at_move 300", "quick-moves "},
    {"garbage", "output "},
    {"one_fault quit", "quit "},
    {"one_fault quit-quiet", "quit-quiet "},
    {"one_fault end-of-input", "end-of-input "},
    {"one_fault restart", "restart "},
    {"nondeterministic", "determinism "},
    {"history", "determinism "},
};

/* Mostly waiting for what never comes: several at a time. */
#define AT_ONCE 6

struct running {
    pid_t pid;
    int out;
};

static void start_check(const char *player, struct running *ret)
{
    char command[PATH_MAX];
    player_command(player, command, sizeof(command));
    const char *argv[] = {drop7,       "check", "--command", command, "--move-timeout", "2",
                          "--timeout", "2",     "--quick",   "1",     "--json",         NULL};
    ret->out = memfd_create("check", MFD_CLOEXEC);
    assert_true(ret->out >= 0);
    ret->pid = process_spawn(argv, ret->out);
}

static void finish_check(struct running *one, const char *player, const char *step)
{
    struct buf text;
    int status = 0;
    buf_init(&text, 1 << 20);
    assert_true(process_wait(one->pid, SHORT_MS, &status));
    assert_int_equal(lseek(one->out, 0, SEEK_SET), 0);
    assert_int_equal(fd_read_all(one->out, &text), D7_OK);
    struct command_result r = {.status = process_exit_code(status), .out = text.data};
    assert_results(player, &r, step, "");
    buf_release(&text);
    (void)close(one->out);
}

static void each_broken_player_fails_its_step_and_no_other(void **state)
{
    (void)state;
    for (size_t from = 0; from < D7_COUNT(broken); from += AT_ONCE) {
        struct running running[AT_ONCE];
        size_t count = D7_COUNT(broken) - from;
        count = count < AT_ONCE ? count : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            start_check(broken[from + i].player, &running[i]);
        }
        for (size_t i = 0; i < count; i++) {
            finish_check(&running[i], broken[from + i].player, broken[from + i].step);
        }
        assert_nothing_left();
    }
}

static void the_same_holds_over_tcp(void **state)
{
    (void)state;
    static const struct {
        const char *name, *a;
        const char *step;
    } players[] = {
        {"good", NULL, ""},
        {"crlf", NULL, ""},
        {"exits_at_start", NULL, "handshake "},
        {"silent", "go", "first-move "},
        {"answers_then_exits", NULL, "first-move "},
        {"illegal", "3", "full-column "},
        {"one_fault", "split", "split-position "},
        {"crash_at_move", "300", "quick-moves "},
        {"garbage", NULL, "output "},
        {"one_fault", "quit-quiet", "quit-quiet "},
        {"one_fault", "end-of-input", "end-of-input "},
        {"history", NULL, "determinism "},
    };
    struct harness_limits limits = player_limits();
    for (size_t i = 0; i < D7_COUNT(players); i++) {
        struct player pl;
        struct command_result r;
        char at[100];
        player_start(&pl, PLAYER_TCP, NULL, &limits, players[i].name, players[i].a, NULL);
        player_address(&pl, at, sizeof(at));
        check(&r, "--endpoint", at, "--json");
        player_stop(&pl);
        assert_results(players[i].name, &r, players[i].step, "");
        command_release(&r);
    }
}

static void what_no_harness_sends_is_a_note_unless_strict(void **state)
{
    (void)state;
    static const struct {
        const char *fault, *step;
    } names[] = {{"blanks", "blanks "},       {"bad-length", "bad-length "},
                 {"bad-board", "bad-board "}, {"bad-next", "bad-next "},
                 {"bad-next-8", "bad-next "}, {"bad-rise", "bad-rise "},
                 {"bad-rise-0", "bad-rise "}};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        char player[100];
        char command[PATH_MAX];
        const char *result = names[i].step;
        struct command_result r;
        (void)snprintf(player, sizeof(player), "one_fault %s", names[i].fault);
        player_command(player, command, sizeof(command));
        check(&r, "--command", command, "--json");
        assert_results(player, &r, "", result);
        command_release(&r);
        const char *argv[] = {drop7,     "check", "--command", command,    "--timeout", "2",
                              "--quick", "1",     "--json",    "--strict", NULL};
        command_run(argv, NULL, &r);
        assert_results(player, &r, result, "");
        command_release(&r);
    }
}

static void offending_line_is_shown_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *player;
        const char *shows;
    } cases[] = {
        {"illegal +3", "line: 'bestmove +3'"},
        {"illegal 3", "line: 'bestmove 3'"},
        {"illegal 3", "asked: 'position board "},
        {"garbage", "line: '\\xff\\xfe\\x00\\x80 bestmove\\x01'"},
        {"partial_line", "line: 'bestm'"},
        {"endless_line", "line: 'xxxx"},
        {"exits_at_start", "exit status 3 before its d7pok"},
        {"exits_at_start", "stderr: 'no model file'"},
        {"silent go", "no bestmove within 2000 ms"},
        {"silent go", "needs step 7 (first-move)"},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        char command[PATH_MAX];
        struct command_result r;
        player_command(cases[i].player, command, sizeof(command));
        check(&r, "--command", command, NULL);
        assert_int_equal(r.status, 1);
        if (!strstr(r.out, cases[i].shows)) {
            fail_msg("%s: '%s' is not in:\n%s", cases[i].player, cases[i].shows, r.out);
        }
        for (const char *at = r.out; *at; at++) {
            assert_true((*at >= ' ' && *at < 0x7f) || *at == '\n');
        }
        command_release(&r);
    }
}

static void bad_usage_is_one_line_and_status_2(void **state)
{
    (void)state;
    static const char *const cases[][7] = {
        {"check"},
        {"check", "--command", ""},
        {"check", "--command", "'open quote"},
        {"check", "--command", "/no/such/program"},
        {"check", "--command", "/etc"},
        {"check", "--command", "/etc/passwd"},
        {"check", "--command", "sh", "--endpoint", "127.0.0.1:1"},
        {"check", "--command", "sh", "--move-timeout", "0"},
        {"check", "--command", "sh", "--timeout", "1.5"},
        {"check", "--command", "sh", "--quick", "1000"},
        {"check", "--endpoint", "127.0.0.1"},
        {"check", "--endpoint", "127.0.0.1:0"},
        {"check", "--endpoint", "127.0.0.1:70000"},
        {"check", "--endpoint", "tcp://user@127.0.0.1:80"},
        {"check", "--wrong"},
        {"check", "--json", "word"},
    };
    for (size_t i = 0; i < D7_COUNT(cases); i++) {
        const char *argv[8] = {drop7};
        struct command_result r;
        memcpy(argv + 1, cases[i], sizeof(cases[i]));
        command_run(argv, NULL, &r);
        if (r.status != 2 || strncmp(r.err, "drop7: ", 7) != 0 || r.out[0]) {
            fail_msg("case %zu: status %d, stderr %s", i, r.status, r.err);
        }
        command_release(&r);
    }
}

/* A socket bound to a free port, listening or not; "127.0.0.1:PORT". */
static int bound_socket(bool listens, char *ret_text, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listens ? listen(fd, 1) : 0, 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    (void)snprintf(ret_text, size, "127.0.0.1:%d", ntohs(at.sin_port));
    return fd;
}

static void silent_and_absent_endpoints_fail_in_time(void **state)
{
    (void)state;
    char at[100];
    struct command_result r;
    int fd = bound_socket(false, at, sizeof(at));
    check(&r, "--endpoint", at, "--json");
    assert_results("absent", &r, "start ", "");
    assert_non_null(strstr(r.out, "Connection refused"));
    command_release(&r);
    (void)close(fd);
    fd = bound_socket(true, at, sizeof(at));
    check(&r, "--endpoint", at, "--json");
    assert_results("silent", &r, "handshake ", "");
    command_release(&r);
    (void)close(fd);
}

static void stopping_the_check_leaves_nothing_running(void **state)
{
    (void)state;
    char command[PATH_MAX];
    int pipes[2];
    int status = 0;
    char text[64] = "";
    player_command("ignores_signals", command, sizeof(command));
    const char *argv[] = {drop7, "check", "--command", command, NULL};
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = process_spawn(argv, pipes[1]);
    (void)close(pipes[1]);
    assert_true(read(pipes[0], text, sizeof(text)) > 0); /* the first step is done */
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_true(process_wait(pid, 5000, &status));
    assert_int_equal(process_exit_code(status), 130);
    (void)close(pipes[0]);
    assert_nothing_left();
}

static void list_names_the_steps_and_the_last_is_determinism(void **state)
{
    (void)state;
    struct command_result r;
    const char *argv[] = {drop7, "check", "--list", NULL};
    command_run(argv, NULL, &r);
    assert_int_equal(r.status, 0);
    struct span rest = span_of(r.out);
    struct span last = {0};
    int64_t lines = 0;
    while (rest.len) {
        int64_t number = 0;
        last = span_cut(&rest, '\n');
        assert_int_equal(span_parse_i64(span_token(&last), 1, 64, &number), D7_OK);
        assert_int_equal(number, ++lines);
    }
    assert_true(lines >= 40);
    assert_true(span_is(span_token(&last), "determinism"));
    command_release(&r);
}

int main(void)
{
    (void)snprintf(drop7, sizeof(drop7), "%s", support_program("drop7"));
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_builtin_policy_passes),
        cmocka_unit_test(builtin_policy_passes_over_tcp),
        cmocka_unit_test(examples_in_c_and_python_pass),
        cmocka_unit_test(example_in_javascript_passes),
        cmocka_unit_test(odd_but_correct_players_pass),
        cmocka_unit_test(each_broken_player_fails_its_step_and_no_other),
        cmocka_unit_test(the_same_holds_over_tcp),
        cmocka_unit_test(what_no_harness_sends_is_a_note_unless_strict),
        cmocka_unit_test(offending_line_is_shown_escaped),
        cmocka_unit_test(bad_usage_is_one_line_and_status_2),
        cmocka_unit_test(silent_and_absent_endpoints_fail_in_time),
        cmocka_unit_test(stopping_the_check_leaves_nothing_running),
        cmocka_unit_test(list_names_the_steps_and_the_last_is_determinism),
    };
    return cmocka_run_group_tests_name("unit/tool/check", tests, NULL, NULL);
}
