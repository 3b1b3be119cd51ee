/*
 * Design note: what a policy sees as "/".
 *
 *   /policy             its own file, read-only
 *   /usr                scripts and dynamic programs: the host's, read-only, nosuid, nodev
 *   /lib /lib64 /bin    the same, or the links they are on the host
 *   /tmp                scripts: 8 MiB, 256 files, noexec
 *
 * in a tmpfs that is itself read-only once it is built. No /proc, no /sys, no /dev, no /etc.
 * A program is bound, not copied, where the slot's uid may execute it as it lies: on a local file
 * system, mounted without noexec, readable and executable for everybody (the store makes it so, and
 * writes it never again). Copying 1 MiB costs as much as all other mounts. Everything else is
 * copied, 0555: a script is small, and file systems over a network or FUSE may show root what they
 * refuse the slot.
 * The trees are taken as detached mounts before the new root covers a folder of the old one.
 */
#include "server/sandbox/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By number and with our own names: a libc may know them not (musl) or in two headers that cannot
 * be had together (glibc). */
#define TREE_CLONE      0x1u
#define TREE_CLOEXEC    ((unsigned)O_CLOEXEC)
#define TREE_RECURSIVE  0x8000u
#define TREE_NO_FOLLOW  ((unsigned)AT_SYMLINK_NOFOLLOW)
#define MOVE_EMPTY_PATH 0x4u
#define SET_CLOSED      0x7ull /* read-only, nosuid, nodev */

struct mount_flags { /* mount_attr of mount_setattr(2) */
    uint64_t set, clear, propagation, userns_fd;
};

#define INSIDE_UID 1000
#define BASE       "/usr" /* always there; covered by the new root while it is built */

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    ssize_t n = write(fd, text, strlen(text));
    int error = errno;
    (void)close(fd); /* a kernel file: write has told all there is */
    errno = error;
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

int root_enter(const struct launch *l)
{
    if (!l->own_uid) {
        char text[64];
        if (write_file("/proc/self/setgroups", "deny") && errno != ENOENT) {
            return -1;
        }
        (void)snprintf(text, sizeof(text), "%d %u 1", INSIDE_UID, l->outside_uid);
        if (write_file("/proc/self/uid_map", text)) {
            return -1;
        }
        (void)snprintf(text, sizeof(text), "%d %u 1", INSIDE_UID, l->outside_gid);
        if (write_file("/proc/self/gid_map", text)) {
            return -1;
        }
    }
    return sethostname("policy", 6) || setdomainname("", 0) ? -1 : 0;
}

/* A detached copy of the mount at `path`, which nobody can write to. Its descriptor, or -1. */
static int detach(const char *path, unsigned flags)
{
    const struct mount_flags closed = {.set = SET_CLOSED};
    int fd = (int)syscall(SYS_open_tree, AT_FDCWD, path, TREE_CLONE | TREE_CLOEXEC | flags);
    if (fd < 0 || syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | (flags & TREE_RECURSIVE),
                          &closed, sizeof(closed))) {
        return -1;
    }
    return fd;
}

static long attach(int fd, const char *name)
{
    return syscall(SYS_move_mount, fd, "", AT_FDCWD, name, MOVE_EMPTY_PATH);
}

static const char *const shown[] = {"/usr", "/lib", "/lib64", "/bin"};
#define SHOWN (sizeof(shown) / sizeof(shown[0]))

struct tree {
    int fd;              /* a detached read-only mount, or -1 */
    char link[PATH_MAX]; /* else where the link leads, or empty */
};

static int tree_take(const char *path, struct tree *ret)
{
    struct stat info;
    ret->fd = -1;
    ret->link[0] = '\0';
    if (lstat(path, &info)) {
        return errno == ENOENT ? 0 : -1;
    }
    if (S_ISLNK(info.st_mode)) {
        ssize_t n = readlink(path, ret->link, sizeof(ret->link) - 1);
        if (n < 0) {
            return -1;
        }
        ret->link[n] = '\0';
        return 0;
    }
    ret->fd = detach(path, TREE_RECURSIVE);
    return ret->fd < 0 ? -1 : 0;
}

/* `name` is relative: the working folder is the new root. */
static int tree_put(const struct tree *t, const char *name)
{
    if (t->fd < 0) {
        return t->link[0] ? symlink(t->link, name) : 0;
    }
    if (mkdir(name, 0755) || attach(t->fd, name)) {
        return -1;
    }
    return close(t->fd);
}

static int put_tmp(const struct launch *l)
{
    char options[128];
    unsigned id = l->own_uid ? SANDBOX_UID_BASE + l->slot : INSIDE_UID;
    (void)snprintf(options, sizeof(options), "size=8m,nr_inodes=256,mode=0700,uid=%u,gid=%u", id,
                   id);
    return mkdir("tmp", 0755) ||
                   mount("tmpfs", "tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options)
               ? -1
               : 0;
}

/* Will the kernel read and execute it for any uid? */
static bool is_open_to_all(int fd)
{
    static const unsigned long local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                          TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
    struct statfs on;
    struct stat info;
    if (fstat(fd, &info) || (info.st_mode & 0555) != 0555 || fstatfs(fd, &on) ||
        (on.f_flags & ST_NOEXEC)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
        if ((unsigned long)on.f_type == local[i]) {
            return true;
        }
    }
    return false;
}

/* A detached read-only mount of the file alone, or -1: then it is copied. Through the path again,
 * because what file_open opened belongs to mounts outside; only if it is the same file still. */
static int take_policy(const struct launch *l)
{
    struct stat was, is;
    int fd =
        l->interpreter || !is_open_to_all(l->policy_fd) ? -1 : detach(l->policy, TREE_NO_FOLLOW);
    if (fd >= 0 && !fstat(fd, &is) && !fstat(l->policy_fd, &was) && is.st_dev == was.st_dev &&
        is.st_ino == was.st_ino) {
        return fd;
    }
    if (fd >= 0) {
        (void)close(fd); /* the mount goes with it */
    }
    return -1;
}

/* `bound`: the policy as a mount, or -1 to copy it. */
static int put_policy(const struct launch *l, int bound)
{
    int fd = open(&LAUNCH_POLICY[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || (bound < 0 && file_copy(l, fd))) {
        return -1;
    }
    if (bound >= 0 && attach(bound, &LAUNCH_POLICY[1])) {
        return -1;
    }
    return close(fd); /* open for writing, it could not be executed */
}

static int take_trees(const struct launch *l, struct tree trees[SHOWN])
{
    int result = 0;
    for (size_t i = 0; l->libraries && i < SHOWN && !result; i++) {
        result = tree_take(shown[i], &trees[i]);
    }
    return result;
}

/* The new root's contents; the working folder is the new root. */
static int fill_root(const struct launch *l, const struct tree trees[SHOWN], int bound)
{
    int result = 0;
    for (size_t i = 0; l->libraries && i < SHOWN && !result; i++) {
        result = tree_put(&trees[i], &shown[i][1]);
    }
    result = result ? result : put_policy(l, bound);
    return result || !l->interpreter ? result : put_tmp(l);
}

int root_build(const struct launch *l)
{
    static struct tree trees[SHOWN];
    char options[128];
    /* First of all: nothing below may travel back to the host's mounts. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || take_trees(l, trees)) {
        return -1;
    }
    int bound = take_policy(l);
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=64,mode=0755",
                   (unsigned long long)l->size + (256u << 10));
    if (mount("tmpfs", BASE, "tmpfs", MS_NOSUID | MS_NODEV, options) || chdir(BASE)) {
        return -1;
    }
    (void)umask(0);
    if (fill_root(l, trees, bound)) {
        return -1;
    }
    (void)umask(077);
    /* pivot_root(2), "pivot_root(".", ".")": the old root ends up on top of the new one and goes.
     */
    if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/")) {
        return -1;
    }
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}
