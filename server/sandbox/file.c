#include "server/sandbox/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only whether the file asks for a loader: a wrong answer costs a failed exec, nothing else. Every
 * linker puts the table right behind the header, and in one read both cost half. */
static bool is_dynamic(int fd)
{
    unsigned char start[4096];
    Elf64_Ehdr head;
    ssize_t size = pread(fd, start, sizeof(start), 0);
    if (size < (ssize_t)sizeof(head)) {
        return false;
    }
    memcpy(&head, start, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    for (unsigned i = 0; i < head.e_phnum && i < 256; i++) {
        Elf64_Phdr segment;
        uint64_t at = head.e_phoff + (uint64_t)i * sizeof(segment);
        if (at <= (size_t)size - sizeof(segment)) {
            memcpy(&segment, start + at, sizeof(segment));
        } else if (at > (1u << 30) ||
                   pread(fd, &segment, sizeof(segment), (off_t)at) != (ssize_t)sizeof(segment)) {
            return false;
        }
        if (segment.p_type == PT_INTERP) {
            return true;
        }
    }
    return false;
}

int file_open(struct launch *l)
{
    struct stat info;
    l->policy_fd = open(l->policy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (l->policy_fd < 0 || fstat(l->policy_fd, &info)) {
        return -1;
    }
    if (!S_ISREG(info.st_mode)) {
        errno = EINVAL;
        return -1;
    }
    l->size = (uint64_t)info.st_size;
    l->libraries = l->interpreter || is_dynamic(l->policy_fd);
    return 0;
}

int file_copy(const struct launch *l, int to)
{
    off_t at = 0;
    while ((uint64_t)at < l->size) {
        ssize_t n = sendfile(to, l->policy_fd, &at, (size_t)(l->size - (uint64_t)at));
        if (n <= 0) {
            errno = n ? errno : EIO; /* shorter than it was */
            return -1;
        }
    }
    return fchmod(to, 0555);
}

int file_seal(struct launch *l)
{
    /* A script is read through /dev/fd by its interpreter, so that descriptor stays open. */
    l->copy_fd = memfd_create("policy", (l->interpreter ? 0u : MFD_CLOEXEC) | MFD_ALLOW_SEALING);
    if (l->copy_fd < 0 || file_copy(l, l->copy_fd) || lseek(l->copy_fd, 0, SEEK_SET) < 0) {
        return -1;
    }
    return fcntl(l->copy_fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}
