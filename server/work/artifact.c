/*
 * Design note: an ELF is judged as the kernel's loader would, and more strictly: every program
 * header and every byte of a loaded segment must lie inside the file, so a truncated upload is
 * refused here and not at its first move. The first line of a script is never executed as such: it
 * only names an interpreter of the list, and drop7-sandbox starts that one with its own arguments.
 */
#include "server/work/artifact.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/base/buf.h"
#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "server/sandbox/sandbox.h"

#define FIRST_LINE  256
#define PATH_PREFIX "/usr/"

static bool is_plain_name(struct span name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+";
    if (name.len == 0 || name.len > 24 || name.ptr[0] == '.' || name.ptr[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (!memchr(plain, name.ptr[i], sizeof(plain) - 1)) {
            return false;
        }
    }
    return true;
}

enum d7_err interpreter_list_add(struct interpreter_list *list, struct span name)
{
    if (!is_plain_name(name)) {
        return D7_ERR_INVALID;
    }
    if (list->count == ARTIFACT_INTERPRETERS) {
        return D7_ERR_FULL;
    }
    enum d7_err err = span_copy(name, list->name[list->count], sizeof(list->name[0]));
    list->count += err ? 0 : 1;
    return err;
}

enum d7_err interpreter_find(const char *name, char ret_path[ARTIFACT_PATH_SIZE])
{
    static const char *const folders[] = {"/usr/bin", "/bin", "/usr/local/bin"};
    if (!is_plain_name(span_of(name))) {
        return D7_ERR_NOT_FOUND;
    }
    for (size_t i = 0; i < D7_COUNT(folders); i++) {
        char path[64], real[PATH_MAX];
        struct stat info;
        (void)snprintf(path, sizeof(path), "%s/%s", folders[i], name); /* 14 + 1 + 24 */
        /* The sandbox shows /usr and nothing else of the host. */
        if (realpath(path, real) && span_starts(span_of(real), PATH_PREFIX) &&
            stat(real, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & S_IXOTH) &&
            span_copy(span_of(real), ret_path, ARTIFACT_PATH_SIZE) == D7_OK) {
            return D7_OK;
        }
    }
    return D7_ERR_NOT_FOUND;
}

void interpreter_list_keep_installed(struct interpreter_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        char path[ARTIFACT_PATH_SIZE];
        if (interpreter_find(list->name[i], path)) {
            continue;
        }
        if (kept != i) {
            memcpy(list->name[kept], list->name[i], sizeof(list->name[0]));
        }
        kept++;
    }
    list->count = kept;
}

static enum d7_err refuse_kind(const struct interpreter_list *allowed, struct d7_why *why)
{
    if (!allowed->count) {
        return d7_refuse(why, D7_ERR_INVALID, "file",
                         "expected an x86-64 ELF (for #! scripts no interpreter is offered here)");
    }
    struct buf names;
    buf_init(&names, sizeof(allowed->name) * 2);
    for (size_t i = 0; i < allowed->count; i++) {
        buf_printf(&names, "%s%s", i ? ", " : "", allowed->name[i]);
    }
    enum d7_err err = d7_refuse(why, D7_ERR_INVALID, "file",
                                "expected an x86-64 ELF or a #! script for one of: %s",
                                names.err ? "(out of memory)" : names.data);
    buf_release(&names);
    return err;
}

static enum d7_err refuse_elf(struct d7_why *why, const char *text)
{
    return d7_refuse(why, D7_ERR_INVALID, "file", "the ELF file %s", text);
}

/* Is the part from `at` of `len` bytes inside a file of `size`? */
static bool is_inside(uint64_t at, uint64_t len, uint64_t size)
{
    return at <= size && len <= size - at;
}

/* A name that lies beyond `head` is left to the check, which cannot start it then. */
static bool has_other_loader(struct span head, const Elf64_Phdr *segment)
{
    static const char loader[] = SANDBOX_LOADER; /* with its NUL, as in the file */
    return segment->p_type == PT_INTERP &&
           is_inside(segment->p_offset, segment->p_filesz, head.len) &&
           (segment->p_filesz != sizeof(loader) ||
            memcmp(head.ptr + segment->p_offset, loader, sizeof(loader)) != 0);
}

static enum d7_err judge_segments(struct span head, uint64_t size, const Elf64_Ehdr *elf,
                                  struct d7_why *why)
{
    size_t loads = 0;
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, head.ptr + elf->e_phoff + (uint64_t)i * sizeof(segment), sizeof(segment));
        if (segment.p_type != PT_LOAD && segment.p_type != PT_INTERP) {
            continue;
        }
        if (!is_inside(segment.p_offset, segment.p_filesz, size)) {
            return refuse_elf(why, "is truncated");
        }
        if (has_other_loader(head, &segment)) {
            return refuse_elf(why, "wants another loader than " SANDBOX_LOADER
                                   " (glibc's): link it statically");
        }
        loads += segment.p_type == PT_LOAD ? 1u : 0u;
    }
    return loads ? D7_OK : refuse_elf(why, "has nothing to load");
}

static enum d7_err judge_elf(struct span head, uint64_t size, struct d7_why *why)
{
    Elf64_Ehdr elf;
    if (head.len < sizeof(elf)) {
        return refuse_elf(why, "is truncated");
    }
    memcpy(&elf, head.ptr, sizeof(elf));
    if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB ||
        elf.e_machine != EM_X86_64) {
        return refuse_elf(why, "is not for 64-bit x86-64");
    }
    if (elf.e_ident[EI_VERSION] != EV_CURRENT ||
        (elf.e_ident[EI_OSABI] != ELFOSABI_SYSV && elf.e_ident[EI_OSABI] != ELFOSABI_GNU)) {
        return refuse_elf(why, "is not for Linux");
    }
    if (elf.e_type != ET_EXEC && elf.e_type != ET_DYN) {
        return refuse_elf(why, "is no program (type neither EXEC nor DYN)");
    }
    if (elf.e_phnum == 0 || elf.e_phentsize != sizeof(Elf64_Phdr)) {
        return refuse_elf(why, "has no program headers");
    }
    uint64_t headers = (uint64_t)elf.e_phnum * sizeof(Elf64_Phdr);
    if (!is_inside(elf.e_phoff, headers, size)) {
        return refuse_elf(why, "is truncated");
    }
    if (!is_inside(elf.e_phoff, headers, head.len)) {
        return refuse_elf(why, "has its program headers beyond the first 4096 bytes");
    }
    return judge_segments(head, size, &elf, why);
}

static struct span after_last_slash(struct span path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);
    size_t used = slash ? (size_t)(slash - path.ptr) + 1 : 0;
    return span_make(path.ptr + used, path.len - used);
}

/* "#!/usr/bin/python3 -u" -> python3, "#!/usr/bin/env -S node" -> node. Only the name counts in the
 * end, but a relative path would mean another file on its author's machine than here. */
static enum d7_err script_name(struct span head, struct span *ret_name, struct d7_why *why)
{
    struct span rest = span_make(head.ptr + 2, head.len - 2);
    const char *end = memchr(rest.ptr, '\n', rest.len < FIRST_LINE ? rest.len : FIRST_LINE);
    if (!end) {
        return d7_refuse(why, D7_ERR_INVALID, "file",
                         "the #! line must end within %d bytes with a line feed", FIRST_LINE);
    }
    rest.len = (size_t)(end - rest.ptr);
    struct span path = span_token(&rest);
    if (path.len == 0 || path.ptr[0] != '/') {
        return d7_refuse(why, D7_ERR_INVALID, "file",
                         "the #! line must begin with an absolute path, like #!/usr/bin/python3 or "
                         "#!/usr/bin/env python3");
    }
    struct span name = after_last_slash(path);
    if (span_is(name, "env")) {
        name = span_token(&rest);
        name = span_is(name, "-S") ? span_token(&rest) : name;
    }
    *ret_name = name;
    return D7_OK;
}

enum d7_err artifact_format(struct span head, uint64_t size, const struct interpreter_list *allowed,
                            char ret_format[ARTIFACT_FORMAT_SIZE], struct d7_why *why)
{
    if (size == 0 || head.len == 0) {
        return d7_refuse(why, D7_ERR_INVALID, "file", "the file is empty");
    }
    if (head.len >= 4 && memcmp(head.ptr, ELFMAG, SELFMAG) == 0) {
        enum d7_err err = judge_elf(head, size, why);
        if (!err) {
            (void)snprintf(ret_format, ARTIFACT_FORMAT_SIZE, "elf");
        }
        return err;
    }
    if (head.len < 4 || !span_starts(head, "#!")) {
        return refuse_kind(allowed, why);
    }
    struct span name = {"", 0};
    enum d7_err err = script_name(head, &name, why);
    for (size_t i = 0; i < allowed->count && !err; i++) {
        if (span_is(name, allowed->name[i])) {
            (void)snprintf(ret_format, ARTIFACT_FORMAT_SIZE, "script:%s", allowed->name[i]);
            return D7_OK;
        }
    }
    return err ? err : refuse_kind(allowed, why);
}

static enum d7_err hash_file(const char *path, char ret_hex[SHA_HEX_SIZE])
{
    D7_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    if (fd < 0) {
        return d7_err_from_errno(errno);
    }
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        return D7_ERR_NOT_FOUND; /* whatever lies there, it is not what was put there */
    }
    static char block[65536]; /* a worker has one thread */
    struct sha sha;
    sha_init(&sha);
    for (;;) {
        ssize_t got = read(fd, block, sizeof(block));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return d7_err_from_errno(errno);
        }
        if (got == 0) {
            sha_final(&sha, ret_hex);
            return D7_OK;
        }
        sha_update(&sha, block, (size_t)got);
    }
}

enum d7_err artifact_verify(const char *path, const char *sha256, struct d7_why *why)
{
    char hex[SHA_HEX_SIZE];
    enum d7_err err = hash_file(path, hex);
    if (err) {
        return d7_refuse(why, D7_ERR_UNAVAILABLE, NULL, "%s",
                         err == D7_ERR_NOT_FOUND ? "artifact missing" : "artifact unreadable");
    }
    if (strcmp(hex, sha256) != 0) {
        return d7_refuse(why, D7_ERR_UNAVAILABLE, NULL, "artifact damaged");
    }
    return D7_OK;
}
