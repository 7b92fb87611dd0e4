/* team_test.c: runs on a clock of the test's own, in which one thread or all of them are quicker. */
#include "train/step/team.h"

#include "support.h"

#define MILLISECOND INT64_C(1000000)

/* The share of steps made by all threads, of steps that take so many microseconds. */
static double share_of_all(int64_t by_one, int64_t by_all, int64_t pause_every)
{
    tri__team team;
    int64_t now = MILLISECOND, all = 0;
    const int64_t steps = 30000;
    tri__team_init(&team, 4);
    for (int64_t i = 0; i < steps; i++) {
        const int size = tri__team_next(&team, now, 1000);
        assert_true(size == 1 || size == 4);
        all += size == 4;
        now += 1000 * (size == 1 ? by_one : by_all) + 100 * i / steps; /* and slowly slower */
        if (pause_every && i % pause_every == 0)
            now += 3000 * MILLISECOND;
    }
    return (double)all / (double)steps;
}

static void the_quicker_team_makes_nearly_all_steps(void **state)
{
    (void)state;
    assert_true(share_of_all(1000, 700, 0) > 0.95);
    assert_true(share_of_all(700, 1000, 0) < 0.05);
    assert_true(share_of_all(1000, 3000, 0) < 0.05);
}

static void evaluations_between_steps_do_not_mislead_a_trial(void **state)
{
    (void)state;
    assert_true(share_of_all(1000, 700, 997) > 0.9);
    assert_true(share_of_all(700, 1000, 997) < 0.1);
}

static void single_thread_makes_no_trials(void **state)
{
    (void)state;
    tri__team team;
    tri__team_init(&team, 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(tri__team_next(&team, i * 100 * MILLISECOND, 10), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quicker_team_makes_nearly_all_steps),
        cmocka_unit_test(evaluations_between_steps_do_not_mislead_a_trial),
        cmocka_unit_test(single_thread_makes_no_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
