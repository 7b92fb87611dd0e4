/* histogram_test.c: each value is in a bin that its limits enclose, and what is not finite is in none. */
#include "watch/report/histogram.h"

#include <math.h>

#include "support.h"

static int only_bin(const tri__histogram *histogram)
{
    int found = -1;
    for (int i = 0; i < TRI_HISTOGRAM_BINS; i++)
        if (histogram->bin[i]) {
            assert_int_equal(found, -1);
            found = i;
        }
    assert_true(found >= 0);
    return found;
}

static void the_limits_of_a_bin_enclose_its_values(void **state)
{
    (void)state;
    static const float values[] = {0, 1e-45F, 1e-30F, 0.1F, 0.999F, 1, 1.25F, 3, 1e30F, 3.4e38F};
    for (int sign = -1; sign <= 1; sign += 2)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            tri__histogram histogram = {0};
            tri__histogram_add(&histogram, &values[i], 1, (float)sign);
            const int bin = only_bin(&histogram);
            const double value = (double)sign * values[i];
            assert_true(value < 0 ? value <= tri__histogram_limit(bin) : value < tri__histogram_limit(bin));
            assert_true(value >= tri__histogram_limit(bin - 1));
            assert_true(histogram.least == value && histogram.most == value && histogram.sum == value);
        }
}

static void limits_of_bins_grow_and_are_at_most_a_quarter_apart(void **state)
{
    (void)state;
    for (int i = 5; i < TRI_HISTOGRAM_BINS - 4; i++) /* the outermost would hold what is not finite */
        assert_true(tri__histogram_limit(i) > tri__histogram_limit(i - 1));
    for (int i = TRI_HISTOGRAM_BINS / 2 + 8; i < TRI_HISTOGRAM_BINS - 5; i++)
        assert_true(tri__histogram_limit(i) <= 1.2501 * tri__histogram_limit(i - 1));
}

static void values_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    static const float values[] = {NAN, INFINITY, 2, -INFINITY, -4};
    tri__histogram histogram = {0};
    tri__histogram_add(&histogram, values, 5, 0.5F);
    assert_int_equal(histogram.count, 2);
    assert_true(histogram.least == -2 && histogram.most == 1 && histogram.sum == -1 && histogram.squares == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limits_of_a_bin_enclose_its_values),
        cmocka_unit_test(limits_of_bins_grow_and_are_at_most_a_quarter_apart),
        cmocka_unit_test(values_that_are_not_finite_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
