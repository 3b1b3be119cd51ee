/* Wants to be more: root, another namespace, another ABI, the kernel's own interfaces. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "attack.h"

static bool become_root(const char *word)
{
    (void)word;
    return getuid() != 0 && geteuid() != 0 && getegid() != 0 && setuid(0) && setgid(0) &&
           setreuid(0, 0) && setresuid(0, 0, 0) && setgroups(0, NULL);
}

static bool capabilities(const char *word)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct has[2], all[2];
    (void)word;
    memset(all, 0xff, sizeof(all));
    if (syscall(SYS_capget, &head, has)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (has[i].effective || has[i].permitted || has[i].inheritable) {
            return false;
        }
    }
    return syscall(SYS_capset, &head, all) && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) &&
           prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

static bool do_unshare(const char *word)
{
    (void)word;
    unshare(CLONE_NEWUSER | CLONE_NEWNS);
    return false;
}

static bool clone_user(const char *word)
{
    (void)word;
    long pid = syscall(SYS_clone, CLONE_NEWUSER | 17, NULL, NULL, NULL, NULL);
    if (pid == 0) {
        _exit(0);
    }
    return pid < 0;
}

static bool do_mount(const char *word)
{
    (void)word;
    mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
    return false;
}

static bool do_chroot(const char *word)
{
    (void)word;
    chroot("/");
    return false;
}

static bool do_bpf(const char *word)
{
    (void)word;
    syscall(SYS_bpf, 0, NULL, 0);
    return false;
}

static bool do_keyctl(const char *word)
{
    (void)word;
    syscall(SYS_keyctl, 0, 0, 0, 0, 0);
    return false;
}

static bool do_userfaultfd(const char *word)
{
    (void)word;
    syscall(SYS_userfaultfd, 0);
    return false;
}

static bool do_perf(const char *word)
{
    (void)word;
    syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0);
    return false;
}

static bool abi_32(const char *word)
{
    long n = 20;
    (void)word;
    __asm__ volatile("int $0x80" : "+a"(n) : : "memory");
    return false;
}

static bool abi_x32(const char *word)
{
    (void)word;
    syscall(0x40000000 | SYS_getpid);
    return false;
}

static bool type_in(const char *word)
{
    (void)word;
    return ioctl(0, TIOCSTI, "x") < 0 && ioctl(1, TIOCSTI, "x") < 0 && ioctl(0, TIOCSCTTY, 1) < 0 &&
           open("/dev/tty", O_RDWR) < 0;
}

static bool environment(const char *word)
{
    (void)word;
    return !environ || !environ[0];
}

static bool descriptors(const char *word)
{
    (void)word;
    for (int fd = 3; fd < 2000; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            return false;
        }
    }
    return true;
}

static bool host_name(const char *word)
{
    char name[256] = "";
    (void)word;
    return gethostname(name, sizeof(name)) == 0 && strcmp(name, "policy") == 0;
}

static const struct attack attacks[] = {{"root", become_root},
                                        {"capabilities", capabilities},
                                        {"unshare", do_unshare},
                                        {"clone-user", clone_user},
                                        {"mount", do_mount},
                                        {"chroot", do_chroot},
                                        {"bpf", do_bpf},
                                        {"keyctl", do_keyctl},
                                        {"userfaultfd", do_userfaultfd},
                                        {"perf", do_perf},
                                        {"abi-32", abi_32},
                                        {"abi-x32", abi_x32},
                                        {"type-in", type_in},
                                        {"environment", environment},
                                        {"descriptors", descriptors},
                                        {"host-name", host_name}};
ATTACK_MAIN(attacks)
