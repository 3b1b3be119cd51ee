#include "tests/support/support.h"

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/base/fdio.h"

static const char *env_or(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

int64_t support_patience(int64_t wait_ms)
{
#if defined(__SANITIZE_THREAD__)
    return 10 * wait_ms;
#elif defined(__SANITIZE_ADDRESS__)
    return 3 * wait_ms;
#else
    return wait_ms;
#endif
}

char *support_vector(const char *name)
{
    const char *const folders[] = {env_or("SHARED", "../shared"), NULL};
    struct buf bytes;
    buf_init(&bytes, 64u << 20);
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/vectors/%s", folders[0], name);
    if (file_read(path, &bytes)) {
        buf_clear(&bytes);
        (void)snprintf(path, sizeof(path), "tests/vectors/%s", name);
        enum d7_err err = file_read(path, &bytes);
        if (err) {
            fail_msg("no vector file %s: %s", path, d7_err_text(err));
        }
    }
    return buf_steal(&bytes);
}

void support_vector_lines(const char *name, bool (*fn)(void *ctx, struct span line), void *ctx)
{
    char *text = support_vector(name);
    struct span rest = span_of(text);
    while (rest.len) {
        struct span line = span_cut(&rest, '\n');
        if (line.len && !fn(ctx, line)) {
            break;
        }
    }
    free(text);
}

static char scratch[PATH_MAX];

const char *support_scratch(void)
{
    (void)snprintf(scratch, sizeof(scratch), "%s/drop7-test-XXXXXX", env_or("TMPDIR", "/tmp"));
    assert_non_null(mkdtemp(scratch));
    return scratch;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

void support_scratch_remove(void)
{
    if (scratch[0]) {
        support_remove(scratch);
        scratch[0] = '\0';
    }
}

void support_remove(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *support_program(const char *name)
{
    static char path[PATH_MAX];
    char relative[PATH_MAX];
    bool player = strncmp(name, "tests/", 6) == 0;
    (void)snprintf(relative, sizeof(relative), "%s/%s",
                   player ? env_or("OUT", "build/release") : env_or("BIN", "build"), name);
    if (!realpath(relative, path)) {
        fail_msg("%s is not built", relative);
    }
    return path;
}

void support_skip(const char *reason)
{
    if (getenv("D7_MUST_RUN")) {
        fail_msg("must run here, but: %s", reason);
    }
    print_message("skipped: %s\n", reason);
    skip();
}
