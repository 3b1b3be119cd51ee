#include "tests/support/command.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "tests/support/process.h"

/* An unnamed file in memory: no pipe that can fill up, nothing to clean away. */
static int memory_file(const char *text)
{
    int fd = (int)syscall(SYS_memfd_create, "drop7-test", MFD_CLOEXEC);
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

void command_run_within(const char *const *argv, const char *input, int64_t wait_ms,
                        struct command_result *ret)
{
    int in = memory_file(input);
    int out = memory_file(NULL);
    int err = memory_file(NULL);
    int status = 0;
    pid_t pid = process_spawn_on(argv, in, out, err);
    bool ended = process_wait(pid, wait_ms, &status);
    if (!ended) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
    }
    (void)close(in);
    ret->status = process_exit_code(status);
    ret->out = take_text(out);
    ret->err = take_text(err);
    if (!ended) {
        fail_msg("%s hung for %lld ms; it said %s%s", argv[0], (long long)wait_ms, ret->out,
                 ret->err);
    }
}

void command_run(const char *const *argv, const char *input, struct command_result *ret)
{
    command_run_within(argv, input, 60000, ret);
}

void command_release(struct command_result *r)
{
    free(r->out);
    free(r->err);
}

int command_text(const char *const *argv, char **ret_text)
{
    struct command_result r;
    command_run(argv, NULL, &r);
    if (ret_text) {
        struct buf both;
        buf_init(&both, 64u << 20);
        buf_text(&both, r.out);
        buf_text(&both, r.err);
        *ret_text = buf_steal(&both);
        assert_non_null(*ret_text);
    }
    command_release(&r);
    return r.status;
}
