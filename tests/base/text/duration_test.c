/* duration_test.c: spans of time as users type them. */
#include "base/text/duration.h"

#include "support.h"

static void durations_are_read_in_every_unit(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"1ms", INT64_C(1000000)},     {"500ms", INT64_C(500000000)},   {"60s", INT64_C(60000000000)},
        {"2m", INT64_C(120000000000)}, {"2min", INT64_C(120000000000)}, {"1h", INT64_C(3600000000000)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t nanoseconds = 0;
        assert_true(tri__duration_parse(cases[i].text, &nanoseconds));
        assert_int_equal(nanoseconds, cases[i].nanoseconds);
    }
}

static void text_that_is_no_duration_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "s", "60", "0s", "-1s", "1.5s", "60 s", "60sec", "9999999999h", "1000000h", "99999999999999999999s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t nanoseconds;
        assert_false(tri__duration_parse(wrong[i], &nanoseconds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(durations_are_read_in_every_unit),
                                       cmocka_unit_test(text_that_is_no_duration_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
