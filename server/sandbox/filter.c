#include "server/sandbox/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/sandbox/launch.h"

#define LENGTH_MAX 1024

/* Writes over the marks; how many of each there were. */
static void fill_marks(struct sock_filter *code, unsigned length, const uint32_t values[3],
                       unsigned ret_counts[3])
{
    static const uint32_t marks[3] = {FILTER_MARK_PID, FILTER_MARK_LOW, FILTER_MARK_HIGH};
    for (unsigned i = 0; i < length; i++) {
        for (unsigned m = 0; code[i].code == (BPF_JMP | BPF_JEQ | BPF_K) && m < 3; m++) {
            if (code[i].k == marks[m]) {
                code[i].k = values[m];
                ret_counts[m]++;
                break;
            }
        }
    }
}

int filter_apply(const struct launch *l, const char *exec_path)
{
    enum filter_kind kind = l->interpreter    ? FILTER_SCRIPT
                            : l->copy_fd >= 0 ? FILTER_BY_FD
                                              : FILTER_PROGRAM;
    const struct filter_program *made = &filter_programs[kind];
    struct sock_filter code[LENGTH_MAX];
    uint64_t path = (uint64_t)(uintptr_t)exec_path;
    const uint32_t values[3] = {(uint32_t)getpid(), (uint32_t)path, (uint32_t)(path >> 32)};
    unsigned counts[3] = {0};
    errno = EINVAL;
    if (made->length > LENGTH_MAX) {
        return -1;
    }
    memcpy(code, made->code, made->length * sizeof(*code));
    fill_marks(code, made->length, values, counts);
    if (!counts[0] || !counts[1] || !counts[2]) {
        return -1;
    }
    struct sock_fprog program = {.len = (unsigned short)made->length, .filter = code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? -1 : 0;
}
