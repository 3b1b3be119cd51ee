#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"

int process_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t process_spawn_on(const char *const *argv, int in_fd, int out_fd, int err_fd)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(127);
        }
        (void)dup2(in_fd, 0);
        (void)dup2(out_fd, 1);
        (void)dup2(err_fd, 2);
        union {
            const char *const *from;
            char *const *to;
        } args = {argv}; /* execv's type is older than const */
        (void)execv(argv[0], args.to);
        _exit(127);
    }
    return pid;
}

pid_t process_spawn(const char *const *argv, int out_fd)
{
    D7_AUTO_CLOSE int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(null_fd >= 0);
    return process_spawn_on(argv, null_fd, out_fd, out_fd);
}

bool process_wait(pid_t pid, int64_t wait_ms, int *ret_status)
{
    D7_AUTO_CLOSE int handle = (int)syscall(SYS_pidfd_open, pid, 0); /* readable at its end */
    assert_true(handle >= 0);
    int64_t end = clock_mono_ms() + support_patience(wait_ms);
    for (;;) {
        pid_t got = waitpid(pid, ret_status, WNOHANG);
        if (got == pid) {
            return true;
        }
        assert_true(got == 0);
        int64_t left = end - clock_mono_ms();
        if (left <= 0) {
            return false;
        }
        struct pollfd ready = {.fd = handle, .events = POLLIN};
        (void)poll(&ready, 1, left < 60000 ? (int)left : 60000);
    }
}

size_t process_children(pid_t parent, pid_t *ret_pids, size_t max)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "re");
    size_t count = 0;
    if (!file) {
        return 0;
    }
    char text[4096];
    size_t len = fread(text, 1, sizeof(text), file);
    (void)fclose(file);
    struct span rest = span_make(text, len);
    for (struct span word = span_token(&rest); word.len; word = span_token(&rest)) {
        int64_t pid = 0;
        if (count < max && span_parse_i64(word, 1, INT32_MAX, &pid) == D7_OK) {
            ret_pids[count++] = (pid_t)pid;
        }
    }
    return count;
}

size_t process_descendants(pid_t parent, pid_t *ret_pids, size_t max)
{
    size_t count = process_children(parent, ret_pids, max);
    for (size_t i = 0; i < count; i++) {
        count += process_children(ret_pids[i], ret_pids + count, max - count);
    }
    return count;
}

char process_state(pid_t pid)
{
    char path[64], text[512];
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return '\0';
    }
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    const char *after_name = strrchr(text, ')');
    return after_name && after_name[1] ? after_name[2] : '\0';
}

static bool is_alive(pid_t pid)
{
    char state = process_state(pid);
    return state && state != 'Z' && state != 'X';
}

bool process_wait_gone(const pid_t *pids, size_t count, int64_t wait_ms)
{
    int64_t end = clock_mono_ms() + support_patience(wait_ms);
    for (size_t i = 0; i < count;) {
        if (!is_alive(pids[i])) {
            i++;
        } else if (clock_mono_ms() >= end) {
            return false;
        } else {
            (void)poll(NULL, 0, 20);
        }
    }
    return true;
}

pid_t program_start(const char *const *argv, char *ret_listening, size_t size)
{
    static const char mark[] = "listening on ";
    int pipes[2];
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = process_spawn(argv, pipes[1]);
    (void)close(pipes[1]);
    char text[1024] = "";
    size_t len = 0;
    const char *at = NULL;
    while (!(at = strstr(text, mark)) || !strchr(at, '\n')) {
        struct pollfd ready = {.fd = pipes[0], .events = POLLIN};
        ssize_t got = 0;
        if (poll(&ready, 1, 10000) != 1 ||
            (got = read(pipes[0], text + len, sizeof(text) - 1 - len)) <= 0) {
            fail_msg("%s does not listen; it said: %s", argv[0], text);
            break;
        }
        len += (size_t)got;
        text[len] = '\0';
    }
    (void)close(pipes[0]); /* what it says later is lost: it must survive that */
    struct span rest = span_of(at + sizeof(mark) - 1);
    assert_int_equal(span_copy(span_cut(&rest, '\n'), ret_listening, size), D7_OK);
    return pid;
}

void program_end(pid_t pid)
{
    int status = 0;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
}
