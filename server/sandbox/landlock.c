/*
 * Design note: the constants are ours because Debian's headers know ABI 2 only, while the running
 * kernel may have more. The size of the attribute struct is all the kernel judges us by: it accepts
 * a longer one as long as what it does not know is zero.
 *
 *   ABI 1  file system rights 0-12      ABI 4  TCP bind and connect
 *   ABI 2  refer (13)                   ABI 5  ioctl on devices (15)
 *   ABI 3  truncate (14)                ABI 6  scopes: abstract sockets, signals
 *
 * Below 4 and 6 the filter carries the rest: it knows no sockets and no signals but to itself.
 */
#include "server/sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FS_EXECUTE     (1ull << 0)
#define FS_WRITE_FILE  (1ull << 1)
#define FS_READ_FILE   (1ull << 2)
#define FS_READ_DIR    (1ull << 3)
#define FS_REMOVE_DIR  (1ull << 4)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_MAKE_DIR    (1ull << 7)
#define FS_MAKE_REG    (1ull << 8)
#define FS_ABI1        ((1ull << 13) - 1)
#define FS_REFER       (1ull << 13)
#define FS_TRUNCATE    (1ull << 14)
#define FS_IOCTL_DEV   (1ull << 15)
#define NET_TCP        3ull /* bind, connect */
#define SCOPE_ALL      3ull /* abstract sockets, signals */

#define FS_READ (FS_READ_FILE | FS_READ_DIR)
#define FS_KEEP                                                                                    \
    (FS_READ | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG)

#define CREATE_VERSION    1u
#define RULE_PATH_BENEATH 1

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct path_attr {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

int landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    return abi > 0 ? (int)abi : 0;
}

static uint64_t handled_by(int abi)
{
    return FS_ABI1 | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
           (abi >= 5 ? FS_IOCTL_DEV : 0);
}

/* A path that is not there needs no right. */
static int allow(int rules, const char *path, uint64_t rights)
{
    struct path_attr attr = {.allowed = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (attr.parent_fd < 0) {
        return errno == ENOENT ? 0 : -1;
    }
    long result = syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &attr, 0);
    int error = errno;
    (void)close(attr.parent_fd); /* O_PATH: nothing to flush */
    errno = error;
    return result ? -1 : 0;
}

static int allow_own_root(const struct launch *l, int rules, int abi)
{
    if (allow(rules, "/", FS_READ)) {
        return -1;
    }
    if (!l->interpreter) {
        return allow(rules, LAUNCH_POLICY, FS_EXECUTE | FS_READ_FILE);
    }
    return allow(rules, "/tmp", FS_KEEP | (abi >= 3 ? FS_TRUNCATE : 0));
}

/* On the host's own root: libraries and nothing else. A sealed copy in memory needs no rule. */
static int allow_host_root(const struct launch *l, int rules)
{
    if (!l->libraries) {
        return 0;
    }
    return allow(rules, "/usr", FS_READ) || allow(rules, "/lib", FS_READ) ||
                   allow(rules, "/lib64", FS_READ) || allow(rules, "/bin", FS_READ) ||
                   allow(rules, "/etc/ld.so.cache", FS_READ_FILE) ||
                   allow(rules, "/etc/ssl/openssl.cnf", FS_READ_FILE) /* node stops without */
               ? -1
               : 0;
}

int landlock_apply(const struct launch *l)
{
    int abi = landlock_abi();
    if (!abi) {
        errno = ENOSYS;
        return l->confinement == CONFINE_FULL ? 0 : -1;
    }
    struct ruleset_attr attr = {
        .fs = handled_by(abi), .net = abi >= 4 ? NET_TCP : 0, .scoped = abi >= 6 ? SCOPE_ALL : 0};
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (rules < 0) {
        return -1;
    }
    /* The right to execute reaches the interpreter or the policy, and the loader; the rest of /usr
     * is for reading. */
    if ((l->confinement == CONFINE_FULL ? allow_own_root(l, rules, abi)
                                        : allow_host_root(l, rules)) ||
        (l->interpreter && allow(rules, l->interpreter, FS_EXECUTE | FS_READ_FILE)) ||
        (l->libraries && allow(rules, SANDBOX_LOADER, FS_EXECUTE | FS_READ_FILE))) {
        return -1;
    }
    return syscall(SYS_landlock_restrict_self, rules, 0) ? -1 : close(rules);
}
