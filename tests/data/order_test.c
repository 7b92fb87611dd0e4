/* order_test.c: every order is a permutation, windows bound how far a record comes forward, and nothing but seed and epoch matters. */
#include "data/order.h"

#include "data/fixture.h"

static void assert_permutation(const int64_t *sequence, int64_t count)
{
    bool *seen = calloc((size_t)count, sizeof *seen);
    for (int64_t i = 0; i < count; i++) {
        assert_in_range(sequence[i], 0, count - 1);
        assert_false(seen[sequence[i]]);
        seen[sequence[i]] = true;
    }
    free(seen);
}

static void test_permutations(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 3, 1000}, windows[] = {0, 1, 2, 100, 999, 1000, INT64_MAX};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 7; j++) {
            tri__order order;
            assert_ok(tri__order_init(&order, 9, counts[i], windows[j]));
            for (int64_t epoch = 0; epoch < 3; epoch++)
                assert_permutation(tri__order_of(&order, epoch), counts[i]);
            tri__order_fini(&order);
        }
}

static void test_window_bounds(void **state)
{
    (void)state;
    tri__order order;
    assert_ok(tri__order_init(&order, 9, 1000, 10));
    const int64_t *sequence = tri__order_of(&order, 4);
    int64_t moved = 0;
    for (int64_t i = 0; i < 1000; i++) {
        assert_true(sequence[i] < i + 10);
        moved += sequence[i] != i;
    }
    assert_true(moved > 500);
    tri__order_fini(&order);
}

static void test_epochs_in_any_order(void **state)
{
    (void)state;
    tri__order a, b;
    assert_ok(tri__order_init(&a, 9, 100, INT64_MAX));
    assert_ok(tri__order_init(&b, 9, 100, INT64_MAX));
    tri__order_of(&a, 0);
    tri__order_of(&a, 1);
    assert_memory_equal(tri__order_of(&a, 2), tri__order_of(&b, 2), 100 * sizeof(int64_t));
    assert_memory_not_equal(tri__order_of(&a, 3), tri__order_of(&b, 2), 100 * sizeof(int64_t));
    tri__order_fini(&a);
    tri__order_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_window_bounds),
        cmocka_unit_test(test_epochs_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
