/* schedule_test.c: the learning rate by step. */
#include "train/options/schedule.h"

#include <math.h>

#include "support.h"

static tri__schedule made(const char *text, double rate, int64_t warmup, int64_t steps_per_epoch, int64_t total)
{
    tri__schedule schedule;
    assert_ok(tri__schedule_parse(text, &schedule));
    schedule.rate = rate;
    schedule.warmup = warmup;
    assert_ok(tri__schedule_bind(&schedule, steps_per_epoch, total));
    return schedule;
}

static void constant_schedule_keeps_the_rate(void **state)
{
    (void)state;
    tri__schedule schedule = made("constant", 0.5, 0, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 0), 0.5, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 1000000), 0.5, 0);
}

static void warmup_rises_to_the_rate(void **state)
{
    (void)state;
    tri__schedule schedule = made("constant", 1, 4, 10, 0);
    for (int step = 0; step < 4; step++)
        assert_float_equal(tri__schedule_rate(&schedule, step), 0.25 * (step + 1), 1e-7);
    assert_float_equal(tri__schedule_rate(&schedule, 4), 1, 0);
}

static void step_schedule_cuts_the_rate_at_every_interval(void **state)
{
    (void)state;
    tri__schedule schedule = made("step:100:0.5", 1, 0, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 99), 1, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 100), 0.5, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 250), 0.25, 0);
    schedule = made("step:2epochs:0.1", 1, 0, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 19), 1, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 20), 0.1, 1e-7);
    schedule = made("step:30steps:0.1", 1, 0, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 30), 0.1, 1e-7);
}

static void exponential_schedule_falls_a_little_in_each_step(void **state)
{
    (void)state;
    tri__schedule schedule = made("exponential:100:0.25", 2, 0, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 0), 2, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 50), 1, 1e-6);
    assert_float_equal(tri__schedule_rate(&schedule, 100), 0.5, 1e-6);
    schedule = made("exponential:2epochs:0.25", 2, 5, 10, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 5), 2, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 25), 0.5, 1e-6);
}

static void plateau_schedule_cuts_after_evaluations_without_gain(void **state)
{
    (void)state;
    tri__schedule schedule = made("plateau:2:0.1", 1, 0, 10, 0);
    static const int64_t without_gain[] = {0, 1, 2, 3, 4, 0, 1, 2};
    static const double rates[] = {1, 1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001};
    for (int i = 0; i < 8; i++) {
        schedule.cuts = tri__schedule_cuts(&schedule, without_gain[i]);
        assert_float_equal(tri__schedule_rate(&schedule, i * 100), rates[i], 1e-7);
    }
    schedule = made("step:100:0.5", 1, 0, 10, 0);
    assert_int_equal(tri__schedule_cuts(&schedule, 100), 0);
}

static void sweep_schedule_rises_by_equal_factors(void **state)
{
    (void)state;
    tri__schedule schedule = made("sweep:0.001:10", 1, 0, 10, 5);
    for (int step = 0; step < 5; step++)
        assert_float_equal(tri__schedule_rate(&schedule, step), 0.001 * pow(10, step), 1e-6 * pow(10, step));
}

static void cosine_schedule_falls_to_its_floor(void **state)
{
    (void)state;
    tri__schedule schedule = made("cosine", 2, 0, 10, 100);
    assert_float_equal(tri__schedule_rate(&schedule, 0), 2, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 50), 1, 1e-6);
    assert_float_equal(tri__schedule_rate(&schedule, 100), 0, 1e-6);
    assert_float_equal(tri__schedule_rate(&schedule, 200), 0, 1e-6);
    schedule = made("cosine:0.1", 2, 20, 10, 120);
    assert_float_equal(tri__schedule_rate(&schedule, 20), 2, 0);
    assert_float_equal(tri__schedule_rate(&schedule, 120), 0.2, 1e-6);
}

static void invalid_schedules_are_refused_with_a_reason(void **state)
{
    (void)state;
    tri__schedule schedule;
    assert_fails(tri__schedule_parse("linear", &schedule), TRI_BAD_CALL, "no such schedule");
    assert_fails(tri__schedule_parse("step", &schedule), TRI_BAD_CALL, "two numbers");
    assert_fails(tri__schedule_parse("step:0:0.5", &schedule), TRI_BAD_CALL, "EVERY");
    assert_fails(tri__schedule_parse("step:10", &schedule), TRI_BAD_CALL, "EVERY");
    assert_fails(tri__schedule_parse("step:10weeks:0.5", &schedule), TRI_BAD_CALL, "EVERY");
    assert_fails(tri__schedule_parse("step:10:", &schedule), TRI_BAD_CALL, "FACTOR");
    assert_fails(tri__schedule_parse("step:10:2", &schedule), TRI_BAD_CALL, "FACTOR");
    assert_fails(tri__schedule_parse("plateau:0:0.5", &schedule), TRI_BAD_CALL, "N must be a number of evaluations");
    assert_fails(tri__schedule_parse("cosine:", &schedule), TRI_BAD_CALL, "FLOOR");
    assert_fails(tri__schedule_parse("cosine:7", &schedule), TRI_BAD_CALL, "FLOOR");
    assert_ok(tri__schedule_parse("cosine", &schedule));
    assert_fails(tri__schedule_bind(&schedule, 10, 0), TRI_BAD_CALL, "--max-steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_schedule_keeps_the_rate),
        cmocka_unit_test(warmup_rises_to_the_rate),
        cmocka_unit_test(step_schedule_cuts_the_rate_at_every_interval),
        cmocka_unit_test(exponential_schedule_falls_a_little_in_each_step),
        cmocka_unit_test(plateau_schedule_cuts_after_evaluations_without_gain),
        cmocka_unit_test(sweep_schedule_rises_by_equal_factors),
        cmocka_unit_test(cosine_schedule_falls_to_its_floor),
        cmocka_unit_test(invalid_schedules_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
