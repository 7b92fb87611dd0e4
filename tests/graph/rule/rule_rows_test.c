/* rule_rows_test.c: every rule against its formula in double precision, and against values computed by hand. */
#include <math.h>
#include <string.h>

#include "graph/rule/rule.h"
#include "support.h"

enum { COUNT = 1037, STEPS = 5 }; /* not a multiple of any vector's length */

static const float RATE = 0.05F, WEIGHT = 20;

static bool is(const tri_rule *rule, const char *name)
{
    return strcmp(rule->name, name) == 0;
}

static double number(const tri_rule *rule, const char *name)
{
    return (double)tri_rule_value(rule, name);
}

/* The oracle: one element, one step, in double precision. */
static double expected(const tri_rule *rule, double p, double sum, double slot[2], int step)
{
    double g = sum / (double)WEIGHT, r = (double)RATE, l1 = number(rule, "l1"), l2 = number(rule, "l2");
    if (is(rule, "ftrl")) {
        double *z = &slot[0], *n = &slot[1], sigma = (sqrt(*n + g * g) - sqrt(*n)) / r, beta = number(rule, "ftrl_beta");
        if (step == 0 && p != 0)
            *z = -p * (beta / r + l2) - copysign(l1, p);
        *z += g - sigma * p;
        *n += g * g;
        return fabs(*z) <= l1 ? 0 : -(*z - copysign(l1, *z)) / ((beta + sqrt(*n)) / r + l2);
    }
    g += l2 * p;
    if (is(rule, "momentum")) {
        slot[0] = number(rule, "momentum") * slot[0] + g;
        return p - r * slot[0];
    }
    if (is(rule, "nesterov")) {
        slot[0] = number(rule, "momentum") * slot[0] + g;
        return p - r * (g + number(rule, "momentum") * slot[0]);
    }
    if (is(rule, "adagrad")) {
        slot[0] += g * g;
        return p - r * g / (sqrt(slot[0]) + number(rule, "epsilon"));
    }
    if (is(rule, "adamw"))
        p -= r * number(rule, "decay") * p;
    if (is(rule, "adam") || is(rule, "adamw")) {
        double b1 = number(rule, "beta1"), b2 = number(rule, "beta2");
        slot[0] = b1 * slot[0] + (1 - b1) * g;
        slot[1] = b2 * slot[1] + (1 - b2) * g * g;
        double mean = slot[0] / (1 - pow(b1, step + 1)), square = slot[1] / (1 - pow(b2, step + 1));
        return p - r * mean / (sqrt(square) + number(rule, "epsilon"));
    }
    assert_string_equal(rule->name, "sgd"); /* a new rule has its formula here, too */
    return p - r * g;
}

static float start_of(int i)
{
    return i % 3 == 0 ? 0 : sinf((float)i);
}

static float gradient_of(int i, int step)
{
    return 30 * cosf((float)(i + 100 * step));
}

static void check_against_oracle(tri_rule rule)
{
    static float p[COUNT], g[COUNT], slots[2][COUNT];
    static double want[COUNT], want_slots[COUNT][2];
    assert_ok(tri__rule_complete(&rule));
    memset(slots, 0, sizeof slots);
    memset(want_slots, 0, sizeof want_slots);
    for (int i = 0; i < COUNT; i++)
        want[i] = (double)(p[i] = start_of(i));
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < COUNT; i++) {
            g[i] = gradient_of(i, step);
            want[i] = expected(&rule, want[i], (double)g[i], want_slots[i], step);
        }
        tri__rule_apply(&rule, &(tri__update){p, g, {slots[0], slots[1]}, COUNT, 0, 0, 1 / WEIGHT, {step, RATE}, step});
        for (int i = 0; i < COUNT; i++)
            if (!(fabs((double)p[i] - want[i]) <= 2e-5 * (1 + fabs(want[i]))))
                fail_msg("%s: step %d: element %d is %g, not %g", rule.name, step, i, (double)p[i], want[i]);
    }
}

static void every_rule_follows_its_formula(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++)
        check_against_oracle((tri_rule){.name = tri_rule_name(i)});
}

static void every_rule_follows_its_formula_with_l2(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++)
        if (tri__rule_has(tri_rule_name(i), tri__rule_number_find("l2")))
            check_against_oracle((tri_rule){.name = tri_rule_name(i), .set = {{"l2", 0.1F}}});
    check_against_oracle((tri_rule){.name = "ftrl", .set = {{"l1", 0.3F}, {"l2", 0.1F}}});
}

/* Two steps of one parameter: p = 1, g = 2 then 1, rate 0.1. */
static float two_steps(tri_rule rule)
{
    float p = 1, g = 2, slots[2] = {0, 0};
    assert_ok(tri__rule_complete(&rule));
    tri__rule_apply(&rule, &(tri__update){&p, &g, {&slots[0], &slots[1]}, 1, 0, 0, 1, {0, 0.1F}, 0});
    g = 1;
    tri__rule_apply(&rule, &(tri__update){&p, &g, {&slots[0], &slots[1]}, 1, 0, 0, 1, {1, 0.1F}, 1});
    return p;
}

static void two_steps_of_a_rule_give_the_values_of_its_formula(void **state)
{
    (void)state;
    assert_float_equal(two_steps((tri_rule){.name = "sgd"}), 0.7F, 1e-6F);
    /* 1 − 0.1·2 = 0.8; g = 1 + 0.5·0.8; first step with 2 + 0.5·1: 0.75; then 1 + 0.5·0.75 = 1.375 */
    assert_float_equal(two_steps((tri_rule){.name = "sgd", .set = {{"l2", 0.5F}}}), 0.6125F, 1e-6F);
    assert_float_equal(two_steps((tri_rule){.name = "momentum"}), 0.8F - 0.1F * (0.9F * 2 + 1), 1e-6F);
    /* v = 2, then 0.9·2 + 1 = 2.8 */
    assert_float_equal(two_steps((tri_rule){.name = "nesterov"}), 1 - 0.1F * (2 + 0.9F * 2) - 0.1F * (1 + 0.9F * 2.8F), 1e-6F);
    assert_float_equal(two_steps((tri_rule){.name = "adagrad"}), 0.9F - 0.1F / sqrtf(5), 1e-6F);
    /* m̂ = (0.9·0.2 + 0.1) / 0.19, v̂ = (0.999·0.004 + 0.001) / 0.001999 */
    assert_float_equal(two_steps((tri_rule){.name = "adam"}), 0.9F - 0.1F * (0.28F / 0.19F) / sqrtf(0.004996F / 0.001999F), 1e-5F);
}

static void ftrl_from_zero_is_the_papers(void **state)
{
    (void)state;
    tri_rule rule = {.name = "ftrl", .set = {{"l1", 0.5F}}};
    assert_ok(tri__rule_complete(&rule));
    float p[2] = {0, 0}, g[2] = {2, 0.4F}, z[2] = {0, 0}, n[2] = {0, 0};
    tri__rule_apply(&rule, &(tri__update){p, g, {z, n}, 2, 0, 0, 1, {0, 0.1F}, 0});
    assert_float_equal(p[0], -(2 - 0.5F) / ((1 + 2) / 0.1F), 1e-6F); /* z = 2, n = 4 */
    assert_true(p[1] == 0);                                          /* |z| = 0.4 ≤ l1 */
    assert_float_equal(n[0], 4, 1e-6F);
}

static void ftrl_keeps_initial_values_where_the_gradient_is_zero(void **state)
{
    (void)state;
    tri_rule rule = {.name = "ftrl", .set = {{"l1", 0.1F}, {"l2", 0.2F}}};
    assert_ok(tri__rule_complete(&rule));
    float p[3] = {0.5F, -0.25F, 0}, g[3] = {0}, z[3] = {0}, n[3] = {0};
    for (int step = 0; step < 3; step++)
        tri__rule_apply(&rule, &(tri__update){p, g, {z, n}, 3, 0, 0, 1, {step, 0.1F}, step});
    assert_float_equal(p[0], 0.5F, 1e-6F);
    assert_float_equal(p[1], -0.25F, 1e-6F);
    assert_true(p[2] == 0);
}

static void no_rule_moves_at_rate_zero(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++) {
        tri_rule rule = {.name = tri_rule_name(i)};
        assert_ok(tri__rule_complete(&rule));
        float p = 0.5F, g = 3, slots[2] = {0, 0};
        tri__rule_apply(&rule, &(tri__update){&p, &g, {&slots[0], &slots[1]}, 1, 0, 0, 1, {0, 0}, 0});
        assert_true(p == 0.5F);
    }
}

/* Above the bound the range is shared out over threads: not a bit may differ from the same update in small pieces. */
static void large_ranges_give_the_same_bits(void **state)
{
    (void)state;
    enum { LARGE = 200003, CUT = 1000 };
    static float p[2][LARGE], g[LARGE], slots[2][2][LARGE];
    for (int index = 0; tri_rule_name(index); index++) {
        tri_rule rule = {.name = tri_rule_name(index)};
        if (tri__rule_has(rule.name, tri__rule_number_find("l2")))
            rule.set[0] = (tri_rule_number){"l2", 0.01F};
        assert_ok(tri__rule_complete(&rule));
        memset(slots, 0, sizeof slots);
        for (int i = 0; i < LARGE; i++) {
            p[0][i] = p[1][i] = start_of(i);
            g[i] = gradient_of(i, 0);
        }
        tri__rule_apply(&rule, &(tri__update){p[0], g, {slots[0][0], slots[0][1]}, LARGE, 0, 0, 1, {0, RATE}, 0});
        for (int i = 0; i < LARGE; i += CUT) {
            size_t count = LARGE - i < CUT ? (size_t)(LARGE - i) : CUT;
            tri__rule_apply(&rule, &(tri__update){p[1] + i, g + i, {slots[1][0] + i, slots[1][1] + i}, count, 0, 0, 1, {0, RATE}, 0});
        }
        assert_memory_equal(p[0], p[1], sizeof p[0]);
        assert_memory_equal(slots[0], slots[1], sizeof slots[0]);
    }
}

/* Where 1 and 0 are after two steps. */
static void two_steps_of_two(tri_rule rule, float p[2])
{
    float g[2] = {2, 1}, slots[2][2] = {{0}};
    assert_ok(tri__rule_complete(&rule));
    p[0] = 1, p[1] = 0;
    for (int step = 0; step < 2; step++, g[0] = 1, g[1] = 3)
        tri__rule_apply(&rule, &(tri__update){p, g, {slots[0], slots[1]}, 2, 0, 0, 1, {step, 0.1F}, step});
}

/* Each number of each rule, set to another value than its default, moves a parameter elsewhere: none is known to the table and ignored. */
static void every_number_of_every_rule_counts(void **state)
{
    (void)state;
    const tri__rule_row *row;
    for (int i = 0; (row = tri__rule_row_at(i)); i++)
        for (int k = 0; k < TRI_RULE_NUMBERS && row->numbers[k]; k++) {
            const tri__rule_number *number = row->numbers[k];
            tri_rule changed = {.name = row->name, .set = {{number->key, number->standard == 0.5F ? 0.25F : 0.5F}}};
            float before[2], after[2];
            two_steps_of_two((tri_rule){.name = row->name}, before);
            two_steps_of_two(changed, after);
            if (!memcmp(before, after, sizeof before))
                fail_msg("%s: its %s has no effect", row->name, number->key);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_follows_its_formula),
        cmocka_unit_test(every_rule_follows_its_formula_with_l2),
        cmocka_unit_test(two_steps_of_a_rule_give_the_values_of_its_formula),
        cmocka_unit_test(ftrl_from_zero_is_the_papers),
        cmocka_unit_test(ftrl_keeps_initial_values_where_the_gradient_is_zero),
        cmocka_unit_test(no_rule_moves_at_rate_zero),
        cmocka_unit_test(large_ranges_give_the_same_bits),
        cmocka_unit_test(every_number_of_every_rule_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
