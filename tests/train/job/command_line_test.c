/* command_line_test.c: words that are added are there, each as one, and end with NULL. */
#include "train/job/command_line.h"

#include "support.h"

static void a_command_line_copies_its_words_and_ends_with_null(void **state)
{
    (void)state;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    assert_null(tri__command_line_words(&line)[0]);
    const char *const more[] = {"--data", "a b;c", "", NULL};
    tri__command_line_add(&line, "train");
    tri__command_line_add_all(&line, more);
    tri__command_line_add_number(&line, "--threads", -3);
    tri__command_line_add_format(&line, "--%s=%s", "out", "x y");
    assert_ok(tri__command_line_check(&line));
    static const char *const expected[] = {"train", "--data", "a b;c", "", "--threads", "-3", "--out=x y"};
    const char *const *words = tri__command_line_words(&line);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[sizeof expected / sizeof *expected]);
    tri__command_line_fini(&line);
}

static void a_command_line_can_have_many_words(void **state)
{
    (void)state;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    for (int i = 0; i < 1000; i++) {
        tri__command_line_add_format(&line, "%d", i);
        assert_null(tri__command_line_words(&line)[i + 1]);
    }
    assert_ok(tri__command_line_check(&line));
    assert_string_equal(tri__command_line_words(&line)[999], "999");
    tri__command_line_fini(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_command_line_copies_its_words_and_ends_with_null),
                                       cmocka_unit_test(a_command_line_can_have_many_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
