/* timed_test.c: the store around a store. */
#include "train/step/timed.h"

#include "graph/store/store.h"
#include "support.h"

static void a_timed_store_hands_calls_on_and_times_updates(void **state)
{
    (void)state;
    tri_store *inner, *store;
    assert_ok(tri_store_local_create(4, &(tri_rule){.name = "momentum"}, &inner));
    float *parameters = tri_store_parameters(inner);
    assert_ok(tri__timed_store_create(inner, &store));
    assert_ptr_equal(tri_store_parameters(store), parameters);
    assert_int_equal(tri_store_floats(store), 4);
    assert_string_equal(tri_store_rule(store)->name, "momentum");
    assert_ok(tri_store_begin(store, &(tri_step){.step = 0, .rate = 1}));
    assert_ok(tri_store_await(store, (tri_range){0, 4}));
    for (int i = 0; i < 4; i++)
        tri_store_gradient(store)[i] = 2;
    assert_ok(tri_store_offer(store, (tri_range){0, 4}, 2));
    assert_ok(tri_store_flush(store));
    assert_true(parameters[3] == -1);
    assert_true(tri__store_take_times(store).update > 0);
    assert_int_equal(tri__store_take_times(store).update, 0);
    tri_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_timed_store_hands_calls_on_and_times_updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
