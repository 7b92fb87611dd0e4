/* memory_rate_test.c: a copy of memory is measured with any number of bytes and threads. How fast it is, is the machine's matter. */
#include "watch/host/memory_rate.h"

#include <math.h>
#include <stdint.h>

#include "support.h"

static void a_copy_of_any_size_is_measured(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 1001, 1 << 20, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int threads = 1; threads <= 3; threads++) {
            const double rate = tri__memory_rate(sizes[i], threads, 0.001);
            assert_true(isfinite(rate) && rate > 0);
        }
}

static void nothing_to_copy_has_no_rate(void **state)
{
    (void)state;
    assert_true(tri__memory_rate(0, 1, 0.001) == 0);
    assert_true(tri__memory_rate(1, 1, 0.001) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_any_size_is_measured),
        cmocka_unit_test(nothing_to_copy_has_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
