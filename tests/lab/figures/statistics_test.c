/* statistics_test.c: middles and tests against values of SciPy and R. */
#include "lab/figures/statistics.h"

#include <math.h>

#include "lab/figures/regression.h"
#include "support.h"

static void assert_near(double seen, double expected, double relative)
{
    if (!(fabs(seen - expected) <= relative * fabs(expected)))
        fail_msg("%.17g where %.17g is right", seen, expected);
}

static void middles_leave_out_numbers_that_are_not_known(void **state)
{
    (void)state;
    const double numbers[] = {4, NAN, 1, 3, 2};
    assert_near(tri__median(numbers, 5), 2.5, 0);
    assert_near(tri__mean(numbers, 5), 2.5, 0);
    assert_near(tri__quantile(numbers, 5, 0), 1, 0);
    assert_near(tri__quantile(numbers, 5, 1), 4, 0);
    assert_near(tri__quantile(numbers, 5, 0.25), 1.75, 1e-15);
    assert_near(tri__deviation(numbers, 5), 1.2909944487358056, 1e-15);
    assert_true(isnan(tri__median(numbers, 0)) && isnan(tri__mean(numbers + 1, 1)) && isnan(tri__deviation(numbers, 1)));
}

/* SciPy 1.10: stats.ttest_ind(b, a, equal_var=False) */
static void welch_test_has_the_reference_values(void **state)
{
    (void)state;
    static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
    static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.3};
    tri__welch test = tri__welch_test(a, 15, b, 15);
    assert_near(test.t, 2.8472044565771237, 1e-12);
    assert_near(test.freedom, 27.884749467103315, 1e-12);
    assert_near(test.p, 0.008185629704967038, 1e-9);
    assert_near(test.difference, 42.4 / 15, 1e-12);
}

static void groups_without_spread_are_equal_or_not(void **state)
{
    (void)state;
    const double a[] = {3, 3}, b[] = {4, 4, 4};
    assert_true(tri__welch_test(a, 2, a, 2).p == 1);
    assert_true(tri__welch_test(a, 2, b, 3).p == 0);
    assert_true(isnan(tri__welch_test(a, 1, b, 3).p));
}

/* SciPy 1.10: stats.f.sf; and t² with f degrees of freedom is F with 1 and f. */
static void fisher_distribution_has_the_reference_values(void **state)
{
    (void)state;
    assert_near(tri__fisher_p(3.708265, 3, 10), 0.049999994000080025, 1e-9);
    assert_near(tri__fisher_p(4052.181, 1, 1), 0.009999999624309619, 1e-9);
    assert_near(tri__fisher_p(2.2, 4, 30), 0.0928964413833011, 1e-9);
    assert_near(tri__fisher_p(2.5 * 2.5, 1, 7), tri__student_p(2.5, 7), 1e-12);
    assert_near(tri__fisher_p(0, 3, 10), 1, 1e-15);
    assert_true(isnan(tri__fisher_p(-1, 3, 10)));
}

static void bootstrap_interval_holds_the_median_and_is_the_same_every_time(void **state)
{
    (void)state;
    double numbers[101];
    for (int i = 0; i < 101; i++)
        numbers[i] = i;
    tri__interval interval = tri__bootstrap_median(numbers, 101, 0.95), again = tri__bootstrap_median(numbers, 101, 0.95);
    /* By order statistics the exact interval of a uniform sample of 101 is that of the binomial: ranks 41 to 61. */
    assert_true(interval.low >= 36 && interval.low <= 45 && interval.high >= 55 && interval.high <= 64);
    assert_true(interval.low == again.low && interval.high == again.high);
    assert_true(isnan(tri__bootstrap_median(numbers, 1, 0.95).low));
    const double same[] = {5, 5, 5};
    assert_true(tri__bootstrap_median(same, 3, 0.95).low == 5 && tri__bootstrap_median(same, 3, 0.95).high == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middles_leave_out_numbers_that_are_not_known),
        cmocka_unit_test(welch_test_has_the_reference_values),
        cmocka_unit_test(groups_without_spread_are_equal_or_not),
        cmocka_unit_test(fisher_distribution_has_the_reference_values),
        cmocka_unit_test(bootstrap_interval_holds_the_median_and_is_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
