/* task_order_test.c: the order of a step is found, kept as long as a chunk needs it, and inserted where a standby hears of it late. */
#include "store/ps/stretch/task_order.h"
#include "support.h"

static int64_t step_of(const tri__task_order *order)
{
    return order ? order->step : -1;
}

static tri__task_order *orders_of(const int64_t *steps, int count)
{
    tri__task_order *orders = NULL;
    for (int i = 0; i < count; i++)
        assert_ok(tri__task_orders_add(&orders, steps[i], (const int[]){2, 5}, 2));
    return orders;
}

static void an_order_holds_until_the_next_one(void **state)
{
    (void)state;
    tri__task_order *orders = orders_of((const int64_t[]){0, 10}, 2);
    assert_int_equal(step_of(tri__task_orders_find(orders, 9, false)), 0);
    assert_int_equal(step_of(tri__task_orders_find(orders, 10, false)), 10);
    assert_int_equal(step_of(tri__task_orders_find(orders, 99, false)), 10);
    tri__task_orders_free(&orders);
    assert_null(orders);
}

static void with_backup_workers_an_order_is_of_one_step(void **state)
{
    (void)state;
    tri__task_order *orders = orders_of((const int64_t[]){7, 8}, 2);
    assert_int_equal(step_of(tri__task_orders_find(orders, 7, true)), 7);
    assert_null(tri__task_orders_find(orders, 9, true));
    assert_null(tri__task_orders_find(orders, 6, true));
    tri__task_orders_free(&orders);
}

static void orders_that_no_chunk_needs_are_forgotten(void **state)
{
    (void)state;
    tri__task_order *orders = orders_of((const int64_t[]){0, 4, 8}, 3);
    tri__task_orders_forget(&orders, 5, false);
    assert_int_equal(step_of(tri__task_orders_find(orders, 5, false)), 4);
    assert_null(tri__task_orders_find(orders, 3, false));
    tri__task_orders_free(&orders);
    orders = orders_of((const int64_t[]){4, 5, 6}, 3);
    tri__task_orders_forget(&orders, 5, true);
    assert_null(tri__task_orders_find(orders, 4, true));
    assert_int_equal(step_of(tri__task_orders_find(orders, 5, true)), 5);
    tri__task_orders_free(&orders);
}

static void an_order_that_comes_late_is_inserted_and_replaces_none(void **state)
{
    (void)state;
    tri__task_order *orders = orders_of((const int64_t[]){2, 6}, 2);
    assert_ok(tri__task_orders_insert(&orders, 4, (const int[]){1, 3, 5}, 3));
    assert_ok(tri__task_orders_insert(&orders, 6, (const int[]){9}, 1));
    assert_int_equal(step_of(tri__task_orders_find(orders, 5, false)), 4);
    assert_int_equal(tri__task_orders_find(orders, 5, false)->count, 3);
    assert_int_equal(tri__task_orders_find(orders, 6, false)->count, 2);
    tri__task_orders_free(&orders);
}

static void a_task_has_its_position_in_an_order_or_none(void **state)
{
    (void)state;
    tri__task_order *orders = orders_of((const int64_t[]){0}, 1);
    assert_int_equal(tri__task_order_position(orders, 5), 1);
    assert_int_equal(tri__task_order_position(orders, 3), -1);
    tri__task_orders_free(&orders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_holds_until_the_next_one),
        cmocka_unit_test(with_backup_workers_an_order_is_of_one_step),
        cmocka_unit_test(orders_that_no_chunk_needs_are_forgotten),
        cmocka_unit_test(an_order_that_comes_late_is_inserted_and_replaces_none),
        cmocka_unit_test(a_task_has_its_position_in_an_order_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
