/* exit_test.c: the ends of processes in words. */
#include "train/job/exit.h"

#include "support.h"

static void expect_words(tri__exit ending, const char *complaint, const char *words)
{
    char text[TRI_EXIT_SIZE];
    assert_string_equal(tri__exit_text(ending, complaint, text), words);
}

static void an_ending_names_the_signal_else_the_complaint_else_the_exit_status(void **state)
{
    (void)state;
    expect_words((tri__exit){.signal = 9}, "no memory", "was killed by signal 9 (Killed)");
    expect_words((tri__exit){.status = 1}, "no memory", "failed: no memory");
    expect_words((tri__exit){.status = 3}, NULL, "failed with exit status 3");
}

static void only_exit_status_0_is_a_good_ending(void **state)
{
    (void)state;
    assert_true(tri__exit_is_good((tri__exit){0}));
    assert_false(tri__exit_is_good((tri__exit){.status = 1}));
    assert_false(tri__exit_is_good((tri__exit){.signal = 15}));
}

static void exit_status_2_is_a_bad_call(void **state)
{
    (void)state;
    assert_int_equal(tri__exit_code((tri__exit){.status = 2}), TRI_BAD_CALL);
    assert_int_equal(tri__exit_code((tri__exit){.status = 1}), TRI_INTERNAL);
    assert_int_equal(tri__exit_code((tri__exit){.signal = 2}), TRI_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ending_names_the_signal_else_the_complaint_else_the_exit_status),
        cmocka_unit_test(only_exit_status_0_is_a_good_ending),
        cmocka_unit_test(exit_status_2_is_a_bad_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
