/*
 * The fuzz targets on inputs that are kept: everything in tests/fuzz/found/TARGET (each broke
 * something once), and seeds made of the vectors. A target that finds something wrong aborts.
 */
#include "tests/support/command.h"

#include <dirent.h>
#include <limits.h>

#include "engine/base/fdio.h"
#include "tests/fuzz/target.h"

typedef void (*target_fn)(const uint8_t *bytes, size_t len);

static void run_text(target_fn one, struct span text)
{
    /* in memory of just its size, so that a sanitizer sees one byte too many */
    uint8_t *copy = malloc(text.len ? text.len : 1);
    assert_non_null(copy);
    if (text.len) {
        memcpy(copy, text.ptr, text.len);
    }
    one(copy, text.len);
    free(copy);
}

/* Runs every file of a folder; how many there were (0 where there is no folder). */
static size_t run_folder(const char *folder, target_fn one)
{
    size_t count = 0;
    DIR *all = opendir(folder);
    for (const struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
        char path[600];
        struct buf text;
        if (e->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        buf_init(&text, 1u << 20);
        assert_int_equal(file_read(path, &text), D7_OK);
        print_message("%s\n", path); /* the last one named is the one that broke */
        run_text(one, buf_span(&text));
        buf_release(&text);
        count++;
    }
    if (all) {
        (void)closedir(all);
    }
    return count;
}

static void run_found(const char *name, target_fn one)
{
    char folder[64];
    (void)snprintf(folder, sizeof(folder), "tests/fuzz/found/%s", name);
    (void)run_folder(folder, one);
    for (size_t len = 0; len <= 130; len++) { /* and where nothing, or too little, is given */
        char zeros[130];
        memset(zeros, len % 2 ? '0' : '7', sizeof(zeros));
        run_text(one, span_make(zeros, len));
    }
}

#define X(name)                                                                                    \
    static void found_for_##name(void **state)                                                     \
    {                                                                                              \
        (void)state;                                                                               \
        run_found(#name, fuzz_##name);                                                             \
    }
FUZZ_TARGETS(X)
#undef X

static void every_seed_passes(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    char seeds[PATH_MAX + 20];
    struct command_result r;
    (void)snprintf(folder, sizeof(folder), "%s", support_scratch());
    (void)snprintf(seeds, sizeof(seeds), "%s/all", folder);
    const char *const argv[] = {"/bin/bash", "tests/fuzz/seeds.sh", seeds, NULL};
    command_run(argv, NULL, &r);
    assert_int_equal(r.status, 0);
    command_release(&r);
#define X(name)                                                                                    \
    (void)snprintf(seeds, sizeof(seeds), "%s/all/%s", folder, #name);                              \
    assert_true(run_folder(seeds, fuzz_##name) >= 3);
    FUZZ_TARGETS(X)
#undef X
    support_scratch_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define X(name) cmocka_unit_test(found_for_##name),
        FUZZ_TARGETS(X)
#undef X
            cmocka_unit_test(every_seed_passes),
    };
    return cmocka_run_group_tests_name("unit/fuzz/inputs", tests, NULL, NULL);
}
