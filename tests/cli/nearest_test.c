/* nearest_test.c: suggestions. */
#include "cli/nearest.h"

#include "support.h"

static void distances_count_edits(void **state)
{
    (void)state;
    assert_int_equal(tri__edit_distance("batch", "batch"), 0);
    assert_int_equal(tri__edit_distance("bacth", "batch"), 1); /* a swap is one */
    assert_int_equal(tri__edit_distance("bath", "batch"), 1);
    assert_int_equal(tri__edit_distance("", "rate"), 4);
    assert_int_equal(tri__edit_distance("a word much longer than any option there could be", ""), 31);
}

static void the_nearest_wins_and_far_ones_are_not_suggested(void **state)
{
    (void)state;
    tri__suggestion nearest = tri__suggestion_of("epoch");
    tri__suggestion_offer(&nearest, "until");
    assert_null(nearest.name);
    tri__suggestion_offer(&nearest, "epochss");
    tri__suggestion_offer(&nearest, "epochs");
    assert_string_equal(nearest.copy, "epochs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(the_nearest_wins_and_far_ones_are_not_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
