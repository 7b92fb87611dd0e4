/* expression_test.c: the language of columns and findings: what it computes, and where its mistakes are. */
#include "lab/expression/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/expression/expression_value.h"
#include "support.h"

/* Names of the tests: `list` is 3 1 2, `one` is 7 and `none` is not known; with a condition or wanted otherwise they tell that. */
static tri_status find(void *context, tri__arena *arena, const char *name, const tri__condition *where, tri__wanted wanted,
                       tri__number_list *out)
{
    (void)context;
    bool list = !strcmp(name, "list");
    *out = (tri__number_list){.number = tri__arena_alloc(arena, 3 * sizeof(double)), .count = list ? 3 : 1};
    for (int i = 0; i < 3; i++)
        out->number[i] = !strcmp(name, "none") ? NAN : list ? (const double[]){3, 1, 2}[i] : 7;
    for (; where; where = where->outer)
        out->number[0] += 100 * strlen(where->value);
    out->number[0] += 1000 * (int)wanted;
    return NULL;
}

static double value_of(const char *text, tri__finding_evidence *evidence)
{
    const tri__text_position place = {.file = "t", .line = 1, .column = 1};
    const tri__names names = {.find = find};
    tri__expression *expression;
    tri__arena *arena;
    tri__number_list values;
    assert_ok(tri__expression_parse(&place, text, &expression));
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__expression_evaluate(expression, &names, arena, evidence, &values));
    assert_int_equal(values.count, 1);
    double value = values.number[0];
    tri__arena_destroy(arena);
    tri__expression_destroy(expression);
    return value;
}

static void expressions_have_the_values_of_arithmetic(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"8 / 2 / 2", 2},
        {"-one + 10", 3},
        {"2 - -1", 3},
        {"1 < 2 and 2 < 1", 0},
        {"1 < 2 or 2 < 1", 1},
        {"not 3 - 3", 1},
        {"1e-1 * 10 == 1", 1},
        {"1 != 1", 0},
        {"sum(list)", 6},
        {"min(list)", 1},
        {"max(list)", 3},
        {"median(list)", 2},
        {"spread(list)", 2},
        {"count(list)", 3},
        {"first(list)", 3},
        {"last(list)", 2},
        {"max(list * 2 + 1)", 7},
        {"min(abs(list - 2))", 0},
        {"rises(list)", 0},
        {"falls(list)", 0},
        {"sqrt(9)", 3},
        {"log(1)", 0},
        {"mean(list)", 2},
        {"low(list) == min(all(list))", 1},  /* the median of three drawn anew is often the least, … */
        {"high(list) == max(all(list))", 1}, /* … and often the most */
        {"one at a=x", 107},
        {"one at a=x, b=yy", 307},
        {"(one + 0) at a=x", 107},
        {"reported(one)", 2007},
        {"first(all(one))", 1007},
        {"slope(list, list)", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (fabs(value_of(cases[i].text, NULL) - cases[i].value) > 1e-9)
            fail_msg("%s is %g, not %g", cases[i].text, value_of(cases[i].text, NULL), cases[i].value);
}

static void unknown_operand_gives_unknown_unless_the_other_decides(void **state)
{
    (void)state;
    assert_true(isnan(value_of("none > 1", NULL)));
    assert_true(isnan(value_of("none > 1 and 1 < 2", NULL)));
    assert_true(value_of("none > 1 and 2 < 1", NULL) == 0);
    assert_true(value_of("none > 1 or 1 < 2", NULL) == 1);
    assert_true(isnan(value_of("1 / 0", NULL)));
}

static void evidence_has_both_sides_of_each_comparison(void **state)
{
    tri__finding_evidence evidence;
    (void)state;
    value_of("one > 3 and min(list) < 2", &evidence);
    assert_string_equal(evidence.text, "7 > 3, 1 < 2");
    assert_true(evidence.first == 7);
    value_of("none > 3", &evidence);
    assert_string_equal(evidence.text, "unknown > 3");
    assert_true(isnan(evidence.first));
    value_of("rises(list)", &evidence);
    assert_string_equal(evidence.text, "3, 1, 2");
}

static void mistakes_are_told_with_line_and_column(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 +", "t.yaml: line 4, column 12: the expression ends here"},
        {"mdian(x)", "line 4, column 9: there is no function mdian (did you mean 'median'?)"},
        {"max(1, 2)", "line 4, column 14: max takes 1 value, in brackets"},
        {"x at batch", "line 4, column 19: expected = and a value"},
        {"x at batch=", "line 4, column 20: expected the value of a condition"},
        {"(1", "line 4, column 11: expected )"},
        {"1 2", "line 4, column 11: expected an operator"},
        {"$", "line 4, column 9: expected a number, a name or ("},
    };
    const tri__text_position place = {.file = "t.yaml", .line = 4, .column = 9};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__expression *expression;
        assert_fails(tri__expression_parse(&place, cases[i].text, &expression), TRI_BAD_DATA, cases[i].message);
        assert_null(expression);
    }
}

static void lists_of_other_lengths_do_not_go_together(void **state)
{
    const tri__text_position place = {.file = "t", .line = 1, .column = 1};
    const tri__names names = {.find = find};
    tri__expression *expression;
    tri__arena *arena;
    tri__number_list values;
    (void)state;
    assert_ok(tri__expression_parse(&place, "list > 2", &expression));
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__expression_evaluate(expression, &names, arena, NULL, &values));
    assert_int_equal(values.count, 3);
    assert_true(values.number[0] == 1 && values.number[1] == 0 && values.number[2] == 0);
    tri__arena_destroy(arena);
    tri__expression_destroy(expression);
}

static void deep_nesting_is_refused(void **state)
{
    char text[600] = "";
    tri__expression *expression;
    (void)state;
    memset(text, '(', 500);
    assert_fails(tri__expression_parse(&(tri__text_position){.file = "t"}, text, &expression), TRI_BAD_DATA, "nested too deeply");
}

static void long_chain_is_refused(void **state)
{
    enum { TERMS = 100000 };
    char *text = malloc(2 * TERMS);
    tri__expression *expression;
    (void)state;
    assert_non_null(text);
    for (int i = 0; i < TERMS; i++)
        text[2 * i] = '1', text[2 * i + 1] = '+';
    text[2 * TERMS - 1] = 0;
    assert_fails(tri__expression_parse(&(tri__text_position){.file = "t", .line = 1, .column = 1}, text, &expression), TRI_BAD_DATA,
                 "the expression is too long");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_the_values_of_arithmetic),
        cmocka_unit_test(unknown_operand_gives_unknown_unless_the_other_decides),
        cmocka_unit_test(evidence_has_both_sides_of_each_comparison),
        cmocka_unit_test(mistakes_are_told_with_line_and_column),
        cmocka_unit_test(lists_of_other_lengths_do_not_go_together),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(long_chain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
