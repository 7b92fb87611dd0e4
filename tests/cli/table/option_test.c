/* option_test.c: from words to values, and the messages of those that are wrong. */
#include "cli/table/commands.h"
#include "cli/table/option.h"

#include <stdio.h>
#include <string.h>

#include "support.h"
#include "train/options/options.h"

#define PARSE(out, ...) parse((const char *[]){__VA_ARGS__, NULL}, out)

static tri_status parse(const char *const *words, tri__arguments *out)
{
    int count = 0;
    while (words[count])
        count++;
    return tri__arguments_parse(count, words, out);
}

static void values_come_with_a_space_or_an_equals_sign(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_ok(PARSE(&arguments, "train", "--batch=32", "lenet", "--rate", "0.5", "--json"));
    assert_string_equal(arguments.operands[0], "lenet");
    assert_int_equal(tri__argument_integer(&arguments, "batch"), 32);
    assert_true(tri__argument_number(&arguments, "rate") == 0.5);
    assert_true(tri__argument_flag(&arguments, "json"));
    assert_false(tri__argument_flag(&arguments, "quiet"));
    assert_true(tri__argument_given(&arguments, "batch"));
    assert_false(tri__argument_given(&arguments, "seed"));
    assert_int_equal(tri__argument_integer(&arguments, "seed"), 1); /* its standard value */
    assert_null(tri__argument_text(&arguments, "out"));
}

static void options_with_a_no_form_can_be_switched_off(void **state)
{
    (void)state;
    tri__arguments again;
    assert_ok(PARSE(&again, "train", "--no-shuffle", "--no-events"));
    assert_string_equal(tri__argument_text(&again, "shuffle"), "0");
    assert_false(tri__argument_flag(&again, "events"));
    assert_fails(PARSE(&again, "train", "--no-batch"), TRI_BAD_CALL, "no option --no-batch");
    assert_fails(PARSE(&again, "train", "--no-shuffle=3"), TRI_BAD_CALL, "takes no value");
}

static void a_value_that_may_be_left_out_is_a_number_where_it_is_there(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_ok(PARSE(&arguments, "watch", "run", "--web", "8080"));
    assert_int_equal(tri__argument_integer(&arguments, "web"), 8080);
    assert_ok(PARSE(&arguments, "watch", "--web", "run"));
    assert_true(tri__argument_given(&arguments, "web"));
    assert_int_equal(tri__argument_integer(&arguments, "web"), 0);
    assert_string_equal(arguments.operands[0], "run");
    assert_ok(PARSE(&arguments, "watch", "run", "--web", "--json"));
    assert_true(tri__argument_given(&arguments, "web"));
    assert_ok(PARSE(&arguments, "watch", "run"));
    assert_false(tri__argument_given(&arguments, "web"));
}

static void two_words_can_name_a_command(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_ok(PARSE(&arguments, "data", "info", "fashion"));
    assert_string_equal(arguments.command->name, "data info");
    assert_string_equal(arguments.operands[0], "fashion");
}

static void operands_after_two_dashes_may_look_like_options(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_ok(PARSE(&arguments, "eval", "--", "--strange"));
    assert_string_equal(arguments.operands[0], "--strange");
    assert_ok(PARSE(&arguments, "predict", "run", "--data", "-"));
    assert_string_equal(tri__argument_text(&arguments, "data"), "-");
}

static void wrong_options_and_values_are_refused_with_a_reason(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_fails(PARSE(&arguments, "eval"), TRI_BAD_CALL, "eval needs RUN|CHECKPOINT");
    assert_fails(PARSE(&arguments, "eval", "a", "b"), TRI_BAD_CALL, "'b' is one word too many");
    assert_fails(PARSE(&arguments, "train", "--data", "--json"), TRI_BAD_CALL, "--data needs a value");
    assert_fails(PARSE(&arguments, "train", "--data="), TRI_BAD_CALL, "not empty");
    assert_fails(PARSE(&arguments, "train", "--resize", "32x32"), TRI_BAD_CALL,
                 "train has no option --resize: photos are resized to the size in the model's input line");
    assert_fails(PARSE(&arguments, "train", "--loss=mse"), TRI_BAD_CALL, "the loss is the last line of the model");
    assert_fails(PARSE(&arguments, "train", "--rate="), TRI_BAD_CALL, "--rate needs R that is not empty");
    assert_fails(PARSE(&arguments, "train", "--rule", ""), TRI_BAD_CALL, "not empty");
    assert_fails(PARSE(&arguments, "train", "--batch", "1e3"), TRI_BAD_CALL, "a whole number");
    assert_fails(PARSE(&arguments, "train", "--batch", "99999999999999999999"), TRI_BAD_CALL, "a whole number");
    assert_fails(PARSE(&arguments, "train", "--rate", "nan"), TRI_BAD_CALL, "a number");
    assert_fails(PARSE(&arguments, "train", "--rate", "-1"), TRI_BAD_CALL, "must be above 0");
    assert_fails(PARSE(&arguments, "train", "--rate", "1e40"), TRI_BAD_CALL, "--rate 1e40: expected 0 or a number from 1.2e-38 to 3.4e+38");
    assert_fails(PARSE(&arguments, "train", "--epsilon", "1e-60"), TRI_BAD_CALL, "--epsilon 1e-60: expected 0 or a number from");
    assert_fails(PARSE(&arguments, "train", "--batch", "0"), TRI_BAD_CALL, "from 1 to 1048576");
    assert_fails(PARSE(&arguments, "train", "--momentum", "0"), TRI_BAD_CALL, "above 0 and below 1 (rule sgd is without momentum)");
    assert_fails(PARSE(&arguments, "train", "--momentum", "1"), TRI_BAD_CALL, "above 0 and below 1");
    assert_fails(PARSE(&arguments, "train", "--out", "caf\xe9"), TRI_BAD_CALL, "not UTF-8 text: its byte 4 is 0xe9");
    assert_fails(PARSE(&arguments, "train", "--rule", "newton"), TRI_BAD_CALL, "must be one of: sgd");
}

static void short_options_take_a_value_behind_or_beside_them(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_ok(PARSE(&arguments, "train", "softmax", "-d", "digits", "-b64", "-e", "3"));
    assert_string_equal(tri__argument_text(&arguments, "data"), "digits");
    assert_string_equal(tri__argument_text(&arguments, "batch"), "64");
    assert_string_equal(tri__argument_text(&arguments, "epochs"), "3");
    assert_fails(PARSE(&arguments, "train", "-z"), TRI_BAD_CALL, "train has no option -z");
    assert_fails(PARSE(&arguments, "train", "-b"), TRI_BAD_CALL, "--batch needs a value");
}

static void option_names_of_other_programs_are_refused_with_the_name_used_here(void **state)
{
    (void)state;
    tri__arguments arguments;
    assert_fails(PARSE(&arguments, "train", "--lr", "0.1"), TRI_BAD_CALL, "here it is called --rate");
    assert_fails(PARSE(&arguments, "train", "--batch-size=3"), TRI_BAD_CALL, "here it is called --batch");
    assert_fails(PARSE(&arguments, "train", "--optimizer", "adam"), TRI_BAD_CALL, "here it is called --rule");
}

/* Every row that the table holds must be fit to be shown and parsed. */
static void every_row_of_the_command_table_is_valid(void **state)
{
    (void)state;
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++) {
        assert_non_null(command->run);
        assert_non_null(command->usage);
        assert_true(command->most <= TRI_MAX_OPERANDS);
        const tri__option *option;
        int count = 0;
        for (; (option = tri__command_option(command, count)); count++) {
            assert_non_null(option->meaning);
            assert_true((option->kind == TRI_OPTION_FLAG) == !option->argument);
            assert_true((option->kind == TRI_OPTION_CHOICE) == !!option->choices);
            for (int other = 0; other < count; other++) {
                const tri__option *earlier = tri__command_option(command, other);
                assert_true(strcmp(option->name, earlier->name) && (!option->letter || option->letter != earlier->letter));
            }
        }
        assert_true(count <= TRI_MAX_OPTIONS);
        assert_non_null(tri__command_option(command, 0)->group);
    }
}

static bool is_of_the_run(const tri__option *option)
{
    const tri__option *row;
    for (int i = 0; (row = tri__train_option(i)); i++)
        if (row == option)
            return true;
    return false;
}

/* An option is one that a run is asked by (train/options/rows_test.c sees to those), or some command asks for it by its name. */
static void no_option_goes_unread(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "cat $(find src/cli -name '*.c') | sed 's/\\.name = \"[^\"]*\"//'", NULL};
    test_result sources = test_run(TEST_SOURCE, words);
    assert_int_equal(sources.status, 0);
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++) {
        const tri__option *option;
        for (int row = 0; (option = tri__command_option(command, row)); row++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "\"%s\"", option->name);
            if (!is_of_the_run(option) && !strstr(sources.out, quoted))
                fail_msg("nobody reads --%s of %s", option->name, command->name);
        }
    }
    test_result_fini(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_with_a_space_or_an_equals_sign),
        cmocka_unit_test(options_with_a_no_form_can_be_switched_off),
        cmocka_unit_test(a_value_that_may_be_left_out_is_a_number_where_it_is_there),
        cmocka_unit_test(two_words_can_name_a_command),
        cmocka_unit_test(operands_after_two_dashes_may_look_like_options),
        cmocka_unit_test(wrong_options_and_values_are_refused_with_a_reason),
        cmocka_unit_test(short_options_take_a_value_behind_or_beside_them),
        cmocka_unit_test(option_names_of_other_programs_are_refused_with_the_name_used_here),
        cmocka_unit_test(every_row_of_the_command_table_is_valid),
        cmocka_unit_test(no_option_goes_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
