/* import_test.c: import --loss takes every loss that a model may end in. */
#include <stdio.h>
#include <string.h>

#include "cli/table/commands.h"
#include "graph/nodes/operator.h"
#include "support.h"

static const char *choices_of_loss(void)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(&tri__command_import, row)); row++)
        if (!strcmp(option->name, "loss"))
            return option->choices;
    return "";
}

static bool is_choice(const char *name)
{
    char choices[256], word[80];
    snprintf(choices, sizeof choices, " %s ", choices_of_loss());
    snprintf(word, sizeof word, " %s ", name);
    return strstr(choices, word);
}

static void the_loss_option_takes_every_loss_and_nothing_else(void **state)
{
    (void)state;
    const tri_operator *one;
    size_t length = 0;
    for (int i = 0; (one = tri__operator_at(i)); i++) {
        char name[64];
        if (!one->is_loss)
            continue;
        snprintf(name, sizeof name, "%s", one->name);
        char *ending = strstr(name, "_loss");
        assert_non_null(ending);
        *ending = '\0';
        if (!is_choice(name))
            fail_msg("--loss does not take %s, which a model may end in", name);
        length += strlen(name) + 1;
    }
    assert_int_equal(length, strlen(choices_of_loss()) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_option_takes_every_loss_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
