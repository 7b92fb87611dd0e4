/* kernels_test.c: every operator's case through plans. The plan that takes plain C throughout is the oracle; those that may take the
 * kernels of oneDNN, the narrow ones, or both, must agree with it: loss, every gradient, and the result of a run without training. */
#include <math.h>
#include <string.h>

#include "graph/operator_cases.h"
#include "trireme/trireme.h"

#define TOLERANCE 1e-4 /* of the largest element of a tensor */

static const int64_t batches[] = {0, 1, 3, 8, 17};

static const struct {
    const char *name;
    unsigned without;
} plans[] = {
    {"the default plan", 0},
    {"the plan without narrow kernels", TRI_PLAN_NARROW},
    {"the plan without oneDNN", TRI_PLAN_ONEDNN},
    {"the plan without rewrites", TRI_PLAN_ALL & ~(unsigned)(TRI_PLAN_NARROW | TRI_PLAN_ONEDNN)},
};

/* ---- one step of one plan ---- */

/* What a plan gave: the loss and the gradients are of a training step, y of a run. */
typedef struct {
    double loss;
    tri_store *store;
    float *y;
} outcome;

/* A batch holds an x, labels and weights; other inputs cannot be fed to a plan. */
static bool fits_a_batch(const operator_case *c)
{
    for (int i = 0; i < COUNT_OF(c->in); i++)
        if (c->in[i].role != NOTHING && c->in[i].role != TRAINED) {
            const char *name = feed_name(c->in[i], i);
            if (strcmp(name, "x") != 0 && strcmp(name, "labels") != 0 && strcmp(name, "weights") != 0)
                return false;
        }
    return true;
}

/* Memory for all that a batch may hold, filled where the graph has such an input. */
static tri_batch make_batch(const operator_case *c, const tri_graph *graph)
{
    const size_t rows = (size_t)graph->batch + 1;
    int64_t *ids = calloc(rows, sizeof *ids);
    int32_t *labels = calloc(rows, sizeof *labels);
    float *weights = calloc(rows, sizeof *weights);
    void *x = calloc(rows, 4096);
    assert_true(ids && labels && weights && x);
    tri_batch batch = {.rows = graph->batch, .count = graph->batch, .epoch = 1, .x = x, .labels = labels, .weights = weights, .ids = ids};
    for (int i = 0; i < graph->count; i++) {
        const tri_node *node = graph->node[i];
        if (strcmp(node->op->name, "input") != 0)
            continue;
        const bool is_x = strcmp(node->name, "x") == 0;
        assert_true(!is_x || (size_t)tri_shape_count(node->shape) * tri_type_size(node->type) <= rows * 4096);
        batch.type = is_x ? node->type : batch.type;
        fill(c, node, is_x ? x : strcmp(node->name, "labels") == 0 ? (void *)labels : weights);
    }
    for (int64_t i = 0; i < graph->batch; i++)
        ids[i] = 100 + 7 * i;
    return batch;
}

static void free_batch(tri_batch *batch)
{
    free((void *)batch->x);
    free((void *)batch->labels);
    free((void *)batch->weights);
    free((void *)batch->ids);
}

static tri_plan *make_plan(const tri_graph *graph, bool training, unsigned without, tri_store *store)
{
    const tri_plan_options options = {.batch = graph->batch, .training = training, .threads = 2, .seed = 5, .without = without};
    tri_plan *plan;
    assert_ok(tri_plan_create(graph, &options, store, &plan));
    return plan;
}

static outcome try(const operator_case *c, int64_t rows, unsigned without)
{
    outcome got;
    tri_graph *graph = make_graph(c, rows);
    tri_batch batch = make_batch(c, graph);
    assert_ok(tri_store_local_create(graph->parameter_floats, &(tri_rule){.kind = TRI_RULE_SGD}, &got.store));
    tri_graph_initialise(graph, 3, tri_store_parameters(got.store));

    tri_plan *plan = make_plan(graph, true, without, got.store);
    assert_ok(tri_store_begin(got.store, &(tri_step){.rate = 0}));
    assert_ok(tri_plan_train(plan, &batch, &got.loss));
    assert_ok(tri_store_flush(got.store));
    tri_plan_destroy(plan);

    tri_tensor y;
    plan = make_plan(graph, false, without, got.store);
    assert_ok(tri_plan_run(plan, &batch));
    assert_ok(tri_plan_value(plan, "y", &y));
    const size_t bytes = (size_t)tri_shape_count(y.shape) * sizeof(float);
    got.y = malloc(bytes + 1);
    assert_non_null(got.y);
    memcpy(got.y, y.data, bytes);
    tri_plan_destroy(plan);
    free_batch(&batch);
    tri_graph_destroy(graph);
    return got;
}

static void drop(outcome *got)
{
    tri_store_destroy(got->store);
    free(got->y);
}

/* ---- comparing two ---- */

/* The largest |a − b|, relative to the largest |a|; NaN where either has one. */
static double distance(const float *a, const float *b, size_t count)
{
    double largest = 1e-6, worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)a[i] - (double)b[i]);
        largest = fmax(largest, fabs((double)a[i]));
        worst = error <= worst ? worst : error;
    }
    return worst / largest;
}

static void expect_equal(const operator_case *c, const char *plan, int64_t rows, const outcome *oracle, const outcome *got)
{
    tri_graph *graph = make_graph(c, rows);
    const size_t elements = (size_t)tri_shape_count(tri_graph_find_output(graph, "y")->shape);
    const double error = distance(oracle->y, got->y, elements), off = fabs(oracle->loss - got->loss);
    if (!(error <= TOLERANCE))
        fail_msg("%s, batch %d: the result of %s is off by %g", c->op, (int)rows, plan, error);
    if (!(off <= TOLERANCE * fmax(1, fabs(oracle->loss))))
        fail_msg("%s, batch %d: the loss of %s is %g, expected %g", c->op, (int)rows, plan, got->loss, oracle->loss);
    for (int i = 0; i < graph->count; i++) {
        const tri_range range = graph->node[i]->range;
        const double gradient =
            distance(tri_store_gradient(oracle->store) + range.first, tri_store_gradient(got->store) + range.first, range.count);
        if (!(gradient <= TOLERANCE))
            fail_msg("%s, batch %d: %s gives a gradient of %s that is off by %g", c->op, (int)rows, plan, graph->node[i]->name, gradient);
    }
    tri_graph_destroy(graph);
}

static void every_kernel_agrees_with_plain_c(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int b = 0; fits_a_batch(&cases[i]) && b < COUNT_OF(batches); b++) {
            outcome oracle = try(&cases[i], batches[b], TRI_PLAN_ALL);
            for (int p = 0; p < COUNT_OF(plans); p++) {
                outcome got = try(&cases[i], batches[b], plans[p].without);
                expect_equal(&cases[i], plans[p].name, batches[b], &oracle, &got);
                drop(&got);
            }
            drop(&oracle);
        }
}

/* oneDNN's own maximum, in ReLU inside a convolution and in max pooling, takes a number over a NaN. Nothing else may. */
static bool loses_nan(const operator_case *c, unsigned without)
{
    const bool maximum = strcmp(c->op, "maxpool") == 0 || (strcmp(c->op, "convolution") == 0 && c->with.activation == TRI_ACTIVATION_RELU);
    return maximum && !(without & TRI_PLAN_ONEDNN);
}

/* A NaN in the first element of a parameter makes the loss NaN, so that a run that has diverged is seen. */
static void expect_nan(const operator_case *c, const char *name, unsigned without)
{
    double loss;
    tri_store *store;
    tri_graph *graph = make_graph(c, 3);
    tri_batch batch = make_batch(c, graph);
    assert_ok(tri_store_local_create(graph->parameter_floats, &(tri_rule){.kind = TRI_RULE_SGD}, &store));
    tri_plan *plan = make_plan(graph, true, without, store);
    for (int i = 0; i < graph->count; i++) {
        const tri_node *node = graph->node[i];
        if (strcmp(node->op->name, "parameter") != 0)
            continue;
        tri_graph_initialise(graph, 3, tri_store_parameters(store));
        tri_store_parameters(store)[node->range.first] = NAN;
        assert_ok(tri_store_begin(store, &(tri_step){.rate = 0}));
        assert_ok(tri_plan_train(plan, &batch, &loss));
        assert_ok(tri_store_flush(store));
        if (!isnan(loss))
            fail_msg("%s: a NaN in %s does not come out of %s: the loss is %g", c->op, node->name, name, loss);
    }
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    free_batch(&batch);
    tri_graph_destroy(graph);
}

static void nan_in_is_nan_out(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int p = 0; fits_a_batch(&cases[i]) && p < COUNT_OF(plans); p++)
            if (!loses_nan(&cases[i], plans[p].without))
                expect_nan(&cases[i], plans[p].name, plans[p].without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_agrees_with_plain_c),
        cmocka_unit_test(nan_in_is_nan_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
