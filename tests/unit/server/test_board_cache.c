/* server/api: the cache of finished boards, without boards. */
#include "tests/support/support.h"

#include <pthread.h>

#include "server/api/board_cache.h"

/* Holds every computation until the test lets it end. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool open;                    /* guarded by lock */
    unsigned running, most, made; /* guarded by lock */
};

#define GATE                                                                                       \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER                       \
    }

struct asker {
    pthread_t thread;
    struct board_cache *cache;
    struct gate *gate;
    const char *key;
    enum d7_err err;
    int retry_after_s;
    char text[20];
};

static enum d7_err make_slowly(void *ctx, struct buf *to)
{
    struct asker *a = ctx;
    struct gate *g = a->gate;
    (void)pthread_mutex_lock(&g->lock);
    g->running++;
    g->most = g->running > g->most ? g->running : g->most;
    (void)pthread_cond_broadcast(&g->moved);
    while (!g->open) {
        (void)pthread_cond_wait(&g->moved, &g->lock);
    }
    g->running--;
    g->made++;
    (void)pthread_mutex_unlock(&g->lock);
    buf_text(to, a->key);
    return D7_OK;
}

static void *ask(void *ctx)
{
    struct asker *a = ctx;
    struct reply reply;
    reply_init(&reply);
    struct board_wish wish = {
        .key = a->key, .version = 5, .content_type = "text/x", .make = make_slowly, .ctx = a};
    a->err = board_cache_serve(a->cache, &wish, &reply);
    a->retry_after_s = reply.retry_after_s;
    if (!a->err) {
        a->err = span_copy(reply.shared, a->text, sizeof(a->text));
    }
    reply_release(&reply);
    return NULL;
}

static void start(struct asker *a, struct board_cache *cache, struct gate *gate, const char *key)
{
    *a = (struct asker){.cache = cache, .gate = gate, .key = key};
    assert_int_equal(pthread_create(&a->thread, NULL, ask, a), 0);
}

static void await_running(struct gate *g, unsigned count)
{
    (void)pthread_mutex_lock(&g->lock);
    while (g->running < count) {
        (void)pthread_cond_wait(&g->moved, &g->lock);
    }
    (void)pthread_mutex_unlock(&g->lock);
}

static void open_gate(struct gate *g)
{
    (void)pthread_mutex_lock(&g->lock);
    g->open = true;
    (void)pthread_cond_broadcast(&g->moved);
    (void)pthread_mutex_unlock(&g->lock);
}

static void join_all(struct asker *askers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_int_equal(askers[i].err, D7_OK);
        assert_string_equal(askers[i].text, askers[i].key);
    }
}

static void askers_at_once_share_one_computation(void **state)
{
    (void)state;
    static const struct board_limits *const both[] = {&board_limits_suites,
                                                      &board_limits_selections};
    for (size_t k = 0; k < D7_COUNT(both); k++) {
        struct gate gate = GATE;
        struct board_cache *cache = NULL;
        struct asker askers[4];
        assert_int_equal(board_cache_new(both[k], &cache), D7_OK);
        for (size_t i = 0; i < D7_COUNT(askers); i++) {
            start(&askers[i], cache, &gate, "one");
        }
        await_running(&gate, 1);
        open_gate(&gate);
        join_all(askers, D7_COUNT(askers));
        assert_int_equal(gate.made, 1);
        assert_int_equal(gate.most, 1);
        board_cache_free(cache);
    }
}

static void boards_of_suites_are_made_one_after_the_other(void **state)
{
    (void)state;
    struct gate gate = GATE;
    struct board_cache *cache = NULL;
    struct asker askers[3];
    static const char *const keys[] = {"one", "two", "three"};
    assert_int_equal(board_cache_new(&board_limits_suites, &cache), D7_OK);
    for (size_t i = 0; i < D7_COUNT(askers); i++) {
        start(&askers[i], cache, &gate, keys[i]);
    }
    await_running(&gate, 1);
    open_gate(&gate);
    join_all(askers, D7_COUNT(askers));
    assert_int_equal(gate.made, 3);
    assert_int_equal(gate.most, 1);
    board_cache_free(cache);
}

static void a_third_selection_is_refused_at_once_and_one_being_made_is_shared(void **state)
{
    (void)state;
    struct gate gate = GATE;
    struct board_cache *cache = NULL;
    struct asker askers[3];
    assert_int_equal(board_cache_new(&board_limits_selections, &cache), D7_OK);
    start(&askers[0], cache, &gate, "one");
    start(&askers[1], cache, &gate, "two");
    await_running(&gate, 2);
    struct asker third = {.cache = cache, .gate = &gate, .key = "three"};
    (void)ask(&third);
    assert_int_equal(third.err, D7_ERR_BUSY);
    assert_int_equal(third.retry_after_s, 1);
    start(&askers[2], cache, &gate, "two");
    open_gate(&gate);
    join_all(askers, D7_COUNT(askers));
    assert_int_equal(gate.made, 2);
    (void)ask(&third); /* both makers are free again */
    assert_int_equal(third.err, D7_OK);
    assert_string_equal(third.text, "three");
    board_cache_free(cache);
}

struct counted {
    unsigned made;
    unsigned fail_at; /* 0: never */
    const char *text;
};

static enum d7_err make_count(void *ctx, struct buf *to)
{
    struct counted *m = ctx;
    buf_text(to, m->text);
    return ++m->made == m->fail_at ? D7_ERR_IO : D7_OK;
}

static enum d7_err serve(struct board_cache *cache, const char *key, int64_t version,
                         struct counted *m, struct reply *reply)
{
    struct board_wish wish = {
        .key = key, .version = version, .content_type = "text/x", .make = make_count, .ctx = m};
    reply_init(reply);
    return board_cache_serve(cache, &wish, reply);
}

static void a_failure_is_not_kept_and_old_bytes_outlive_the_cache(void **state)
{
    (void)state;
    struct board_cache *cache = NULL;
    struct counted m = {.fail_at = 2, .text = "s"};
    struct reply first;
    struct reply second;
    assert_int_equal(board_cache_new(&board_limits_suites, &cache), D7_OK);
    assert_int_equal(serve(cache, "s", 1, &m, &first), D7_OK);
    assert_string_equal(first.content_type, "text/x");
    assert_int_equal(serve(cache, "s", 1, &m, &second), D7_OK);
    assert_int_equal(m.made, 1);
    reply_release(&second);
    assert_int_equal(serve(cache, "s", 2, &m, &second), D7_ERR_IO);
    reply_release(&second);
    assert_int_equal(serve(cache, "s", 2, &m, &second), D7_OK);
    assert_int_equal(m.made, 3);
    board_cache_free(cache);
    assert_true(span_is(first.shared, "s"));
    reply_release(&first);
    reply_release(&second);
}

static void more_boards_than_slots_push_the_oldest_out(void **state)
{
    (void)state;
    struct board_cache *cache = NULL;
    struct counted m = {0};
    assert_int_equal(board_cache_new(&board_limits_suites, &cache), D7_OK);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < BOARD_CACHE_SLOTS + 1; i++) {
            struct reply reply;
            char key[20];
            (void)snprintf(key, sizeof(key), "suite-%u", i);
            m.text = key;
            assert_int_equal(serve(cache, key, 1, &m, &reply), D7_OK);
            assert_true(span_is(reply.shared, key));
            reply_release(&reply);
        }
    }
    assert_int_equal(m.made, 2 * (BOARD_CACHE_SLOTS + 1));
    board_cache_free(cache);
}

static void a_board_over_the_limit_is_served_but_not_kept(void **state)
{
    (void)state;
    static const struct board_limits small = {.makers = 2, .refuses = true, .keep_bytes = 4};
    struct board_cache *cache = NULL;
    struct counted m = {.text = "12345"};
    assert_int_equal(board_cache_new(&small, &cache), D7_OK);
    for (unsigned i = 1; i <= 2; i++) {
        struct reply reply;
        assert_int_equal(serve(cache, "large", 1, &m, &reply), D7_OK);
        assert_true(span_is(reply.shared, "12345"));
        assert_int_equal(m.made, i);
        reply_release(&reply);
    }
    m.text = "1234";
    for (unsigned i = 1; i <= 2; i++) {
        struct reply reply;
        assert_int_equal(serve(cache, "small", 1, &m, &reply), D7_OK);
        assert_int_equal(m.made, 3);
        reply_release(&reply);
    }
    board_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(askers_at_once_share_one_computation),
        cmocka_unit_test(boards_of_suites_are_made_one_after_the_other),
        cmocka_unit_test(a_third_selection_is_refused_at_once_and_one_being_made_is_shared),
        cmocka_unit_test(a_failure_is_not_kept_and_old_bytes_outlive_the_cache),
        cmocka_unit_test(more_boards_than_slots_push_the_oldest_out),
        cmocka_unit_test(a_board_over_the_limit_is_served_but_not_kept),
    };
    return cmocka_run_group_tests_name("unit/server/board_cache", tests, NULL, NULL);
}
