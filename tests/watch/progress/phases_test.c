/* phases_test.c: every nanosecond belongs to one phase. */
#include "watch/progress/phases.h"

#include <math.h>

#include "support.h"

static double sum_of(const double *share)
{
    double sum = 0;
    for (int i = 0; i < TRI_PHASES; i++)
        sum += share[i];
    return sum;
}

static void time_counts_for_the_phase_that_was_entered_last(void **state)
{
    (void)state;
    tri__phases phases = {0};
    double share[TRI_PHASES];
    tri__phases_enter(&phases, TRI_PHASE_INPUT, 1000);
    tri__phases_enter(&phases, TRI_PHASE_COMPUTE, 1010);
    tri__phase outer = tri__phases_enter(&phases, TRI_PHASE_UPDATE, 1050);
    assert_int_equal(outer, TRI_PHASE_COMPUTE);
    tri__phases_enter(&phases, outer, 1060);
    tri__phases_pause(&phases, 1100);
    assert_int_equal(phases.spent[TRI_PHASE_INPUT], 10);
    assert_int_equal(phases.spent[TRI_PHASE_COMPUTE], 80);
    assert_int_equal(phases.spent[TRI_PHASE_UPDATE], 10);
    assert_int_equal(tri__phases_total(&phases), 100);
    tri__phases_shares(&phases, share);
    assert_true(fabs(share[TRI_PHASE_COMPUTE] - 0.8) < 1e-12);
    assert_true(fabs(sum_of(share) - 1) < 1e-12);
}

static void a_pause_counts_for_no_phase(void **state)
{
    (void)state;
    tri__phases phases = {0};
    tri__phases_enter(&phases, TRI_PHASE_COMPUTE, 0);
    tri__phases_pause(&phases, 5);
    assert_int_equal(tri__phases_enter(&phases, TRI_PHASE_INPUT, 1000), TRI_PHASE_OTHER);
    tri__phases_pause(&phases, 1001);
    tri__phases_pause(&phases, 2000);
    assert_int_equal(tri__phases_total(&phases), 6);
}

static void no_more_time_is_moved_between_phases_than_there_is(void **state)
{
    (void)state;
    tri__phases phases = {.spent = {[TRI_PHASE_COMPUTE] = 100}};
    tri__phases_move(&phases, TRI_PHASE_COMPUTE, TRI_PHASE_UPDATE, 30);
    assert_int_equal(phases.spent[TRI_PHASE_UPDATE], 30);
    tri__phases_move(&phases, TRI_PHASE_COMPUTE, TRI_PHASE_UPDATE, 1000);
    tri__phases_move(&phases, TRI_PHASE_UPDATE, TRI_PHASE_COMPUTE, -5);
    assert_int_equal(phases.spent[TRI_PHASE_COMPUTE], 0);
    assert_int_equal(phases.spent[TRI_PHASE_UPDATE], 100);
}

static void phase_times_of_workers_add_up(void **state)
{
    (void)state;
    tri__phases sum = {0}, part = {.spent = {1, 2, 3, 4, 5, 6, 7}};
    tri__phases_add(&sum, &part);
    tri__phases_add(&sum, &part);
    assert_int_equal(tri__phases_total(&sum), 56);
    assert_int_equal(sum.spent[TRI_PHASE_PEERS], 10);
}

static void without_any_time_all_of_it_is_other(void **state)
{
    (void)state;
    tri__phases phases = {0};
    double share[TRI_PHASES];
    tri__phases_shares(&phases, share);
    assert_true(share[TRI_PHASE_OTHER] == 1);
    assert_true(sum_of(share) == 1);
}

static void phases_have_the_names_that_the_summary_uses(void **state)
{
    (void)state;
    static const char *const names[] = {"input", "compute", "send", "server", "peers", "update", "other"};
    for (int i = 0; i < TRI_PHASES; i++)
        assert_string_equal(tri__phase_name((tri__phase)i), names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_counts_for_the_phase_that_was_entered_last),
        cmocka_unit_test(a_pause_counts_for_no_phase),
        cmocka_unit_test(no_more_time_is_moved_between_phases_than_there_is),
        cmocka_unit_test(phase_times_of_workers_add_up),
        cmocka_unit_test(without_any_time_all_of_it_is_other),
        cmocka_unit_test(phases_have_the_names_that_the_summary_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
