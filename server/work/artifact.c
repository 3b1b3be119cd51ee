/*
 * Design note: an ELF is judged as the kernel's loader would, and more strictly: every program
 * header and every byte of a loaded segment must lie inside the file, so a truncated upload is
 * refused here and not at its first move. The first line of a script is never executed as such: it
 * only names an interpreter of the list, and drop7-sandbox starts that one with its own arguments.
 */
#include "server/work/artifact.h"

#include <elf.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/base/buf.h"

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
        return d7_refuse(why, D7_ERR_INVALID, "file", "expected an x86-64 ELF");
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

/* "#!/usr/bin/python3 -u" -> python3, "#!/usr/bin/env -S node" -> node; empty when malformed. */
static struct span script_name(struct span head)
{
    struct span rest = span_make(head.ptr + 2, head.len - 2);
    const char *end = memchr(rest.ptr, '\n', rest.len < FIRST_LINE ? rest.len : FIRST_LINE);
    if (!end) {
        return span_make(rest.ptr, 0);
    }
    rest.len = (size_t)(end - rest.ptr);
    struct span path = span_token(&rest);
    for (int again = 0; again < 2; again++) {
        size_t slash = path.len;
        while (slash > 0 && path.ptr[slash - 1] != '/') {
            slash--;
        }
        path = span_make(path.ptr + slash, path.len - slash);
        if (!span_is(path, "env") || again) {
            break;
        }
        path = span_token(&rest);
        path = span_is(path, "-S") ? span_token(&rest) : path;
    }
    return path;
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
    struct span name = script_name(head);
    for (size_t i = 0; i < allowed->count; i++) {
        if (span_is(name, allowed->name[i])) {
            (void)snprintf(ret_format, ARTIFACT_FORMAT_SIZE, "script:%s", allowed->name[i]);
            return D7_OK;
        }
    }
    return refuse_kind(allowed, why);
}
