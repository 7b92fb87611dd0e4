/* train_table_test.c: the options of train know every strategy, and what belongs to it. */
#include <stdio.h>
#include <string.h>

#include "cli/table/option.h"
#include "support.h"
#include "train/options/strategies.h"

static const tri__command *train(void)
{
    const tri__command *command;
    int used;
    assert_ok(tri__command_find(1, (const char *[]){"train"}, &command, &used));
    return command;
}

static const char *choices_of(const tri__command *command, const char *name)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (!strcmp(option->name, name))
            return option->choices;
    return NULL;
}

static void the_strategy_option_takes_every_strategy_and_nothing_else(void **state)
{
    (void)state;
    char choices[128], word[64];
    size_t length = 1;
    snprintf(choices, sizeof choices, " %s ", choices_of(train(), "strategy"));
    for (int i = 0; tri__strategies[i]; i++) {
        snprintf(word, sizeof word, " %s ", tri__strategies[i]->name);
        assert_non_null(strstr(choices, word));
        length += strlen(word) - 1;
    }
    assert_int_equal(strlen(choices), length); /* and there is no other word */
}

static void train_has_every_option_of_every_strategy(void **state)
{
    (void)state;
    for (int i = 0; tri__strategies[i]; i++) {
        const tri__strategy *row = tri__strategies[i];
        for (int j = 0; row->options && row->options[j]; j++)
            assert_true(tri__command_has_option(train(), row->options[j]));
        for (int j = 0; row->launcher_options && row->launcher_options[j]; j++)
            assert_true(tri__command_has_option(train(), row->launcher_options[j]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strategy_option_takes_every_strategy_and_nothing_else),
        cmocka_unit_test(train_has_every_option_of_every_strategy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
