#include "tests/support/doc.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "tests/support/command.h"

static void append_line(const struct doc_run *run, struct span line, struct buf *to)
{
    while (line.len) {
        const struct doc_swap *swap = run->swap;
        while (swap < run->swap + DOC_SWAPS && swap->from && !span_starts(line, swap->from)) {
            swap++;
        }
        bool found = swap < run->swap + DOC_SWAPS && swap->from;
        size_t used = found ? strlen(swap->from) : 1;
        found ? buf_text(to, swap->to) : buf_append(to, line.ptr, 1);
        line = span_make(line.ptr + used, line.len - used);
    }
    buf_char(to, '\n');
}

size_t doc_blocks(const struct doc_run *run, struct buf *to)
{
    struct buf text;
    size_t blocks = 0;
    bool after = !run->heading, inside = false, taken = false;
    buf_init(&text, 1u << 20);
    assert_int_equal(file_read(run->file, &text), D7_OK);
    for (struct span rest = buf_span(&text); rest.len;) {
        struct span line = span_cut(&rest, '\n');
        if (span_starts(line, "```")) {
            inside = !inside;
            taken = inside && after && span_is(line, "```sh");
            blocks += taken;
        } else if (taken) {
            append_line(run, line, to);
        } else if (span_starts(line, "#") && run->heading && !inside) {
            after = span_is(line, run->heading);
        }
    }
    buf_release(&text);
    assert_false(inside);
    assert_int_equal(to->err, D7_OK);
    return blocks;
}

/* Links, so that nothing the commands write lands in the repository. */
static const char *const folder_script =
    "mkdir -p \"$1/bin\" \"$1/repo/build\" && "
    "for e in .[!.]* *; do case $e in build | mine) ;; *) ln -s \"$PWD/$e\" \"$1/repo/$e\" ;; "
    "esac; done && "
    "for p in drop7 drop7d drop7-sandbox; do "
    "ln -s \"$(realpath \"$BIN/$p\")\" \"$1/bin/$p\" && ln -s \"$1/bin/$p\" \"$1/repo/build/$p\"; "
    "done && "
    "ln -s \"$(realpath \"$OUT\")\" \"$1/repo/build/release\" && "
    "ln -s \"$PWD/build/pages\" \"$1/repo/build/pages\"";

const char *doc_folder(void)
{
    const char *folder = support_scratch();
    const char *argv[] = {"/bin/bash", "-euc", folder_script, "folder", folder, NULL};
    struct command_result r;
    command_run(argv, NULL, &r);
    if (r.status) {
        fail_msg("no folder for the reader: %s", r.err);
    }
    command_release(&r);
    return folder;
}

char *doc_run(const struct doc_run *run, size_t *ret_blocks)
{
    static const char *const words[] = {"unbound", "command not found", "No such file"};
    char path[300];
    struct buf script;
    struct command_result r;
    buf_init(&script, 1u << 20);
    buf_printf(&script,
               "set -eE\ntrap 'echo \"exit $? of: $BASH_COMMAND\" >&2' ERR\nunset MAKEFLAGS "
               "MAKELEVEL MFLAGS\ncd '%s/repo'\nPATH='%s/bin':$PATH\n",
               run->folder, run->folder);
    buf_text(&script, run->before ? run->before : "");
    *ret_blocks = doc_blocks(run, &script);
    (void)snprintf(path, sizeof(path), "%s/reader.sh", run->folder);
    assert_int_equal(file_write(path, buf_span(&script), 0600), D7_OK);
    buf_release(&script);
    const char *argv[] = {"/bin/bash", path, NULL};
    command_run_within(argv, NULL, run->wait_ms, &r);
    if (r.status) {
        (void)fprintf(stderr, "%s%s", r.out, r.err); /* too long for cmocka */
        fail_msg("%s: exit %d", run->file, r.status);
    }
    for (size_t i = 0; i < D7_COUNT(words); i++) {
        if (strstr(r.err, words[i])) {
            fail_msg("%s: %s", run->file, r.err);
        }
    }
    free(r.err);
    return r.out;
}

void doc_assert_says(const char *said, const char *const *wanted, size_t count)
{
    const char *at = said;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, wanted[i]);
        if (!found) {
            (void)fprintf(stderr, "%s", said);
            fail_msg("'%s' is missing, or not in its place", wanted[i]);
        }
        at = found + strlen(wanted[i]);
    }
}

unsigned doc_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    return ntohs(at.sin_port); /* the socket stays: it is what keeps the port */
}
