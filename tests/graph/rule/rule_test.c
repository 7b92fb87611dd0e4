/* rule_test.c: rules by name, their numbers, and what is refused. */
#include "graph/rule/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

static void rules_have_names_and_slots(void **state)
{
    (void)state;
    assert_string_equal(tri_rule_name(0), "sgd");
    assert_int_equal(tri_rule_slots(&(tri_rule){.name = "sgd"}), 0);
    assert_int_equal(tri_rule_slots(&(tri_rule){.name = "momentum"}), 1);
    assert_int_equal(tri_rule_slots(&(tri_rule){.name = "adam"}), 2);
    for (int i = 0; tri_rule_name(i); i++)
        assert_true(tri__rule_row_at(i)->slots <= TRI_RULE_SLOTS);
    tri_rule unnamed = {0};
    assert_ok(tri__rule_complete(&unnamed));
    assert_string_equal(unnamed.name, "sgd");
}

/* The row of --rule lists in words what the table lists in rows. */
static void the_option_names_every_rule(void **state)
{
    (void)state;
    const tri__option *option = tri__rule_option(0);
    char choices[256], list[256] = "";
    snprintf(choices, sizeof choices, "%s", option->choices);
    for (int i = 0; tri_rule_name(i); i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? " " : "", tri_rule_name(i));
        assert_non_null(strstr(option->meaning, tri_rule_name(i)));
    }
    assert_string_equal(choices, list);
}

static void every_number_is_listed_once_and_its_default_is_in_range(void **state)
{
    (void)state;
    const tri__rule_number *number;
    int count = 0;
    for (; (number = tri__rule_number_at(count)); count++) {
        char names[128];
        for (int other = 0; other < count; other++) {
            assert_string_not_equal(number->key, tri__rule_number_at(other)->key);
            assert_string_not_equal(number->option.name, tri__rule_number_at(other)->option.name);
        }
        assert_ptr_equal(tri__rule_number_find(number->key), number);
        assert_ptr_equal(tri__rule_option(count + 1), &number->option);
        assert_true(tri__option_takes(&number->option, (double)number->standard));
        /* Help says which rules have it, unless all do. */
        tri__rule_names(number, names, sizeof names);
        assert_true(strchr(names, ',') || strstr(number->option.meaning, names));
    }
    const tri__rule_row *row;
    for (int i = 0; (row = tri__rule_row_at(i)); i++)
        for (int k = 0; k < TRI_RULE_NUMBERS && row->numbers[k]; k++)
            assert_ptr_equal(tri__rule_number_find(row->numbers[k]->key), row->numbers[k]);
    assert_true(count <= TRI_ALL_RULE_NUMBERS);
    assert_null(tri__rule_option(count + 1));
    assert_null(tri__rule_number_find("patience"));
}

static void a_complete_rule_has_all_its_numbers(void **state)
{
    (void)state;
    tri_rule rule = {.name = "adam", .set = {{"epsilon", 0.1F}, {"beta1", 0}}, .clip = 2};
    assert_ok(tri__rule_complete(&rule));
    assert_true(tri_rule_value(&rule, "beta1") == 0); /* said, and so no default */
    assert_true(tri_rule_value(&rule, "beta2") == 0.999F);
    assert_true(tri_rule_value(&rule, "epsilon") == 0.1F);
    assert_true(tri_rule_value(&rule, "momentum") == 0);
    assert_true(rule.clip == 2);
    tri_rule again = rule;
    assert_ok(tri__rule_complete(&again));
    assert_memory_equal(&again, &rule, sizeof rule);
    char text[128];
    assert_string_equal(tri__rule_text(&rule, text, sizeof text), "--rule adam --beta1 0 --beta2 0.999 --epsilon 0.1 --l2 0");
}

static void a_number_that_is_set_again_is_replaced(void **state)
{
    (void)state;
    tri_rule rule = {.name = "ftrl"};
    assert_ok(tri__rule_set(&rule, tri__rule_number_find("l1"), 1));
    assert_ok(tri__rule_set(&rule, tri__rule_number_find("l2"), 2));
    assert_ok(tri__rule_set(&rule, tri__rule_number_find("l1"), 3));
    assert_true(tri_rule_value(&rule, "l1") == 3 && tri_rule_value(&rule, "l2") == 2);
    assert_null(rule.set[2].name);
}

static void assert_refused(tri_rule rule, const char *why)
{
    assert_fails(tri__rule_complete(&rule), TRI_BAD_CALL, why);
}

static void a_wrong_name_is_answered_with_the_right_ones(void **state)
{
    (void)state;
    assert_refused((tri_rule){.name = "newton"}, "there is no update rule 'newton': choose sgd, momentum,");
    assert_refused((tri_rule){.set = {{"speed", 1}}}, "no update rule has a number 'speed'");
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    assert_refused((tri_rule){.name = "momentum", .set = {{"momentum", 1}}}, "momentum is 1: it must be above 0 and below 1");
    assert_refused((tri_rule){.name = "adam", .set = {{"beta2", NAN}}}, "beta2");
    assert_refused((tri_rule){.name = "adam", .set = {{"beta1", 1}}}, "beta1 is 1: it must be at least 0 and below 1");
    assert_refused((tri_rule){.name = "adam", .set = {{"epsilon", 0}}}, "epsilon is 0: it must be above 0");
    assert_refused((tri_rule){.set = {{"l2", -1}}}, "l2 is -1: it must be at least 0");
    assert_refused((tri_rule){.set = {{"l2", INFINITY}}}, "l2");
    assert_refused((tri_rule){.clip = INFINITY}, "norm");
}

static void a_number_of_another_rule_is_refused(void **state)
{
    (void)state;
    assert_refused((tri_rule){.name = "sgd", .set = {{"l1", 0.1F}}}, "l1 is for rule ftrl, and the rule is sgd");
    assert_refused((tri_rule){.set = {{"epsilon", 0.1F}}}, "epsilon is for rule adagrad, adam or adamw, and the rule is sgd");
}

static bool is_linear(tri_rule rule)
{
    assert_ok(tri__rule_complete(&rule));
    return tri__rule_is_linear(&rule);
}

static void only_sgd_without_l2_and_clipping_is_linear(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++)
        assert_int_equal(is_linear((tri_rule){.name = tri_rule_name(i)}), i == 0);
    assert_false(is_linear((tri_rule){.name = "sgd", .set = {{"l2", 0.1F}}}));
    assert_false(is_linear((tri_rule){.name = "sgd", .clip = 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_names_and_slots),
        cmocka_unit_test(the_option_names_every_rule),
        cmocka_unit_test(every_number_is_listed_once_and_its_default_is_in_range),
        cmocka_unit_test(a_complete_rule_has_all_its_numbers),
        cmocka_unit_test(a_number_that_is_set_again_is_replaced),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_right_ones),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(a_number_of_another_rule_is_refused),
        cmocka_unit_test(only_sgd_without_l2_and_clipping_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
