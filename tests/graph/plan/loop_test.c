/* loop_test.c: loops made by C calls: the same as a loop in C, within their bound, and refused where they are to be differentiated. */
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

enum { SIZE = 5 };

static tri_node *add(tri_graph *graph, const char *operator_name, tri_node *a, tri_node *b, const tri_attributes *attributes)
{
    tri_node *node;
    assert_ok(tri_graph_add(graph, operator_name, NULL, (tri_node *[]){a, b}, b ? 2 : 1, attributes, &node));
    return node;
}

static tri_node *parameter(tri_graph *graph, const char *name, tri_shape shape, float value)
{
    tri_node *node;
    assert_ok(tri_graph_parameter(graph, name, shape, TRI_INIT_CONSTANT, value, &node));
    return node;
}

/* while n > 0: v ← v∘v + c, n ← n − 1 */
static tri_graph *make_body(void)
{
    tri_graph *body;
    tri_node *one;
    assert_ok(tri_graph_create(1, &body));
    tri_node *n = parameter(body, "n", (tri_shape){0}, 0), *v = parameter(body, "v", TRI_SHAPE(SIZE), 0);
    tri_node *c = parameter(body, "c", TRI_SHAPE(SIZE), 0);
    assert_ok(tri_graph_add(body, "constant", NULL, NULL, 0, &(tri_attributes){.value = -1}, &one));
    assert_ok(tri_graph_output(body, "again", n));
    assert_ok(tri_graph_output(body, "v", add(body, "add", add(body, "multiply", v, v, NULL), c, NULL)));
    assert_ok(tri_graph_output(body, "n", add(body, "add", n, one, NULL)));
    return body;
}

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} fixture;

static void build(fixture *f, float rounds, int64_t most)
{
    *f = (fixture){0};
    tri_node *loop, *last, *left;
    assert_ok(tri_graph_create(1, &f->graph));
    tri_node *inputs[] = {parameter(f->graph, "rounds", (tri_shape){0}, rounds), parameter(f->graph, "start", TRI_SHAPE(SIZE), 0.5F),
                          parameter(f->graph, "c", TRI_SHAPE(SIZE), 0.125F)};
    assert_ok(tri_graph_while(f->graph, "loop", make_body(), inputs, 3, most, &loop));
    assert_ok(tri_graph_carried(f->graph, "last", loop, "v", &last));
    assert_ok(tri_graph_carried(f->graph, "left", loop, "n", &left));
    assert_ok(tri_graph_output(f->graph, "last", last));
    assert_ok(tri_graph_output(f->graph, "left", left));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f->graph), &(tri_rule){0}, &f->store));
    tri_graph_initialise(f->graph, 1, tri_store_parameters(f->store));
    assert_ok(tri_plan_create(f->graph, &(tri_plan_options){.batch = 1, .threads = 1}, f->store, &f->plan));
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static const float *value(fixture *f, const char *output)
{
    tri_tensor tensor;
    assert_ok(tri_plan_value(f->plan, output, &tensor));
    return tensor.data;
}

static void a_loop_is_the_loop_that_c_would_make(void **state)
{
    (void)state;
    for (int rounds = 0; rounds < 5; rounds++) {
        fixture f;
        float v = 0.5F;
        build(&f, (float)rounds, 4);
        for (int i = 0; i < rounds; i++)
            v = v * v + 0.125F;
        for (int again = 0; again < 2; again++) { /* a second run starts anew */
            assert_ok(tri_plan_run(f.plan, NULL));
            for (int i = 0; i < SIZE; i++)
                assert_float_equal(value(&f, "last")[i], v, 1e-6F);
            assert_true(*value(&f, "left") == 0);
        }
        drop(&f);
    }
}

static void a_loop_that_is_not_done_within_its_bound_fails_by_name(void **state)
{
    (void)state;
    fixture f;
    build(&f, 5, 4);
    tri_status status = tri_plan_run(f.plan, NULL);
    assert_int_equal(tri_status_code(status), TRI_BAD_DATA);
    assert_non_null(strstr(tri_status_message(status), "the loop 'loop' is not done after 4 rounds"));
    tri_status_free(status);
    drop(&f);
}

static void a_loop_is_refused_where_it_is_to_be_differentiated(void **state)
{
    (void)state;
    fixture f;
    tri_plan *plan = NULL;
    build(&f, 1, 4);
    tri_node *sum = add(f.graph, "sum", tri_graph_find(f.graph, "last"), NULL, &(tri_attributes){.axis = TRI_AXIS_ALL});
    assert_ok(tri_graph_output(f.graph, "loss", sum));
    tri_status status = tri_plan_create(f.graph, &(tri_plan_options){.batch = 1, .training = true}, f.store, &plan);
    assert_non_null(strstr(tri_status_message(status), "has no derivative, but a parameter lies behind it"));
    tri_status_free(status);
    drop(&f);
}

static void assert_refused(tri_status status, const char *message)
{
    assert_non_null(status);
    if (!strstr(tri_status_message(status), message))
        fail_msg("expected '%s', got '%s'", message, tri_status_message(status));
    tri_status_free(status);
}

static void loops_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    tri_graph *graph, *body;
    tri_node *node;
    assert_ok(tri_graph_create(1, &graph));
    tri_node *one = parameter(graph, "one", (tri_shape){0}, 1), *row = parameter(graph, "row", TRI_SHAPE(SIZE), 1);
    assert_refused(tri_graph_while(graph, "a", make_body(), (tri_node *[]){one, row}, 2, 9, &node), "another number of parameters");
    assert_refused(tri_graph_while(graph, "b", make_body(), (tri_node *[]){row, row, row}, 3, 9, &node), "n");
    assert_refused(tri_graph_while(graph, "c", make_body(), (tri_node *[]){one, row, row}, 3, 0, &node), "expected 1 or more");
    assert_ok(tri_graph_create(1, &body));
    parameter(body, "n", (tri_shape){0}, 0);
    assert_refused(tri_graph_while(graph, "d", body, &one, 1, 9, &node), "has no output 'again'");
    assert_refused(tri_graph_add(graph, "while", "e", &one, 1, NULL, &node), "tri_graph_while");
    assert_refused(tri_graph_carried(graph, "f", one, "n", &node), "is no loop");
    tri_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_the_loop_that_c_would_make),
        cmocka_unit_test(a_loop_that_is_not_done_within_its_bound_fails_by_name),
        cmocka_unit_test(a_loop_is_refused_where_it_is_to_be_differentiated),
        cmocka_unit_test(loops_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
