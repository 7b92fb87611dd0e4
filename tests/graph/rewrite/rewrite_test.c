/* rewrite_test.c: each rewrite does what it says to the graph, and only where it may. That results stay equal is tested in plan_test.c and
 * here for those that the models do not have. */
#include "graph/rewrite/rewrite.h"

#include <math.h>

#include "graph/nodes/operator.h"
#include "graph/rewrite/autodiff.h"
#include "support.h"
#include "trireme/model.h"
#include "trireme/plan.h"

#define WITHOUT_ALL_BUT(bit) (TRI_PLAN_ALL & ~(unsigned)(bit))

static tri_node *add(tri_graph *graph, const char *operator_name, const tri_attributes *attributes, tri_node *a, tri_node *b)
{
    tri_node *inputs[] = {a, b}, *node;
    assert_ok(tri_graph_add(graph, operator_name, NULL, inputs, a ? (b ? 2 : 1) : 0, attributes, &node));
    return node;
}

static tri_graph *empty(void)
{
    tri_graph *graph;
    assert_ok(tri_graph_create(4, &graph));
    return graph;
}

static tri_node *parameter(tri_graph *graph, const char *name, tri_shape shape)
{
    tri_node *node;
    assert_ok(tri_graph_parameter(graph, name, shape, TRI_INIT_NORMAL, 1, &node));
    return node;
}

static int count_of(const tri_graph *graph, const char *operator_name)
{
    int count = 0;
    for (int i = 0; i < graph->count; i++)
        count += tri__node_is(graph->node[i], operator_name);
    return count;
}

/* x [4][6] → relu(x·w + b) */
static tri_graph *dense(tri_node **bias_user)
{
    tri_graph *graph = empty();
    tri_node *x;
    assert_ok(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(6), &x));
    tri_node *product = add(graph, "matmul", NULL, x, parameter(graph, "w", TRI_SHAPE(6, 5)));
    tri_node *biased = add(graph, "bias", NULL, product, parameter(graph, "b", TRI_SHAPE(5)));
    *bias_user = product;
    assert_ok(tri_graph_output(graph, "y", add(graph, "relu", NULL, biased, NULL)));
    return graph;
}

static void a_product_is_added_where_the_sum_stands(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        tri_graph *graph = empty();
        tri_node *a = parameter(graph, "a", TRI_SHAPE(3, 6)), *b = parameter(graph, "b", TRI_SHAPE(6, 5));
        tri_node *c = parameter(graph, "c", TRI_SHAPE(3, 5)), *product = add(graph, "matmul", NULL, a, b);
        assert_ok(tri_graph_output(graph, "y", add(graph, "add", NULL, c, product)));
        if (shared)
            assert_ok(tri_graph_output(graph, "product", product));
        assert_ok(tri__graph_rewrite(graph, WITHOUT_ALL_BUT(TRI_PLAN_FUSE | TRI_PLAN_DEAD)));
        assert_int_equal(count_of(graph, "add"), shared); /* where somebody else reads the product, it stays */
        assert_int_equal(tri_graph_find_output(graph, "y")->inputs, shared ? 2 : 3);
        tri_graph_destroy(graph);
    }
}

/* Σ over z = y·b + y, where y = x·b + x: each sum reads its own matrix twice, and neither may be overwritten while it is read. */
static float sum_of_own_products(unsigned without)
{
    tri_graph *graph = empty();
    tri_store *store;
    tri_plan *plan;
    tri_tensor sum;
    tri_node *b = parameter(graph, "b", TRI_SHAPE(40, 40)), *x = add(graph, "relu", NULL, parameter(graph, "c", TRI_SHAPE(40, 40)), NULL);
    tri_node *y = add(graph, "add", NULL, x, add(graph, "matmul", NULL, x, b));
    tri_node *z = add(graph, "add", NULL, add(graph, "matmul", NULL, y, b), y);
    assert_ok(tri_graph_output(graph, "sum", add(graph, "sum", &(tri_attributes){.axis = TRI_AXIS_ALL}, z, NULL)));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){0}, &store));
    tri_graph_initialise(graph, 5, tri_store_parameters(store));
    assert_ok(tri_plan_create(graph, &(tri_plan_options){.batch = 4, .threads = 1, .without = without}, store, &plan));
    assert_ok(tri_plan_run(plan, NULL));
    assert_ok(tri_plan_value(plan, "sum", &sum));
    const float value = *(const float *)sum.data;
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    return value;
}

static void a_matrix_is_added_to_its_own_product(void **state)
{
    (void)state;
    const float expected = sum_of_own_products(TRI_PLAN_ALL);
    assert_true(fabsf(expected) > 1);
    assert_float_equal(sum_of_own_products(0), expected, fabsf(expected) * 1e-4F);
}

static void bias_and_activation_are_fused(void **state)
{
    (void)state;
    tri_node *product;
    tri_graph *graph = dense(&product);
    assert_ok(tri__graph_rewrite(graph, 0));
    const tri_node *y = tri_graph_find_output(graph, "y");
    assert_true(tri__node_is(y, "matmul"));
    assert_int_equal(y->inputs, 3);
    assert_int_equal(y->attributes.activation, TRI_ACTIVATION_RELU);
    assert_int_equal(count_of(graph, "bias") + count_of(graph, "relu"), 0);
    tri_graph_destroy(graph);
}

/* No fast kernel computes them, and the product would be computed by a plain one. */
static void activations_other_than_relu_are_not_fused(void **state)
{
    static const char *const names[] = {"tanh", "sigmoid"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tri_graph *graph = empty();
        tri_node *a = parameter(graph, "a", TRI_SHAPE(3, 6)), *b = parameter(graph, "b", TRI_SHAPE(6, 5));
        assert_ok(tri_graph_output(graph, "y", add(graph, names[i], NULL, add(graph, "matmul", NULL, a, b), NULL)));
        assert_ok(tri__graph_rewrite(graph, 0));
        assert_true(tri__node_is(tri_graph_find_output(graph, "y"), names[i]));
        tri_graph_destroy(graph);
    }
}

static void a_value_with_two_users_is_not_fused(void **state)
{
    (void)state;
    tri_node *product;
    tri_graph *graph = dense(&product);
    assert_ok(tri_graph_output(graph, "product", product));
    assert_ok(tri__graph_rewrite(graph, 0));
    assert_int_equal(count_of(graph, "bias"), 1);
    tri_graph_destroy(graph);
}

static void nodes_that_nothing_needs_are_dropped(void **state)
{
    (void)state;
    tri_node *product;
    tri_graph *graph = dense(&product);
    add(graph, "tanh", NULL, product, NULL);
    assert_ok(tri__graph_rewrite(graph, WITHOUT_ALL_BUT(TRI_PLAN_DEAD)));
    assert_int_equal(count_of(graph, "tanh"), 0);
    tri_graph_destroy(graph);
    graph = dense(&product);
    add(graph, "tanh", NULL, product, NULL);
    assert_ok(tri__graph_rewrite(graph, TRI_PLAN_ALL));
    assert_int_equal(count_of(graph, "tanh"), 1);
    tri_graph_destroy(graph);
}

static void max_pooling_comes_before_relu(void **state)
{
    (void)state;
    tri_graph *graph = empty();
    tri_node *x;
    assert_ok(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(3, 8, 8), &x));
    const tri_attributes two = {.kernel = {2, 2}};
    assert_ok(tri_graph_output(graph, "y", add(graph, "maxpool", &two, add(graph, "relu", NULL, x, NULL), NULL)));
    assert_ok(tri__graph_rewrite(graph, 0));
    const tri_node *y = tri_graph_find_output(graph, "y");
    assert_true(tri__node_is(y, "relu"));
    assert_true(tri__node_is(y->input[0], "maxpool"));
    tri_graph_destroy(graph);
}

static void constants_are_folded(void **state)
{
    (void)state;
    tri_graph *graph = empty();
    const tri_attributes three = {.value = 3, .shape = TRI_SHAPE(2, 2)}, all = {.axis = TRI_AXIS_ALL};
    tri_node *c = add(graph, "constant", &three, NULL, NULL);
    assert_ok(tri_graph_output(graph, "y", add(graph, "sum", &all, add(graph, "add", NULL, c, c), NULL)));
    assert_ok(tri__graph_rewrite(graph, 0));
    const tri_node *y = tri_graph_find_output(graph, "y");
    assert_true(tri__node_is(y, "constant"));
    assert_float_equal(*(const float *)y->data, 24.0f, 0);
    tri_graph_destroy(graph);
}

/* The loss and gradient of trace(a·b), with the given transposes. */
static double trace_step(bool transpose_a, bool transpose_b, unsigned without, float *gradient, size_t *floats)
{
    tri_graph *graph = empty();
    const tri_attributes product = {.transpose_a = transpose_a, .transpose_b = transpose_b};
    tri_node *a = parameter(graph, "a", transpose_a ? TRI_SHAPE(3, 5) : TRI_SHAPE(5, 3));
    tri_node *b = parameter(graph, "b", transpose_b ? TRI_SHAPE(5, 3) : TRI_SHAPE(3, 5));
    assert_ok(tri_graph_output(graph, "loss", add(graph, "trace", NULL, add(graph, "matmul", &product, a, b), NULL)));
    tri_store *store;
    const tri_rule rule = {.name = "sgd"};
    *floats = tri_graph_parameter_floats(graph);
    assert_ok(tri_store_local_create(*floats, &rule, &store));
    for (size_t i = 0; i < *floats; i++)
        tri_store_parameters(store)[i] = (float)(i % 7) - 2.5f;
    tri_plan *plan;
    const tri_plan_options options = {.batch = 4, .training = true, .threads = 1, .without = without};
    assert_ok(tri_plan_create(graph, &options, store, &plan));
    double loss;
    assert_ok(tri_store_begin(store, &(tri_step){.rate = 0}));
    assert_ok(tri_plan_train(plan, NULL, &loss));
    for (size_t i = 0; i < *floats; i++)
        gradient[i] = tri_store_gradient(store)[i];
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    return loss;
}

static void the_trace_of_a_product_needs_no_product(void **state)
{
    (void)state;
    for (int transposes = 0; transposes < 4; transposes++) {
        float with[64], without[64];
        size_t floats;
        double fast = trace_step(transposes & 1, transposes & 2, 0, with, &floats);
        double slow = trace_step(transposes & 1, transposes & 2, TRI_PLAN_ALL, without, &floats);
        assert_true(fabs(fast - slow) < 1e-4);
        for (size_t i = 0; i < floats; i++)
            assert_float_equal(with[i], without[i], 1e-5f);
    }
    tri_graph *graph = empty();
    tri_node *product = add(graph, "matmul", NULL, parameter(graph, "a", TRI_SHAPE(5, 3)), parameter(graph, "b", TRI_SHAPE(3, 5)));
    assert_ok(tri_graph_output(graph, "y", add(graph, "trace", NULL, product, NULL)));
    assert_ok(tri__graph_rewrite(graph, 0));
    assert_int_equal(count_of(graph, "matmul") + count_of(graph, "trace"), 0);
    tri_graph_destroy(graph);
}

/* One gradient may serve two parameters: each gets its own copy. */
static void two_parameters_may_share_a_gradient(void **state)
{
    (void)state;
    tri_graph *graph = empty();
    tri_node *a = parameter(graph, "a", TRI_SHAPE(3)), *b = parameter(graph, "b", TRI_SHAPE(3)), *gradient[8];
    const tri_attributes all = {.axis = TRI_AXIS_ALL};
    tri_node *loss = add(graph, "sum", &all, add(graph, "add", NULL, a, b), NULL);
    assert_ok(tri__graph_gradients(graph, loss, false, gradient));
    assert_ptr_not_equal(gradient[a->id], gradient[b->id]);
    assert_ptr_equal(gradient[a->id]->parameter, a);
    assert_ptr_equal(gradient[b->id]->parameter, b);
    tri_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_added_where_the_sum_stands), cmocka_unit_test(a_matrix_is_added_to_its_own_product),
        cmocka_unit_test(bias_and_activation_are_fused),           cmocka_unit_test(activations_other_than_relu_are_not_fused),
        cmocka_unit_test(a_value_with_two_users_is_not_fused),     cmocka_unit_test(nodes_that_nothing_needs_are_dropped),
        cmocka_unit_test(max_pooling_comes_before_relu),           cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(the_trace_of_a_product_needs_no_product), cmocka_unit_test(two_parameters_may_share_a_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
