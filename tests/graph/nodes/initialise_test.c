/* initialise_test.c: initial values have the size their rule says, and depend on seed, name and element alone. */
#include "graph/nodes/initialise.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trireme/model.h"

#define COUNT (400 * 500)

static float values[COUNT], again[COUNT];

static void fill(tri_init init, float value, float *out)
{
    tri__initialise(init, value, TRI_SHAPE(400, 5, 10, 10), tri__key_of(7), out);
}

static double largest(const float *out)
{
    double most = 0;
    for (int i = 0; i < COUNT; i++)
        most = fmax(most, fabs((double)out[i]));
    return most;
}

static double variance(const float *out)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        sum += (double)out[i];
        squares += (double)out[i] * (double)out[i];
    }
    return squares / COUNT - sum / COUNT * (sum / COUNT);
}

static void assert_bound(double bound)
{
    assert_true(largest(values) <= bound);
    assert_true(largest(values) > 0.99 * bound);
    assert_float_equal(variance(values) / (bound * bound / 3), 1, 0.02);
}

static void initial_values_have_the_size_that_their_rule_says(void **state)
{
    (void)state;
    fill(TRI_INIT_HE, 0, values);
    assert_bound(sqrt(6.0 / 500));
    fill(TRI_INIT_XAVIER, 0, values);
    assert_bound(sqrt(6.0 / (500 + 40000)));
    fill(TRI_INIT_UNIFORM, 0.3f, values);
    assert_bound(0.3f);
    fill(TRI_INIT_NORMAL, 0.01f, values);
    assert_float_equal(variance(values) / 1e-4, 1, 0.02);
    fill(TRI_INIT_CONSTANT, 2, values);
    assert_true(values[0] == 2 && values[COUNT - 1] == 2);
    fill(TRI_INIT_ZERO, 2, values);
    assert_true(largest(values) == 0);
}

static void initial_values_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    fill(TRI_INIT_NORMAL, 1, values);
    omp_set_num_threads(3);
    fill(TRI_INIT_NORMAL, 1, again);
    omp_set_num_threads(threads);
    assert_memory_equal(values, again, sizeof values);
}

/* The flat buffer of a model, initialised with seed. */
static float *initialised(const char *text, uint64_t seed, tri_graph **graph)
{
    tri_model *model = NULL;
    assert_ok(tri_model_parse("my.model", text, strlen(text), &model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = {1, {6}}, .classes = 3}, 2, graph));
    float *parameters = calloc(tri_graph_parameter_floats(*graph), sizeof(float));
    assert_non_null(parameters);
    tri_graph_initialise(*graph, seed, parameters);
    tri_model_destroy(model);
    return parameters;
}

static const float *weights_of(const tri_graph *graph, const char *name, const float *parameters)
{
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (strcmp(tri_node_name(tri_graph_node(graph, i)), name) == 0)
            return parameters + tri_node_range(tri_graph_node(graph, i)).first;
    fail_msg("no parameter '%s'", name);
    return NULL;
}

static void initial_values_depend_on_the_parameters_name_only(void **state)
{
    (void)state;
    tri_graph *first, *second, *third;
    float *a = initialised("input\nm = dense(4)\nn = dense(3)\nsoftmax_loss", 1, &first);
    float *b = initialised("input\nq = dense(6)\nm = dense(4)\nn = dense(3)\nsoftmax_loss", 1, &second);
    float *c = initialised("input\nm = dense(4)\nn = dense(3)\nsoftmax_loss", 2, &third);
    size_t bytes = 3 * 4 * sizeof(float);
    assert_memory_equal(weights_of(first, "n.weight", a), weights_of(second, "n.weight", b), bytes);
    assert_memory_not_equal(weights_of(first, "n.weight", a), weights_of(first, "m.weight", a), bytes);
    assert_memory_not_equal(weights_of(first, "n.weight", a), weights_of(third, "n.weight", c), bytes);
    assert_true(weights_of(first, "n.bias", a)[0] == 0);
    free(a), free(b), free(c);
    tri_graph_destroy(first);
    tri_graph_destroy(second);
    tri_graph_destroy(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_values_have_the_size_that_their_rule_says),
        cmocka_unit_test(initial_values_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(initial_values_depend_on_the_parameters_name_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
