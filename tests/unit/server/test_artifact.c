/* What counts as a policy program, judged from its bytes. */
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "server/work/artifact.h"
#include "tests/support/support.h"

static struct interpreter_list all(void)
{
    struct interpreter_list list = {.count = 0};
    static const char *const names[] = {"python3", "node", "perl", "sh"};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        assert_int_equal(interpreter_list_add(&list, span_of(names[i])), D7_OK);
    }
    return list;
}

static const char expected[] =
    "expected an x86-64 ELF or a #! script for one of: python3, node, perl, sh";

/* A header, one PT_LOAD segment over all of it, and 16 bytes. */
struct program {
    Elf64_Ehdr head;
    Elf64_Phdr load;
    char code[16];
};

static struct program program(void)
{
    struct program p = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                             ELFDATA2LSB, EV_CURRENT, ELFOSABI_SYSV},
                                 .e_type = ET_DYN,
                                 .e_machine = EM_X86_64,
                                 .e_version = EV_CURRENT,
                                 .e_phoff = sizeof(Elf64_Ehdr),
                                 .e_phentsize = sizeof(Elf64_Phdr),
                                 .e_phnum = 1},
                        .load = {.p_type = PT_LOAD, .p_filesz = sizeof(struct program)}};
    return p;
}

static enum d7_err judge(const void *bytes, size_t len, char ret_format[ARTIFACT_FORMAT_SIZE],
                         struct d7_why *why)
{
    struct interpreter_list list = all();
    return artifact_format(span_make(bytes, len), len, &list, ret_format, why);
}

static void a_script_is_known_by_its_first_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format; /* NULL: refused */
    } rows[] = {
        {"#!/usr/bin/python3\nprint(1)\n", "script:python3"},
        {"#!/usr/bin/env python3\n", "script:python3"},
        {"#!/usr/bin/env -S python3 -u\n", "script:python3"},
        {"#!/usr/bin/env node\r\n", "script:node"},
        {"#! /usr/local/bin/perl -w\n", "script:perl"},
        {"#!/bin/sh\n", "script:sh"},
        {"#!/tmp/python3\n", "script:python3"}, /* only the name counts: ours is run */
        {"#!/opt/x/python3\n", "script:python3"},
        {"#!sh\n", NULL},
        {"#!python3\n", NULL},
        {"#!../../usr/bin/python3\n", NULL},
        {"#!./python3\n", NULL},
        {"#!env python3\n", NULL},
        {"#!/usr/bin/env ./python3\n", NULL},
        {"#!/usr/bin/env /usr/bin/python3\n", NULL},
        {"#!/bin/bash\n", NULL},
        {"#!/usr/bin/python3.11\n", NULL},
        {"#!/usr/bin/env\n", NULL},
        {"#!/usr/bin/env env sh\n", NULL},
        {"#!\n", NULL},
        {"#!/bin/sh", NULL}, /* no end of line: cut off */
        {"#!/bin/../bin/sh\n", "script:sh"},
        {"#!/usr/bin/\n", NULL},
        {" #!/bin/sh\n", NULL},
        {"print(1)\n", NULL},
        {"PK\003\004", NULL},
        {"MZ", NULL},
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        char format[ARTIFACT_FORMAT_SIZE] = "untouched";
        struct d7_why why = {.field = ""};
        enum d7_err err = judge(rows[i].text, strlen(rows[i].text), format, &why);
        if (rows[i].format) {
            assert_int_equal(err, D7_OK);
            assert_string_equal(format, rows[i].format);
        } else {
            assert_int_equal(err, D7_ERR_INVALID);
            assert_string_equal(why.field, "file");
            assert_true(strcmp(why.text, expected) == 0 ||
                        strncmp(why.text, "the #! line must", 16) == 0);
            assert_string_equal(format, "untouched");
        }
    }
}

static void a_first_line_has_at_most_256_bytes(void **state)
{
    (void)state;
    char text[400], format[ARTIFACT_FORMAT_SIZE];
    struct d7_why why;
    static const char start[] = {'#', '!', '/', 'b', 'i', 'n', '/', 's', 'h'};
    memset(text, ' ', sizeof(text));
    memcpy(text, start, sizeof(start));
    text[257] = '\n';
    assert_int_equal(judge(text, sizeof(text), format, &why), D7_OK);
    text[257] = ' ';
    text[258] = '\n';
    assert_int_equal(judge(text, sizeof(text), format, &why), D7_ERR_INVALID);
}

static void a_relative_interpreter_is_refused_with_what_to_write(void **state)
{
    (void)state;
    static const char *const lines[] = {"#!python3\n", "#!../../usr/bin/python3\n",
                                        "#!\n#!/bin/sh\n"};
    for (size_t i = 0; i < D7_COUNT(lines); i++) {
        char format[ARTIFACT_FORMAT_SIZE];
        struct d7_why why = {.field = ""};
        assert_int_equal(judge(lines[i], strlen(lines[i]), format, &why), D7_ERR_INVALID);
        assert_non_null(strstr(why.text, "absolute path, like #!/usr/bin/python3"));
    }
}

static void a_stored_file_is_held_against_its_hash(void **state)
{
    (void)state;
    char path[512];
    char sha[SHA_HEX_SIZE];
    struct d7_why why = {.field = ""};
    static char bytes[200000];
    memset(bytes, 'x', sizeof(bytes));
    (void)snprintf(path, sizeof(path), "%s/stored", support_scratch());
    sha_of(span_make(bytes, sizeof(bytes)), sha);
    assert_int_equal(artifact_verify(path, sha, &why), D7_ERR_UNAVAILABLE);
    assert_string_equal(why.text, "artifact missing");
    assert_int_equal(file_write(path, span_make(bytes, sizeof(bytes)), 0600), D7_OK);
    assert_int_equal(artifact_verify(path, sha, &why), D7_OK);
    bytes[sizeof(bytes) - 1] ^= 1;
    assert_int_equal(file_write(path, span_make(bytes, sizeof(bytes)), 0600), D7_OK);
    assert_int_equal(artifact_verify(path, sha, &why), D7_ERR_UNAVAILABLE);
    assert_string_equal(why.text, "artifact damaged");
    assert_int_equal(file_write(path, span_make(bytes, 5), 0600), D7_OK);
    assert_int_equal(artifact_verify(path, sha, &why), D7_ERR_UNAVAILABLE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(artifact_verify(path, sha, &why), D7_ERR_UNAVAILABLE);
    assert_string_equal(why.text, "artifact missing");
    support_scratch_remove();
}

static void an_empty_file_is_refused_as_such(void **state)
{
    (void)state;
    char format[ARTIFACT_FORMAT_SIZE];
    struct d7_why why;
    assert_int_equal(judge("", 0, format, &why), D7_ERR_INVALID);
    assert_string_equal(why.text, "the file is empty");
}

static void the_message_names_only_interpreters_that_are_allowed(void **state)
{
    (void)state;
    char format[ARTIFACT_FORMAT_SIZE];
    struct d7_why why;
    struct interpreter_list list = {.count = 0};
    assert_int_equal(artifact_format(span_of("#!/bin/sh\n"), 10, &list, format, &why),
                     D7_ERR_INVALID);
    assert_string_equal(why.text,
                        "expected an x86-64 ELF (for #! scripts no interpreter is offered here)");
    assert_int_equal(interpreter_list_add(&list, span_of("perl")), D7_OK);
    assert_int_equal(artifact_format(span_of("#!/bin/sh\n"), 10, &list, format, &why),
                     D7_ERR_INVALID);
    assert_string_equal(why.text, "expected an x86-64 ELF or a #! script for one of: perl");
}

static void a_program_of_this_machine_is_an_elf(void **state)
{
    (void)state;
    struct program p = program();
    char format[ARTIFACT_FORMAT_SIZE];
    struct d7_why why;
    assert_int_equal(judge(&p, sizeof(p), format, &why), D7_OK);
    assert_string_equal(format, "elf");
    p.head.e_type = ET_EXEC;
    p.head.e_ident[EI_OSABI] = ELFOSABI_GNU;
    assert_int_equal(judge(&p, sizeof(p), format, &why), D7_OK);
}

static void every_wrong_header_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at, len;
        unsigned long long value;
    } rows[] = {
#define FIELD(name) offsetof(struct program, name), sizeof(((struct program *)0)->name)
        {"is not for 64-bit x86-64", EI_CLASS, 1, ELFCLASS32},
        {"is not for 64-bit x86-64", EI_DATA, 1, ELFDATA2MSB},
        {"is not for 64-bit x86-64", FIELD(head.e_machine), EM_AARCH64},
        {"is not for Linux", EI_OSABI, 1, ELFOSABI_FREEBSD},
        {"is not for Linux", EI_VERSION, 1, 9},
        {"is no program (type neither EXEC nor DYN)", FIELD(head.e_type), ET_REL},
        {"is no program (type neither EXEC nor DYN)", FIELD(head.e_type), ET_CORE},
        {"has no program headers", FIELD(head.e_phnum), 0},
        {"has no program headers", FIELD(head.e_phentsize), 32},
        {"is truncated", FIELD(head.e_phnum), 65535},
        {"is truncated", FIELD(head.e_phoff), 0xffffffffffffff00ull},
        {"is truncated", FIELD(load.p_filesz), sizeof(struct program) + 1},
        {"is truncated", FIELD(load.p_filesz), 0xffffffffffffffffull},
        {"is truncated", FIELD(load.p_offset), 1},
        {"has nothing to load", FIELD(load.p_type), PT_NOTE},
#undef FIELD
    };
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct program p = program();
        char format[ARTIFACT_FORMAT_SIZE], text[128];
        struct d7_why why;
        memcpy((char *)&p + rows[i].at, &rows[i].value, rows[i].len);
        (void)snprintf(text, sizeof(text), "the ELF file %s", rows[i].text);
        assert_int_equal(judge(&p, sizeof(p), format, &why), D7_ERR_INVALID);
        assert_string_equal(why.text, text);
    }
}

static void only_a_program_for_the_systems_loader_is_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *loader;
        size_t len; /* in the file, 0: with its NUL */
        bool fine;
    } rows[] = {{"/lib64/ld-linux-x86-64.so.2", 0, true},
                {"/lib64/ld-linux-x86-64.so.2", 27, false},
                {"/lib64/ld-linux-x86-64.so.22", 0, false},
                {"/lib/ld-musl-x86_64.so.1", 0, false},
                {"/nix/store/x/lib/ld-linux-x86-64.so.2", 0, false},
                {"ld-linux-x86-64.so.2", 0, false},
                {"/usr/bin/dash", 0, false},
                {"/policy", 0, false},
                {"", 0, false}};
    for (size_t i = 0; i < D7_COUNT(rows); i++) {
        struct {
            Elf64_Ehdr head;
            Elf64_Phdr load, loader;
            char name[64];
        } p = {.head = program().head, .load = program().load};
        char format[ARTIFACT_FORMAT_SIZE];
        struct d7_why why;
        p.head.e_phnum = 2;
        p.loader = (Elf64_Phdr){.p_type = PT_INTERP,
                                .p_offset = offsetof(__typeof__(p), name),
                                .p_filesz = rows[i].len ? rows[i].len : strlen(rows[i].loader) + 1};
        (void)snprintf(p.name, sizeof(p.name), "%s", rows[i].loader);
        enum d7_err err = judge(&p, sizeof(p), format, &why);
        assert_int_equal(err, rows[i].fine ? D7_OK : D7_ERR_INVALID);
        if (!rows[i].fine) {
            assert_string_equal(why.text,
                                "the ELF file wants another loader than "
                                "/lib64/ld-linux-x86-64.so.2 (glibc's): link it statically");
        }
    }
}

static void a_program_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct program p = program();
    for (size_t len = 1; len < sizeof(p); len++) {
        char format[ARTIFACT_FORMAT_SIZE];
        struct d7_why why;
        assert_int_equal(judge(&p, len, format, &why), D7_ERR_INVALID);
    }
}

static void headers_beyond_the_given_bytes_are_refused(void **state)
{
    (void)state;
    struct program p = program();
    struct interpreter_list list = all();
    char format[ARTIFACT_FORMAT_SIZE];
    struct d7_why why;
    p.head.e_phoff = 100000;
    assert_int_equal(artifact_format(span_make((char *)&p, sizeof(p)), 200000, &list, format, &why),
                     D7_ERR_INVALID);
    assert_string_equal(why.text,
                        "the ELF file has its program headers beyond the first 4096 bytes");
}

static void the_compilers_own_programs_are_accepted(void **state)
{
    (void)state;
    static const char *const files[] = {"/proc/self/exe", "/bin/cat", "/usr/bin/env"};
    for (size_t i = 0; i < D7_COUNT(files); i++) {
        struct buf bytes;
        struct interpreter_list list = all();
        char format[ARTIFACT_FORMAT_SIZE];
        struct d7_why why;
        buf_init(&bytes, 256u << 20);
        assert_int_equal(file_read(files[i], &bytes), D7_OK);
        size_t head = bytes.len < ARTIFACT_HEAD_BYTES ? bytes.len : ARTIFACT_HEAD_BYTES;
        assert_int_equal(
            artifact_format(span_make(bytes.data, head), bytes.len, &list, format, &why), D7_OK);
        /* debug data at the end is not loaded, so only a real cut is one */
        assert_int_equal(artifact_format(span_make(bytes.data, head), head, &list, format, &why),
                         D7_ERR_INVALID);
        buf_release(&bytes);
    }
}

static void interpreter_names_are_plain_and_bounded(void **state)
{
    (void)state;
    struct interpreter_list list = {.count = 0};
    static const char *const bad[] = {
        "", "/bin/sh", "..", ".hidden", "-c", "a b", "a;b", "a\n", "abcdefghijklmnopqrstuvwxy"};
    for (size_t i = 0; i < D7_COUNT(bad); i++) {
        assert_int_equal(interpreter_list_add(&list, span_of(bad[i])), D7_ERR_INVALID);
    }
    assert_int_equal(list.count, 0);
    assert_int_equal(interpreter_list_add(&list, span_of("abcdefghijklmnopqrstuvwx")), D7_OK);
    for (size_t i = 1; i < ARTIFACT_INTERPRETERS; i++) {
        assert_int_equal(interpreter_list_add(&list, span_of("python3.11")), D7_OK);
    }
    assert_int_equal(interpreter_list_add(&list, span_of("sh")), D7_ERR_FULL);
}

static void interpreters_are_found_below_usr_and_never_by_path(void **state)
{
    (void)state;
    char path[ARTIFACT_PATH_SIZE], fake[4096];
    assert_int_equal(setenv("PATH", support_scratch(), 1), 0);
    (void)snprintf(fake, sizeof(fake), "%s/drop7-fake", getenv("PATH"));
    assert_int_equal(file_write(fake, span_of("#!/bin/sh\n"), 0755), D7_OK);
    assert_int_equal(interpreter_find("drop7-fake", path), D7_ERR_NOT_FOUND);
    assert_int_equal(interpreter_find("../bin/sh", path), D7_ERR_NOT_FOUND);
    assert_int_equal(interpreter_find("sh", path), D7_OK);
    assert_true(span_starts(span_of(path), "/usr/"));
    support_scratch_remove();
}

static void only_installed_interpreters_are_kept(void **state)
{
    (void)state;
    struct interpreter_list list = {.count = 0};
    static const char *const names[] = {"no-such-thing", "sh", "nor-this", "env"};
    for (size_t i = 0; i < D7_COUNT(names); i++) {
        assert_int_equal(interpreter_list_add(&list, span_of(names[i])), D7_OK);
    }
    interpreter_list_keep_installed(&list);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.name[0], "sh");
    assert_string_equal(list.name[1], "env");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_is_known_by_its_first_line),
        cmocka_unit_test(a_relative_interpreter_is_refused_with_what_to_write),
        cmocka_unit_test(a_stored_file_is_held_against_its_hash),
        cmocka_unit_test(a_first_line_has_at_most_256_bytes),
        cmocka_unit_test(an_empty_file_is_refused_as_such),
        cmocka_unit_test(the_message_names_only_interpreters_that_are_allowed),
        cmocka_unit_test(a_program_of_this_machine_is_an_elf),
        cmocka_unit_test(every_wrong_header_is_refused_with_its_reason),
        cmocka_unit_test(only_a_program_for_the_systems_loader_is_accepted),
        cmocka_unit_test(a_program_cut_anywhere_is_refused),
        cmocka_unit_test(headers_beyond_the_given_bytes_are_refused),
        cmocka_unit_test(the_compilers_own_programs_are_accepted),
        cmocka_unit_test(interpreter_names_are_plain_and_bounded),
        cmocka_unit_test(interpreters_are_found_below_usr_and_never_by_path),
        cmocka_unit_test(only_installed_interpreters_are_kept),
    };
    return cmocka_run_group_tests_name("server/artifact", tests, NULL, NULL);
}
