/* Thread pools: every index once, failures of the lowest index, reuse. */
#include "support.h"

#include <stdatomic.h>
#include <string.h>

#include "base/thread/pool.h"

enum { COUNT = 5000 };

typedef struct {
    int64_t values[COUNT];
    atomic_llong calls;
} table;

static tri_status square(void *context, int64_t index)
{
    table *t = context;
    t->values[index] = index * index;
    atomic_fetch_add(&t->calls, 1);
    return NULL;
}

static tri_status fail_from_100(void *context, int64_t index)
{
    table *t = context;
    atomic_fetch_add(&t->calls, 1);
    return index < 100 ? NULL : tri_fail(TRI_BAD_DATA, "index %d", (int)index);
}

static void a_pool_does_each_index_once(void **state)
{
    (void)state;
    static table t;
    tri__pool *pool = NULL;
    assert_ok(tri__pool_create(4, &pool));
    assert_int_equal(tri__pool_threads(pool), 4);
    for (int round = 0; round < 5; round++) {
        memset(&t, 0, sizeof t);
        assert_ok(tri__pool_for(pool, COUNT, square, &t));
        assert_int_equal(atomic_load(&t.calls), COUNT);
        for (int64_t i = 0; i < COUNT; i++)
            assert_int_equal(t.values[i], i * i);
    }
    tri__pool_destroy(pool);
}

static void a_pool_returns_the_lowest_failure_and_starts_nothing_more(void **state)
{
    (void)state;
    static table t;
    tri__pool *pool = NULL;
    assert_ok(tri__pool_create(3, &pool));
    for (int round = 0; round < 50; round++) {
        memset(&t, 0, sizeof t);
        tri_status status = tri__pool_for(pool, COUNT, fail_from_100, &t);
        assert_int_equal(tri_status_code(status), TRI_BAD_DATA);
        assert_string_equal(tri_status_message(status), "index 100");
        tri_status_free(status);
        assert_true(atomic_load(&t.calls) < COUNT);
    }
    assert_ok(tri__pool_for(pool, COUNT, square, &t)); /* a failure leaves nothing behind */
    tri__pool_destroy(pool);
}

static void a_pool_accepts_no_work(void **state)
{
    (void)state;
    tri__pool *pool = NULL;
    assert_ok(tri__pool_create(1, &pool));
    assert_ok(tri__pool_for(pool, 0, square, NULL));
    tri__pool_destroy(pool);
    tri__pool_destroy(NULL);
}

static void a_pool_without_threads_is_refused(void **state)
{
    (void)state;
    tri__pool *pool = NULL;
    tri_status status = tri__pool_create(0, &pool);
    assert_int_equal(tri_status_code(status), TRI_BAD_CALL);
    assert_null(pool);
    tri_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_does_each_index_once),
        cmocka_unit_test(a_pool_returns_the_lowest_failure_and_starts_nothing_more),
        cmocka_unit_test(a_pool_accepts_no_work),
        cmocka_unit_test(a_pool_without_threads_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
