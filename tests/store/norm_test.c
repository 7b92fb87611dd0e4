/* norm_test.c: the sum of squares, which clipping needs. */
#include "store/norm.h"

#include <math.h>

#include "support.h"

static void the_sum_of_squares_is_exact_enough(void **state)
{
    (void)state;
    enum { COUNT = 1037 }; /* not a multiple of any vector's length */
    static float x[COUNT];
    double want = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = 30 * cosf((float)i);
        want += (double)x[i] * (double)x[i];
    }
    assert_true(fabs(tri__sum_of_squares(x, COUNT) - want) <= 1e-12 * want);
    assert_true(tri__sum_of_squares(x, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_sum_of_squares_is_exact_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
