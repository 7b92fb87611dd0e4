/* ending_test.c: the ends of processes in words. */
#include "train/job/ending.h"

#include "support.h"

static void expect_words(tri__ending ending, const char *complaint, const char *words)
{
    char text[TRI_ENDING_SIZE];
    assert_string_equal(tri__ending_text(ending, complaint, text), words);
}

static void a_signal_counts_more_than_a_complaint_and_that_more_than_a_status(void **state)
{
    (void)state;
    expect_words((tri__ending){.signal = 9}, "no memory", "was killed by signal 9 (Killed)");
    expect_words((tri__ending){.status = 1}, "no memory", "failed: no memory");
    expect_words((tri__ending){.status = 3}, NULL, "failed with exit status 3");
}

static void only_status_0_is_good(void **state)
{
    (void)state;
    assert_true(tri__ending_is_good((tri__ending){0}));
    assert_false(tri__ending_is_good((tri__ending){.status = 1}));
    assert_false(tri__ending_is_good((tri__ending){.signal = 15}));
}

static void status_2_is_a_wrong_call(void **state)
{
    (void)state;
    assert_int_equal(tri__ending_code((tri__ending){.status = 2}), TRI_BAD_CALL);
    assert_int_equal(tri__ending_code((tri__ending){.status = 1}), TRI_INTERNAL);
    assert_int_equal(tri__ending_code((tri__ending){.signal = 2}), TRI_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_counts_more_than_a_complaint_and_that_more_than_a_status),
        cmocka_unit_test(only_status_0_is_good),
        cmocka_unit_test(status_2_is_a_wrong_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
