/* restarts_test.c: how often a process may be started again. Times are numbers here. */
#include "train/job/restarts.h"

#include "support.h"

static bool restart(tri__restarts *restarts, int64_t now)
{
    if (!tri__restarts_allowed(restarts, now))
        return false;
    tri__restarts_count(restarts, now);
    return true;
}

static void without_a_window_all_restarts_count_against_the_limit(void **state)
{
    (void)state;
    tri__restarts restarts;
    tri__restarts_init(&restarts, 2, 0);
    assert_int_equal(tri__restarts_left(&restarts), 2);
    assert_true(restart(&restarts, 1) && restart(&restarts, 1000));
    assert_int_equal(tri__restarts_left(&restarts), 0);
    assert_false(restart(&restarts, 1000000));
    tri__restarts_init(&restarts, 0, 0);
    assert_false(restart(&restarts, 1));
}

static void only_restarts_within_the_window_count_against_the_limit(void **state)
{
    (void)state;
    tri__restarts restarts;
    tri__restarts_init(&restarts, 3, 100);
    assert_true(restart(&restarts, 0) && restart(&restarts, 10) && restart(&restarts, 20));
    assert_false(restart(&restarts, 99));
    assert_true(restart(&restarts, 100)); /* the first one is 100 ago */
    assert_false(restart(&restarts, 109));
    assert_true(restart(&restarts, 110));
    for (int64_t now = 1000; now < 2000; now += 50)
        assert_true(restart(&restarts, now)); /* two in each window */
}

static void progress_resets_the_count_of_restarts(void **state)
{
    (void)state;
    for (int64_t window = 0; window <= 100; window += 100) {
        tri__restarts restarts;
        tri__restarts_init(&restarts, 1, window);
        assert_true(restart(&restarts, 5));
        assert_false(restart(&restarts, 6));
        tri__restarts_forget(&restarts);
        assert_true(restart(&restarts, 7));
        assert_false(restart(&restarts, 8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_window_all_restarts_count_against_the_limit),
        cmocka_unit_test(only_restarts_within_the_window_count_against_the_limit),
        cmocka_unit_test(progress_resets_the_count_of_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
