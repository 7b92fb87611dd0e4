/* option_test.c: ranges of numbers, and how they are said. */
#include "base/text/option.h"

#include <math.h>

#include "support.h"

static void ranges_may_be_without_their_ends(void **state)
{
    (void)state;
    const tri__option share = {.most = 1, .above = true, .below = true}, part = {.most = 1, .below = true}, whole = {.least = 2, .most = 5},
                      more = {.above = true};
    assert_false(tri__option_takes(&share, 0) || tri__option_takes(&share, 1));
    assert_true(tri__option_takes(&share, 0.5));
    assert_true(tri__option_takes(&part, 0) && !tri__option_takes(&part, 1));
    assert_true(tri__option_takes(&whole, 2) && tri__option_takes(&whole, 5) && !tri__option_takes(&whole, 6));
    assert_true(tri__option_takes(&more, 1e300) && !tri__option_takes(&more, 0));
    assert_false(tri__option_takes(&more, (double)INFINITY) || tri__option_takes(&whole, (double)NAN));
}

static void ranges_are_said_in_words(void **state)
{
    (void)state;
    char text[80];
    assert_string_equal(tri__option_range(&(tri__option){.least = 1, .most = 9}, text, sizeof text), "from 1 to 9");
    assert_string_equal(tri__option_range(&(tri__option){.least = 1}, text, sizeof text), "at least 1");
    assert_string_equal(tri__option_range(&(tri__option){.above = true}, text, sizeof text), "above 0");
    assert_string_equal(tri__option_range(&(tri__option){.most = 1, .below = true}, text, sizeof text), "at least 0 and below 1");
    assert_string_equal(tri__option_range(&(tri__option){.most = 1, .above = true, .hint = "or leave it out"}, text, sizeof text),
                        "above 0 and at most 1 (or leave it out)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_may_be_without_their_ends),
        cmocka_unit_test(ranges_are_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
