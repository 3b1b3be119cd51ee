/* Reads what it must not, writes where it must not, and makes things out of files. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "attack.h"

static bool opens(const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

static bool read_path(const char *path)
{
    return !opens(path, O_RDONLY);
}

static bool climb(const char *path)
{
    char up[600];
    snprintf(up, sizeof(up), "../../../../../../../../../..%s", path);
    return !opens(up, O_RDONLY) && (chdir("..") || !opens(up + 3, O_RDONLY));
}

static bool write_path(const char *path)
{
    return !opens(path, O_WRONLY) && !opens(path, O_RDWR | O_TRUNC) && truncate(path, 0) &&
           unlink(path) && rename(path, "/tmp/taken") && chmod(path, 0666);
}

static bool write_anywhere(const char *word)
{
    static const char *const folders[] = {
        "",      "/tmp",    "/var/tmp", "/dev/shm", "/usr",     "/usr/bin", "/etc", "/run", "/home",
        "/root", "/proc/1", "/sys",     "/lib",     "/var/lib", "/usr/lib", "/mnt", "/dev"};
    (void)word;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char path[64];
        snprintf(path, sizeof(path), "%s/hostile-was-here", folders[i]);
        if (opens(path, O_WRONLY | O_CREAT) || mkdir(path, 0700) == 0) {
            return false;
        }
    }
    return true;
}

static bool own_file(const char *word)
{
    (void)word;
    return !opens("/policy", O_WRONLY) && chmod("/policy", 0777) && rename("/policy", "/other") &&
           unlink("/policy") && !opens("/proc/self/exe", O_WRONLY);
}

static bool make_things(const char *word)
{
    (void)word;
    return mknod("/tmp/null", S_IFCHR | 0666, 0x103) && mkfifo("/tmp/fifo", 0600) &&
           symlink("/etc/shadow", "/tmp/link") && link("/policy", "/tmp/hard");
}

static bool million_files(const char *word)
{
    (void)word;
    for (int i = 0; i < 1000000; i++) {
        char path[64];
        snprintf(path, sizeof(path), "/tmp/file%d", i);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd < 0) {
            return i < 1000;
        }
        close(fd);
    }
    return false;
}

static bool list_processes(const char *word)
{
    (void)word;
    return !opendir("/proc") && !opens("/proc/1/environ", O_RDONLY) &&
           !opens("/proc/self/mem", O_RDWR) && !opens("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static bool many_descriptors(const char *word)
{
    (void)word;
    int made = 0;
    while (made < 1000 && dup(0) >= 0) {
        made++;
    }
    return made <= 32;
}

/* A lock on what another game sees as well is a bit for it to read. */
static bool leave_word(const char *word)
{
    static const char *const seen[] = {"/policy", "/usr", "/lib", "/"};
    (void)word;
    for (size_t i = 0; i <= sizeof(seen) / sizeof(seen[0]); i++) {
        int fd = i ? open(seen[i - 1], O_RDONLY) : 0;
        struct flock shared = {.l_type = F_RDLCK}, own = {.l_type = F_RDLCK};
        if (fd >= 0 && (!flock(fd, LOCK_EX | LOCK_NB) || !fcntl(fd, F_SETLK, &shared) ||
                        !fcntl(fd, F_GETLK, &shared) || !fcntl(fd, F_OFD_SETLK, &own) ||
                        !fcntl(fd, F_SETLEASE, F_RDLCK))) {
            return false;
        }
    }
    return true;
}

static const struct attack attacks[] = {{"read", read_path},
                                        {"climb", climb},
                                        {"write", write_path},
                                        {"write-anywhere", write_anywhere},
                                        {"own-file", own_file},
                                        {"make-things", make_things},
                                        {"million-files", million_files},
                                        {"list-processes", list_processes},
                                        {"many-descriptors", many_descriptors},
                                        {"leave-word", leave_word}};
ATTACK_MAIN(attacks)
