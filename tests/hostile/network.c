/* Talks to anybody: every family, both ends of a pair, and the ring that makes sockets unseen. */
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "attack.h"

static bool no_socket(int family, int type)
{
    int fd = socket(family, type, 0);
    if (fd >= 0) {
        close(fd);
    }
    return fd < 0;
}

static bool inet(const char *word)
{
    (void)word;
    return no_socket(AF_INET, SOCK_STREAM) && no_socket(AF_INET, SOCK_DGRAM) &&
           no_socket(AF_INET, SOCK_RAW);
}

static bool inet6(const char *word)
{
    (void)word;
    return no_socket(AF_INET6, SOCK_STREAM) && no_socket(AF_INET6, SOCK_DGRAM);
}

static bool unix_to(const char *path, size_t skip)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = strlen(path) < sizeof(to.sun_path) - 2 ? strlen(path) : sizeof(to.sun_path) - 2;
    memcpy(to.sun_path + skip, path, n);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool there =
        fd >= 0 && connect(fd, (struct sockaddr *)&to,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + skip + n)) == 0;
    return !there && no_socket(AF_UNIX, SOCK_STREAM);
}

static bool unix_path(const char *path)
{
    return unix_to(path, 0);
}

static bool unix_abstract(const char *name)
{
    return unix_to(name, 1);
}

static bool netlink(const char *word)
{
    (void)word;
    return no_socket(AF_NETLINK, SOCK_RAW) && no_socket(AF_PACKET, SOCK_RAW);
}

static bool vsock(const char *word)
{
    (void)word;
    return no_socket(AF_VSOCK, SOCK_STREAM) && no_socket(AF_ALG, SOCK_SEQPACKET);
}

static bool pair(const char *word)
{
    int fds[2];
    (void)word;
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0;
}

static bool ring(const char *word)
{
    char params[256] = {0};
    (void)word;
    return syscall(SYS_io_uring_setup, 8, params) < 0 && syscall(SYS_io_uring_enter, 0) < 0;
}

static const struct attack attacks[] = {{"inet", inet},           {"inet6", inet6},
                                        {"unix-path", unix_path}, {"unix-abstract", unix_abstract},
                                        {"netlink", netlink},     {"vsock", vsock},
                                        {"socketpair", pair},     {"io-uring", ring}};
ATTACK_MAIN(attacks)
