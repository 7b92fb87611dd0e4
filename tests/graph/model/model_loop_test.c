/* model_loop_test.c: loops in graph files: what they compute, which lines they show, and every mistake by its line and column. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

static float compute(const char *text, const char *output)
{
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    tri_tensor value;
    assert_ok(tri_graph_parse("g.graph", text, strlen(text), &graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){0}, &store));
    assert_ok(tri_plan_create(graph, &(tri_plan_options){.batch = 1, .threads = 1}, store, &plan));
    assert_ok(tri_plan_run(plan, NULL));
    assert_ok(tri_plan_value(plan, output, &value));
    const float found = *(const float *)value.data;
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    return found;
}

/* x ← x − (x² − 2) / 4 until |x² − 2| is below 0.001 */
static void a_loop_finds_the_root_of_two(void **state)
{
    (void)state;
    static const char text[] = "two = constant(value=-2)\n"
                               "near = constant(value=-1e-6)\n"
                               "guess = constant(value=1)\n"
                               "while(100)\n"
                               "    x = carry(guess)\n"
                               "    square = multiply(x, x)\n"
                               "    gap = add(square, two)\n"
                               "    far = multiply(gap, gap)\n"
                               "    go_on = add(far, near)\n"
                               "    step = multiply(gap, scale=-0.25)\n"
                               "    better = add(x, step)\n"
                               "    root = next(x, better)\n"
                               "end(go_on)\n"
                               "twice = multiply(root, scale=2)\n";
    assert_float_equal(compute(text, "twice"), 2 * sqrtf(2), 1e-3F);
}

/* 3 + 2 + 1, then 2 + 1, then 1: the inner loop reads what the outer one carries, and a line before both. */
static void a_loop_in_a_loop_reads_lines_of_both(void **state)
{
    (void)state;
    static const char text[] = "n = constant(value=3)\n"
                               "less = constant(value=-1)\n"
                               "zero = constant(value=0)\n"
                               "one = parameter(1, init=constant(1))\n"
                               "seen = add(one, zero)\n"
                               "while(most=3)\n"
                               "    i = carry(n)\n"
                               "    sum = carry(zero)\n"
                               "    while(most=3)\n"
                               "        j = carry(i)\n"
                               "        part = carry(sum)\n"
                               "        more = add_n(part, j)\n"
                               "        zeros = multiply(seen, scale=3)\n"
                               "        j_less = add(j, less)\n"
                               "        j_last = next(j, j_less)\n"
                               "        part_last = next(part, more)\n"
                               "    end(j)\n"
                               "    i_less = add(i, less)\n"
                               "    i_last = next(i, i_less)\n"
                               "    total = next(sum, part_last)\n"
                               "end(i)\n";
    assert_true(compute(text, "total") == 10);
    assert_true(compute(text, "i_last") == 0);
}

static void a_loop_whose_condition_is_false_makes_no_round(void **state)
{
    (void)state;
    static const char text[] = "no = constant(value=0)\n"
                               "start = constant(value=7)\n"
                               "while(1)\n"
                               "    a = carry(start)\n"
                               "    b = multiply(a, scale=2)\n"
                               "    c = next(a, b)\n"
                               "end(no)\n";
    assert_true(compute(text, "c") == 7);
}

#define BEGIN "s = constant(value=1)\nwhile(9)\na = carry(s)\n"

static void mistakes_in_loops_are_told_by_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"while()\n", "g.graph:1:1: while needs 'most'"},
        {"while(0)\n", "g.graph:1:7: most: 0 is out of range"},
        {"while(3)\nx = carry()\n", "g.graph:2:5: there is no line above that carry could read"},
        {"s = constant()\nx = carry(s)\n", "g.graph:2:5: carry stands in a loop"},
        {"s = constant()\nend(s)\n", "g.graph:2:1: end stands in a loop"},
        {BEGIN "b = next(a, s)\n", "g.graph:2:1: the loop that begins here has no end"},
        {BEGIN "end(s)\n", "g.graph:4:1: 'a' (line 3) is carried, and no next line says what becomes of it"},
        {"s = constant()\nwhile(9)\nend(s)\n", "g.graph:3:1: the loop of line 2 carries nothing"},
        {BEGIN "b = next(s, a)\n", "g.graph:4:5: next begins with a carry line of its loop, and 's' is none"},
        {BEGIN "b = next(a, s)\nc = next(a, s)\n", "g.graph:5:5: line 4 says already what becomes of 'a'"},
        {BEGIN "b = relu(a)\nc = carry(b)\n", "g.graph:5:5: carry begins with a line from before the loop, and 'b' is in it"},
        {BEGIN "b = next(a, s)\nd = relu(b)\n", "g.graph:5:10: 'b' is there when the loop has ended"},
        {BEGIN "c = relu(a)\nb = next(a, c)\nend(s)\nd = relu(c)\n", "g.graph:7:10: 'c' is inside the loop of line 2"},
        {BEGIN "b = next(a, s)\nend(s)\nrelu(while1)\n", "g.graph:6:6: 'while1' (while) has no value"},
        {BEGIN "b = relu(a, place=1)\n", "g.graph:4:5: one task computes a whole loop"},
        {BEGIN "b = parameter(3)\n", "g.graph:4:5: parameter has variables, which live outside of loops"},
        {BEGIN "b = dense(3)\n", "g.graph:4:5: dense has variables, which live outside of loops"},
        {BEGIN "b = layer_norm(a)\n", "g.graph:4:5: layer_norm has variables, which live outside of loops"},
        {BEGIN "b = random(3, init=normal(1))\n", "g.graph:4:5: random would give the same numbers in every round"},
        {"v = input(1)\nwhile(9)\na = carry(v)\nassign(v, a)\n", "g.graph:4:1: assign changes a variable once a run"},
        {"s = constant()\nwhile(9)\nagain = carry(s)\n", "g.graph:3:9: the name 'again' has a meaning of its own"},
        {BEGIN "b = constant(2)\nc = next(a, b)\nend(s)\n", "g.graph:2:1: cond"},
        {"s = constant(2)\nwhile(9)\na = carry(s)\nb = next(a, a)\nend(a)\n", "g.graph:2:1: cond"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri_graph *graph = NULL;
        tri_status status = tri_graph_parse("g.graph", cases[i].text, strlen(cases[i].text), &graph);
        if (!status || !strstr(tri_status_message(status), cases[i].message))
            fail_msg("expected '%s', got '%s'", cases[i].message, status ? tri_status_message(status) : "a graph");
        tri_status_free(status);
    }
}

static TRI_FORMAT(3, 4) void append(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(text + strlen(text), size - strlen(text), format, values);
    va_end(values);
}

static void a_loop_reads_no_more_values_than_it_can_have(void **state)
{
    (void)state;
    char text[2048] = "s = input(1)\n";
    tri_graph *graph = NULL;
    for (int i = 0; i < TRI_MAX_INPUTS; i++)
        append(text, sizeof text, "v%d = input(1)\n", i);
    append(text, sizeof text, "while(%d)\na = carry(s)\n", 9);
    for (int i = 0; i < TRI_MAX_INPUTS; i++)
        append(text, sizeof text, "w%1$d = add(a, v%1$d)\n", i);
    append(text, sizeof text, "b%d = next(a, w0)\nend(a)\n", 1);
    tri_status status = tri_graph_parse("g.graph", text, strlen(text), &graph);
    assert_non_null(status);
    assert_non_null(strstr(tri_status_message(status), "a loop reads at most 12 values from outside, and 'v11' is one more"));
    tri_status_free(status);
}

static void models_have_no_loops(void **state)
{
    (void)state;
    static const char text[] = "input(4)\ndense(2)\nwhile(9)\n";
    tri_model *model = NULL;
    tri_status status = tri_model_parse("m.model", text, strlen(text), &model);
    assert_non_null(status);
    assert_non_null(
        strstr(tri_status_message(status), "m.model:3:1: while is for graphs, which 'trireme run' reads: a loop has no gradient"));
    tri_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_finds_the_root_of_two),
        cmocka_unit_test(a_loop_in_a_loop_reads_lines_of_both),
        cmocka_unit_test(a_loop_whose_condition_is_false_makes_no_round),
        cmocka_unit_test(mistakes_in_loops_are_told_by_line_and_column),
        cmocka_unit_test(a_loop_reads_no_more_values_than_it_can_have),
        cmocka_unit_test(models_have_no_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
