/* reports_test.c: reports of honest workers add up; those of others do no harm. */
#include "train/ps/task/reports.h"

#include <math.h>
#include <string.h>

#include "support.h"

static json_t *parse(const char *text)
{
    json_t *reports;
    assert_ok(tri__json_parse("reports", text, strlen(text), &reports));
    return reports;
}

static void reports_of_workers_are_summed_and_averaged(void **state)
{
    (void)state;
    json_t *reports = parse("[{\"steps\": 3, \"loss\": 1.0, \"seconds\": 1.0, \"phases\": {\"compute\": 1.0}},"
                            " {\"steps\": 4, \"loss\": null, \"seconds\": 3.0, \"phases\": {\"input\": 1.0}}, {\"loss\": 2.0}]");
    double share[TRI_PHASES];
    assert_int_equal(tri__reports_sum(reports, "steps"), 7);
    assert_float_equal(tri__reports_total(reports, "loss"), 3, 1e-12);
    assert_float_equal(tri__reports_mean(reports, "loss"), 1.5, 1e-12);
    assert_float_equal(tri__reports_most(reports, "seconds"), 3, 0);
    tri__reports_phases(reports, share);
    assert_float_equal(share[TRI_PHASE_COMPUTE], 0.25, 1e-12);
    assert_float_equal(share[TRI_PHASE_INPUT], 0.75, 1e-12);
    json_decref(reports);
}

static void without_reports_the_sum_is_0_and_means_are_nan(void **state)
{
    (void)state;
    double share[TRI_PHASES];
    assert_int_equal(tri__reports_sum(NULL, "steps"), 0);
    assert_float_equal(tri__reports_total(NULL, "loss"), 0, 0);
    assert_true(isnan(tri__reports_mean(NULL, "loss")));
    assert_true(isnan(tri__reports_most(NULL, "seconds")));
    tri__reports_phases(NULL, share);
    assert_float_equal(share[TRI_PHASE_OTHER], 1, 0);
}

static void invalid_values_in_reports_are_ignored(void **state)
{
    (void)state;
    json_t *reports = parse("[{\"steps\": 9223372036854775807, \"seconds\": \"long\", \"phases\": 7}, {\"steps\": 9223372036854775807},"
                            " {\"steps\": -5, \"examples\": -1, \"seconds\": -1.0, \"phases\": {\"compute\": -3.0}}, 12]");
    double share[TRI_PHASES];
    tri__worker_summary rows[4];
    assert_int_equal(tri__reports_sum(reports, "steps"), INT64_MAX / 2);
    assert_int_equal(tri__reports_sum(reports, "examples"), 0);
    tri__reports_phases(reports, share);
    assert_float_equal(share[TRI_PHASE_OTHER], 1, 0);
    tri__reports_workers(reports, rows);
    assert_int_equal(rows[2].steps, 0);
    assert_float_equal(rows[2].phases[TRI_PHASE_COMPUTE], 0, 0);
    assert_null(rows[3].task);
    json_decref(reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_of_workers_are_summed_and_averaged),
        cmocka_unit_test(without_reports_the_sum_is_0_and_means_are_nan),
        cmocka_unit_test(invalid_values_in_reports_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
