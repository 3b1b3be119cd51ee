#include "tests/support/faulty.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/command.h"

#define WORDS 40

static void run(const struct faulty *f, const char *folder, struct command_result *ret)
{
    static char program[300];
    char text[2000], words[WORDS][300];
    const char *argv[WORDS + 1] = {program};
    size_t count = 1;
    (void)snprintf(program, sizeof(program), "%s", support_program("tests/faults/drop7"));
    assert_int_equal(span_copy(span_of(f->args), text, sizeof(text)), D7_OK);
    support_remove(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (struct span rest = span_of(text); rest.len; count++) {
        struct span word = span_cut(&rest, ' ');
        assert_true(count < WORDS);
        struct buf to;
        buf_init(&to, 1000);
        for (size_t i = 0; i < word.len; i++) {
            if (word.ptr[i] == '@') {
                buf_text(&to, folder);
            } else {
                buf_char(&to,
                         word.ptr[i] == '~' ? ' ' : word.ptr[i]); /* a space inside of a word */
            }
        }
        assert_int_equal(span_copy(buf_span(&to), words[count], sizeof(words[0])), D7_OK);
        buf_release(&to);
        argv[count] = words[count];
    }
    argv[count] = NULL;
    command_run(argv, f->input, ret);
}

static void judge(const struct faulty *f, const char *kind, unsigned n,
                  const struct command_result *clean, const struct command_result *r)
{
    bool says = r->out[0] || r->err[0];
    bool same = f->varies || strcmp(clean->out, r->out) == 0;
    bool interrupted = strcmp(kind, "interrupt") == 0;
    if (r->status > 2 || (r->status != f->clean && interrupted) || (r->status != 0 && !says) ||
        (r->status == 0 && !same)) {
        (void)fprintf(stderr, "%s%s", r->out, r->err);
        fail_msg("drop7 %s, %s %u: exit %d", f->args, kind, n, r->status);
    }
}

unsigned faulty_run(const struct faulty *f, const char *kind)
{
    char folder[300], fired[320], fault[40];
    struct command_result clean, r;
    (void)snprintf(folder, sizeof(folder), "%s/work", support_scratch());
    (void)snprintf(fired, sizeof(fired), "%.*s/fired", (int)(strlen(folder) - 5), folder);
    assert_int_equal(setenv("FAULTS_FIRED", fired, 1), 0);
    assert_int_equal(unsetenv("FAULTS"), 0);
    run(f, folder, &clean);
    if (clean.status != f->clean) {
        fail_msg("drop7 %s: exit %d: %s", f->args, clean.status, clean.err);
    }
    unsigned tries = 0;
    for (unsigned n = strcmp(kind, "interrupt") == 0 ? 2 : 1; !f->most || n <= f->most;
         n += 1 + n / 16) {
        (void)snprintf(fault, sizeof(fault), "%s:%u", kind, n);
        assert_int_equal(setenv("FAULTS", fault, 1), 0);
        run(f, folder, &r);
        bool has_fired = unlink(fired) == 0;
        judge(f, kind, n, &clean, &r);
        command_release(&r);
        tries += has_fired;
        if (!has_fired) {
            break;
        }
    }
    command_release(&clean);
    assert_int_equal(unsetenv("FAULTS"), 0);
    support_scratch_remove();
    return tries;
}
