/* The monotonic clock never goes back; the wall clock is in this century. */
#include "support.h"

#include "base/thread/clock.h"

static void the_monotonic_clock_never_goes_back(void **state)
{
    (void)state;
    int64_t before = tri__clock_now();
    for (int i = 0; i < 1000; i++) {
        int64_t now = tri__clock_now();
        assert_true(now >= before);
        before = now;
    }
}

static void the_wall_clock_counts_from_1970(void **state)
{
    (void)state;
    assert_true(tri__clock_wall() > 1.6e9);
    assert_true(tri__clock_wall() < 4.1e9);
}

static void nanoseconds_are_converted_to_seconds(void **state)
{
    (void)state;
    assert_float_equal(tri__clock_seconds(1500000000), 1.5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_monotonic_clock_never_goes_back),
        cmocka_unit_test(the_wall_clock_counts_from_1970),
        cmocka_unit_test(nanoseconds_are_converted_to_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
