/* engine/base where memory, disk and kernel fail: a file is written whole or not touched, read
 * whole or not at all; buffers and JSON refuse. */
#include "tests/support/support.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "tests/support/faults.h"

static char path[PATH_MAX];

static bool holds(const char *want)
{
    struct buf text;
    buf_init(&text, 4096);
    assert_int_equal(file_read(path, &text), D7_OK);
    bool same = span_is(buf_span(&text), want);
    buf_release(&text);
    return same;
}

static void a_file_is_replaced_whole_or_left_alone(void **state)
{
    (void)state;
    static const enum faults_kind kinds[] = {FAULTS_DISK, FAULTS_LASTING};
    (void)snprintf(path, sizeof(path), "%s/file", support_scratch());
    for (size_t k = 0; k < D7_COUNT(kinds); k++) {
        bool over = false;
        for (long n = 1; !over; n++) {
            assert_int_equal(file_write(path, span_of("old"), 0600), D7_OK);
            faults_arm(kinds[k], n);
            enum d7_err err = file_write(path, span_of("new"), 0600);
            over = !faults_disarm();
            assert_true(err ? !over && (holds("old") || holds("new")) : holds("new"));
        }
    }
    support_scratch_remove();
}

static void interrupted_files_are_read_and_written_all_the_same(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/file", support_scratch());
    faults_arm(FAULTS_INTERRUPT, 2);
    for (int i = 0; i < 5; i++) {
        char hex[33];
        assert_int_equal(file_write(path, span_of("text"), 0600), D7_OK);
        assert_true(holds("text"));
        assert_int_equal(random_hex(hex, 16), D7_OK);
    }
    assert_true(faults_disarm());
    support_scratch_remove();
}

static void a_file_is_read_whole_or_the_error_told(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/file", support_scratch());
    assert_int_equal(file_write(path, span_of("text"), 0600), D7_OK);
    bool over = false;
    for (long n = 1; !over; n++) {
        struct buf text;
        buf_init(&text, 4096);
        faults_arm(FAULTS_DISK, n);
        enum d7_err err = file_read(path, &text);
        over = !faults_disarm();
        assert_true(!err || !over);
        buf_release(&text);
    }
    struct buf small;
    buf_init(&small, 3);
    assert_int_equal(file_read(path, &small), D7_ERR_TOO_LARGE);
    buf_release(&small);
    assert_int_equal(file_read("/nowhere/at/all", &small), D7_ERR_NOT_FOUND);
    support_scratch_remove();
}

static void a_name_too_long_is_refused_before_anything_is_made(void **state)
{
    (void)state;
    char name[PATH_MAX + 10];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(file_write(name, span_of("x"), 0600), D7_ERR_TOO_LARGE);
    assert_int_equal(file_write("/nowhere/at/all", span_of("x"), 0600), D7_ERR_NOT_FOUND);
}

static void a_descriptor_that_is_none_cannot_be_made_nonblocking(void **state)
{
    (void)state;
    assert_int_equal(fd_set_nonblock(-1), D7_ERR_IO);
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(fd_set_nonblock(fds[0]), D7_OK);
    assert_true((fcntl(fds[0], F_GETFL) & O_NONBLOCK) != 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

static void a_buffer_without_memory_keeps_its_error(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1u << 20);
    faults_arm(FAULTS_MEMORY, 1);
    buf_text(&b, "lost");
    assert_true(faults_disarm());
    assert_int_equal(b.err, D7_ERR_NOMEM);
    buf_text(&b, "more");
    buf_printf(&b, "%d", 7);
    assert_int_equal(buf_reserve(&b, 1), D7_ERR_NOMEM);
    assert_null(buf_steal(&b));
    buf_clear(&b);
    faults_arm(FAULTS_MEMORY, 1);
    buf_printf(&b, "%0100d", 7);
    (void)faults_disarm();
    assert_int_equal(b.err, D7_ERR_NOMEM);
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_whole_or_left_alone),
        cmocka_unit_test(interrupted_files_are_read_and_written_all_the_same),
        cmocka_unit_test(a_file_is_read_whole_or_the_error_told),
        cmocka_unit_test(a_name_too_long_is_refused_before_anything_is_made),
        cmocka_unit_test(a_descriptor_that_is_none_cannot_be_made_nonblocking),
        cmocka_unit_test(a_buffer_without_memory_keeps_its_error),
    };
    return cmocka_run_group_tests_name("base/faults", tests, NULL, NULL);
}
