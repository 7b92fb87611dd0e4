/* main_test.c: the binary as a whole: help, version, wrong calls and exit statuses. */
#include <stdlib.h>
#include <string.h>

#include "cli/binary.h"

static void every_command_has_help(void **state)
{
    (void)state;
    expect(test_run(NULL, (const char *[]){TEST_BINARY, NULL}), 0, "Commands\n", "");
    expect(RUN(NULL, "--help"), 0, "Commands\n", "");
    expect(RUN(NULL, "help"), 0, "Commands\n", "");
    expect(RUN(NULL, "help", "version"), 0, "Usage: trireme version", "");
    expect(RUN(NULL, "version", "--help"), 0, "Usage: trireme version", "");
    expect(RUN(NULL, "version", "-h"), 0, "Usage: trireme version", "");
}

static void a_mistyped_command_or_option_is_refused_with_a_suggestion(void **state)
{
    (void)state;
    expect(RUN(NULL, "verson"), 2, "", "did you mean 'version'?");
    expect(RUN(NULL, "qqqqqq"), 2, "", "'trireme help' lists them");
    expect(RUN(NULL, "version", "--jsn"), 2, "", "version has no option --jsn; did you mean --json?");
    expect(RUN(NULL, "version", "--json=1"), 2, "", "--json takes no value");
    expect(RUN(NULL, "version", "word"), 2, "", "one word too many");
    expect(RUN(NULL, "version", "-j"), 2, "", "two dashes");
    expect(RUN(NULL, "help", "nothing-of-the-kind"), 2, "", "there is no command");
}

static void a_mistyped_source_is_refused_with_a_suggestion(void **state)
{
    (void)state;
    expect(RUN(NULL, "data", "info", "fashon"), 1, "", "did you mean 'fashion'?");
    expect(RUN(NULL, "data", "info", "digit:20"), 1, "", "did you mean 'digits'?");
}

static void help_is_wrapped_to_columns(void **state)
{
    (void)state;
    const char *script = "COLUMNS=50 \"$0\" help train | awk 'length > 50 && !/^ *trireme |^Usage/ { print }'";
    test_result result = test_run(NULL, (const char *[]){"bash", "-c", script, TEST_BINARY, NULL});
    assert_string_equal(result.out, "");
    test_result_fini(&result);
}

static void help_aligns_names_by_characters_not_bytes(void **state)
{
    (void)state;
    expect(RUN(NULL, "help", "data", "speed"), 0, "\n  --batch B,…             batch sizes", "");
}

static void version_shows_the_build(void **state)
{
    (void)state;
    expect(RUN(NULL, "version"), 0, "trireme ", "");
    expect(RUN(NULL, "--version"), 0, "trireme ", "");
    expect(RUN(NULL, "version", "--json"), 0, "{\"version\":\"", "");
}

static void the_manual_page_passes_mandoc_lint(void **state)
{
    (void)state;
    if (system("command -v mandoc >/dev/null"))
        skip();
    expect(test_run(NULL, (const char *[]){"sh", "-c", "\"$0\" help --man | mandoc -Tlint -W warning", TEST_BINARY, NULL}), 0, "", "");
}

static void bash_completes_commands_and_options(void **state)
{
    (void)state;
    const char *script = "eval \"$(\"$0\" help --bash)\"; COMP_WORDS=(trireme ver); COMP_CWORD=1; _trireme; echo \"${COMPREPLY[@]}\"; "
                         "COMP_WORDS=(trireme version --js); COMP_CWORD=2; _trireme; echo \"${COMPREPLY[@]}\"";
    expect(test_run(NULL, (const char *[]){"bash", "-c", script, TEST_BINARY, NULL}), 0, "version\n--json\n", "");
}

static void bash_completes_the_second_words_of_every_group(void **state)
{
    (void)state;
    const char *script = "eval \"$(\"$0\" help --bash)\"; COMP_WORDS=(trireme lab comp); COMP_CWORD=2; _trireme; echo \"${COMPREPLY[@]}\"; "
                         "COMP_WORDS=(trireme cluster up --ho); COMP_CWORD=3; _trireme; echo \"${COMPREPLY[@]}\"; "
                         "COMP_WORDS=(trireme data ma); COMP_CWORD=2; _trireme; echo \"${COMPREPLY[@]}\"; "
                         "COMP_WORDS=(trireme help run); COMP_CWORD=2; _trireme; echo \"${COMPREPLY[@]}\"";
    expect(test_run(NULL, (const char *[]){"bash", "-c", script, TEST_BINARY, NULL}), 0, "compare\n--hosts\nmake\nruns run\n", "");
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
    (void)state;
    expect(test_run(NULL, (const char *[]){"sh", "-c", "\"$0\" version >/dev/full", TEST_BINARY, NULL}), 1, "",
           "trireme: standard output: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(a_mistyped_command_or_option_is_refused_with_a_suggestion),
        cmocka_unit_test(a_mistyped_source_is_refused_with_a_suggestion),
        cmocka_unit_test(help_is_wrapped_to_columns),
        cmocka_unit_test(help_aligns_names_by_characters_not_bytes),
        cmocka_unit_test(version_shows_the_build),
        cmocka_unit_test(the_manual_page_passes_mandoc_lint),
        cmocka_unit_test(bash_completes_commands_and_options),
        cmocka_unit_test(bash_completes_the_second_words_of_every_group),
        cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
