#include "tests/support/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "engine/base/fdio.h"

extern char **environ;

/* An unnamed file in memory: no pipe that can fill up, nothing to clean away. */
static int memory_file(const char *text)
{
    int fd = (int)syscall(SYS_memfd_create, "drop7-test", 0);
    assert_true(fd >= 0);
    if (text) {
        assert_int_equal(fd_write_all(fd, text, strlen(text)), D7_OK);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    }
    return fd;
}

static char *take_text(int fd)
{
    struct buf text;
    buf_init(&text, 64u << 20);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(fd_read_all(fd, &text), D7_OK);
    (void)close(fd);
    return buf_steal(&text);
}

static int wait_for(pid_t pid)
{
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(handle >= 0);
    struct pollfd ready = {.fd = handle, .events = POLLIN};
    int count = poll(&ready, 1, 60000);
    if (count != 1) {
        (void)kill(pid, SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    (void)close(handle);
    assert_int_equal(count, 1); /* otherwise it hung */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void command_run(const char *const *argv, const char *input, struct command_result *ret)
{
    int in = memory_file(input);
    int out = memory_file(NULL);
    int err = memory_file(NULL);
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, in, 0), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, out, 1), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, err, 2), 0);
    pid_t pid = 0;
    /* posix_spawn takes char *const * for history's sake and changes nothing */
    int failed =
        posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(failed, 0);
    ret->status = wait_for(pid);
    (void)close(in);
    ret->out = take_text(out);
    ret->err = take_text(err);
}

void command_release(struct command_result *r)
{
    free(r->out);
    free(r->err);
}
