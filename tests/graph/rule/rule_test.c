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
        assert_true(tri__rule_row_at(i)->slots < TRI_RULE_SLOTS); /* one more has the averages */
    assert_int_equal(tri_rule_slots(&(tri_rule){.name = "adam", .average = 0.9F}), 3);
    assert_int_equal(tri__rule_average_slot(&(tri_rule){.name = "adam", .average = 0.9F}), 2);
    assert_int_equal(tri__rule_average_slot(&(tri_rule){.name = "adam"}), -1);
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

/* "with --rule adam or adamw: …". A number without such words is one of nearly all rules. */
static void the_help_of_a_number_names_its_rules(void **state)
{
    (void)state;
    const tri__rule_number *number;
    for (int i = 0; (number = tri__rule_number_at(i)); i++) {
        const char *meaning = number->option.meaning;
        char names[128], words[160];
        snprintf(words, sizeof words, "with --rule %s: ", tri__rule_names(number, names, sizeof names));
        if (!strncmp(meaning, "with --rule ", 12) && strncmp(meaning, words, strlen(words)) != 0)
            fail_msg("the help of --%s does not begin with '%s'", number->option.name, words);
    }
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
    tri_rule averaging = {.average = 0.75F};
    assert_ok(tri__rule_complete(&averaging));
    assert_string_equal(tri__rule_text(&averaging, text, sizeof text), "--rule sgd --l2 0 --average 0.75");
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
    assert_refused((tri_rule){.average = 1}, "the decay of the averages is 1: it must be 0 (none are kept), or above 0 and below 1");
    assert_refused((tri_rule){.average = -0.5F}, "the decay of the averages is -0.5");
    assert_refused((tri_rule){.average = NAN}, "the decay of the averages");
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

static void only_sgd_without_l2_clipping_and_averages_is_linear(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++)
        assert_int_equal(is_linear((tri_rule){.name = tri_rule_name(i)}), i == 0);
    assert_false(is_linear((tri_rule){.name = "sgd", .set = {{"l2", 0.1F}}}));
    assert_false(is_linear((tri_rule){.name = "sgd", .clip = 1}));
    assert_false(is_linear((tri_rule){.name = "sgd", .average = 0.9F}));
}

/* ---- averages ---- */

enum { LARGE = 70001, STEPS = 30 }; /* a range that several threads share; steps until the decay is what was asked for */

typedef struct {
    float p[LARGE], g[LARGE], slot[TRI_RULE_SLOTS][LARGE];
} buffers;

static void begin(buffers *all)
{
    memset(all, 0, sizeof *all);
    for (int i = 0; i < LARGE; i++)
        all->p[i] = sinf((float)i);
}

static void make_step(const tri_rule *rule, buffers *all, int step, size_t state, size_t frozen)
{
    for (int i = 0; i < LARGE; i++)
        all->g[i] = cosf((float)(i + 100 * step));
    tri__rule_apply(
        rule, &(tri__update){all->p, all->g, {all->slot[0], all->slot[1], all->slot[2]}, LARGE, state, frozen, 1, {step, 0.05F}, step});
}

static void check_averages(tri_rule rule)
{
    static buffers all;
    static double want[LARGE];
    assert_ok(tri__rule_complete(&rule));
    const float *average = all.slot[tri__rule_average_slot(&rule)];
    begin(&all);
    for (int step = 0; step < STEPS; step++) {
        const double decay = step == 0 ? 0 : fmin(0.7, (double)step / (step + 9));
        make_step(&rule, &all, step, 0, 0);
        for (int i = 0; i < LARGE; i++) {
            want[i] = decay * want[i] + (1 - decay) * (double)all.p[i];
            if (!(fabs((double)average[i] - want[i]) <= 1e-6 * (1 + fabs(want[i]))))
                fail_msg("%s: step %d: the average of %d is %g, not %g", rule.name, step, i, (double)average[i], want[i]);
        }
    }
}

static void averages_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++)
        check_averages((tri_rule){.name = tri_rule_name(i), .average = 0.7F});
}

static void averages_take_state_as_it_is_and_leave_frozen_floats_alone(void **state)
{
    (void)state;
    enum { STATE = 50, FROZEN = 20 };
    static buffers all;
    tri_rule rule = {.average = 0.9F, .state = {.range = {LARGE - STATE, STATE}, .rate = 0.1F, .frozen = FROZEN}};
    assert_ok(tri__rule_complete(&rule));
    begin(&all);
    memcpy(all.slot[0], all.p, sizeof all.p);
    for (int step = 0; step < 3; step++)
        make_step(&rule, &all, step, STATE, FROZEN);
    assert_memory_equal(all.slot[0] + LARGE - STATE, all.p + LARGE - STATE, STATE * sizeof(float));
    for (int i = LARGE - STATE; i < LARGE; i++)
        assert_int_equal(all.p[i] == sinf((float)i), i >= LARGE - FROZEN);
    assert_true(all.slot[0][LARGE - STATE - 1] != all.p[LARGE - STATE - 1]);
}

static void frozen_floats_are_in_the_averages_though_nobody_put_them_there(void **state)
{
    (void)state;
    enum { FROZEN = 20 };
    static buffers all;
    tri_rule rule = {.average = 0.9F, .state = {.range = {LARGE - FROZEN, FROZEN}, .frozen = FROZEN}};
    assert_ok(tri__rule_complete(&rule));
    begin(&all);
    make_step(&rule, &all, 0, FROZEN, FROZEN);
    assert_memory_equal(all.slot[0] + LARGE - FROZEN, all.p + LARGE - FROZEN, FROZEN * sizeof(float));
}

/* Of an asynchronous job: the gradient is of step 0, and the range has had 10,000 updates. */
static void a_late_gradient_does_not_replace_the_average(void **state)
{
    (void)state;
    float p = 1, g = 0, average = 0;
    tri_rule rule = {.average = 0.9F};
    assert_ok(tri__rule_complete(&rule));
    tri__rule_apply(&rule, &(tri__update){&p, &g, {&average}, 1, 0, 0, 1, {0, 0.05F}, 10000});
    assert_true(fabsf(average - 0.1F) < 1e-6F);
}

static void averages_change_nothing_of_the_update(void **state)
{
    (void)state;
    static buffers with, without;
    tri_rule rule = {.name = "adam"}, averaging = {.name = "adam", .average = 0.9F};
    assert_ok(tri__rule_complete(&rule));
    assert_ok(tri__rule_complete(&averaging));
    begin(&with);
    begin(&without);
    for (int step = 0; step < 3; step++) {
        make_step(&averaging, &with, step, 0, 0);
        make_step(&rule, &without, step, 0, 0);
    }
    assert_memory_equal(with.p, without.p, sizeof with.p);
    assert_memory_equal(with.slot, without.slot, 2 * sizeof with.slot[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_names_and_slots),
        cmocka_unit_test(the_option_names_every_rule),
        cmocka_unit_test(the_help_of_a_number_names_its_rules),
        cmocka_unit_test(every_number_is_listed_once_and_its_default_is_in_range),
        cmocka_unit_test(a_complete_rule_has_all_its_numbers),
        cmocka_unit_test(a_number_that_is_set_again_is_replaced),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_right_ones),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(a_number_of_another_rule_is_refused),
        cmocka_unit_test(only_sgd_without_l2_clipping_and_averages_is_linear),
        cmocka_unit_test(averages_are_those_of_a_plain_loop),
        cmocka_unit_test(averages_take_state_as_it_is_and_leave_frozen_floats_alone),
        cmocka_unit_test(frozen_floats_are_in_the_averages_though_nobody_put_them_there),
        cmocka_unit_test(a_late_gradient_does_not_replace_the_average),
        cmocka_unit_test(averages_change_nothing_of_the_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
