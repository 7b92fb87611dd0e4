/* kernels_test.c: every operator's case, and small models, through plans. The plan that takes plain C throughout is the oracle; those that
 * may take the kernels of oneDNN, the narrow ones, or both, must agree with it: loss, every gradient, and the result of a run without
 * training. The models are there because some kernels compute several nodes at once: they join what can be joined, and things that only
 * look so. */
#include <math.h>
#include <string.h>

#include "graph/nodes/operator_cases.h"
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

/* ---- a graph and a batch for it ---- */

typedef struct {
    const char *name;   /* in messages */
    const char *output; /* compared beside loss and gradients */
    tri_graph *graph;
    tri_batch batch;
} subject;

/* Memory for all that a batch may hold; x is all zeros so far. */
static tri_batch make_batch(const tri_graph *graph)
{
    const size_t rows = (size_t)graph->batch + 1;
    tri_batch batch = {.rows = graph->batch, .count = graph->batch, .epoch = 1};
    size_t bytes = 1;
    for (int i = 0; i < graph->count; i++)
        if (strcmp(graph->node[i]->name, "x") == 0) {
            batch.type = graph->node[i]->type;
            bytes += (size_t)tri_shape_count(graph->node[i]->shape) * tri_type_size(batch.type);
        } else if (strcmp(graph->node[i]->name, "targets") == 0) {
            batch.outputs = graph->node[i]->shape.dim[1];
        }
    int64_t *ids = calloc(rows, sizeof *ids);
    batch.x = calloc(1, bytes);
    batch.labels = calloc(rows, sizeof *batch.labels);
    batch.targets = calloc(rows * (size_t)(batch.outputs + 1), sizeof *batch.targets);
    batch.weights = calloc(rows, sizeof *batch.weights);
    batch.ids = ids;
    assert_true(batch.x && batch.labels && batch.targets && batch.weights && ids);
    for (int64_t i = 0; i < graph->batch; i++)
        ids[i] = 100 + 7 * i;
    return batch;
}

static void subject_fini(subject *s)
{
    free((void *)s->batch.x);
    free((void *)s->batch.labels);
    free((void *)s->batch.targets);
    free((void *)s->batch.weights);
    free((void *)s->batch.ids);
    tri_graph_destroy(s->graph);
}

/* The batch, by what a graph calls its parts; NULL where it has no such part. */
static void *part_of(const tri_batch *batch, const char *name)
{
    const void *part = strcmp(name, "x") == 0         ? batch->x
                       : strcmp(name, "labels") == 0  ? batch->labels
                       : strcmp(name, "targets") == 0 ? (const void *)batch->targets
                       : strcmp(name, "weights") == 0 ? (const void *)batch->weights
                                                      : NULL;
    return (void *)part;
}

static void fill_batch(const operator_case *c, const subject *s)
{
    for (int i = 0; i < s->graph->count; i++)
        if (strcmp(s->graph->node[i]->op->name, "input") == 0)
            fill(c, s->graph->node[i], part_of(&s->batch, s->graph->node[i]->name));
}

static subject subject_of_case(const operator_case *c, int64_t rows)
{
    subject s = {.name = c->op, .output = "y", .graph = make_graph(c, rows)};
    s.batch = make_batch(s.graph);
    fill_batch(c, &s);
    return s;
}

/* Other inputs than these cannot be fed to a plan. */
static bool fits_a_batch(const operator_case *c)
{
    const tri_batch any = {.x = "", .labels = &(int32_t){0}, .targets = &(float){0}, .weights = &(float){0}};
    for (int i = 0; i < COUNT_OF(c->in); i++)
        if (c->in[i].role != NOTHING && c->in[i].role != TRAINED && c->in[i].role != STATE && !part_of(&any, feed_name(c->in[i], i)))
            return false;
    return true;
}

/* ---- one step of one plan ---- */

/* What a plan gave: the loss and the gradients are of a training step, y of a run. */
typedef struct {
    double loss;
    tri_store *store;
    float *y;
} outcome;

static tri_plan *make_plan(const tri_graph *graph, bool training, unsigned without, tri_store *store)
{
    const tri_plan_options options = {.batch = graph->batch, .training = training, .threads = 2, .seed = 5, .without = without};
    tri_plan *plan;
    assert_ok(tri_plan_create(graph, &options, store, &plan));
    return plan;
}

static outcome try(const subject *s, unsigned without)
{
    outcome got;
    assert_ok(tri_store_local_create(s->graph->parameter_floats, &(tri_rule){.name = "sgd", .state = s->graph->state}, &got.store));
    tri_graph_initialise(s->graph, 3, tri_store_parameters(got.store));
    tri_plan *plan = make_plan(s->graph, true, without, got.store);
    assert_ok(tri_store_begin(got.store, &(tri_step){.rate = 0}));
    assert_ok(tri_plan_train(plan, &s->batch, &got.loss));
    assert_ok(tri_store_flush(got.store));
    tri_plan_destroy(plan);

    tri_tensor y;
    plan = make_plan(s->graph, false, without, got.store);
    assert_ok(tri_plan_run(plan, &s->batch));
    assert_ok(tri_plan_value(plan, s->output, &y));
    const size_t bytes = (size_t)tri_shape_count(y.shape) * sizeof(float);
    got.y = malloc(bytes + 1);
    assert_non_null(got.y);
    memcpy(got.y, y.data, bytes);
    tri_plan_destroy(plan);
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

static void expect_equal(const subject *s, const char *plan, const outcome *oracle, const outcome *got)
{
    const int rows = (int)s->graph->batch;
    const size_t elements = (size_t)tri_shape_count(tri_graph_find_output(s->graph, s->output)->shape);
    const double error = distance(oracle->y, got->y, elements), off = fabs(oracle->loss - got->loss);
    if (!(error <= TOLERANCE))
        fail_msg("%s, batch %d: the result of %s is off by %g", s->name, rows, plan, error);
    if (!(off <= TOLERANCE * fmax(1, fabs(oracle->loss))))
        fail_msg("%s, batch %d: the loss of %s is %g, expected %g", s->name, rows, plan, got->loss, oracle->loss);
    for (int i = 0; i < s->graph->count; i++) {
        const tri_range range = s->graph->node[i]->range;
        const double gradient =
            distance(tri_store_gradient(oracle->store) + range.first, tri_store_gradient(got->store) + range.first, range.count);
        if (!(gradient <= TOLERANCE))
            fail_msg("%s, batch %d: %s gives a gradient of %s that is off by %g", s->name, rows, plan, s->graph->node[i]->name, gradient);
    }
}

static void expect_agreement(const subject *s)
{
    outcome oracle = try(s, TRI_PLAN_ALL);
    for (int p = 0; p < COUNT_OF(plans); p++) {
        outcome got = try(s, plans[p].without);
        expect_equal(s, plans[p].name, &oracle, &got);
        drop(&got);
    }
    drop(&oracle);
}

static void every_operator_agrees_with_plain_c(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int b = 0; fits_a_batch(&cases[i]) && b < COUNT_OF(batches); b++) {
            subject s = subject_of_case(&cases[i], batches[b]);
            expect_agreement(&s);
            subject_fini(&s);
        }
}

/* ---- models ---- */

typedef struct {
    const char *name;
    tri_shape input; /* of one example: height × width × channels */
    tri_type type;
    const char *text;
} model_case;

#define CLASSES 5
#define END     "\ndense(classes, init=xavier)\nsoftmax_loss()\n"

static const model_case models[] = {
    {"a classifier on pixels", S(7, 5, 1), TRI_U8, "input(scale=1/255)" END},
    {"a classifier on pixels of three channels", S(4, 3, 3), TRI_U8, "input(scale=1/255, offset=-0.5)" END},
    {"a classifier on features", S(37), TRI_F32, "input()\ndense(classes, bias=no, init=he)\nsoftmax_loss()"},
    {"two dense layers", S(9, 9, 1), TRI_U8, "input(scale=1/255)\ndense(33)\nrelu()" END},
    {"dense layers with other activations", S(20), TRI_F32, "input()\ndense(16)\ntanh()\ndense(12)\nsigmoid()" END},
    {"dropout between dense layers", S(20), TRI_F32, "input()\ndense(24)\nrelu()\ndropout(0.4)" END},
    {"average pooling with a rest", S(9, 8, 1), TRI_U8, "input(scale=1/255)\nconv(6, kernel=3)\nrelu()\navgpool(2)" END},
    {"max pooling with a rest", S(10, 9, 2), TRI_U8, "input(scale=1/255)\nconv(5, kernel=3)\nrelu()\nmaxpool(3)" END},
    {"pooling without relu", S(8, 8, 1), TRI_U8, "input(scale=1/255, offset=-0.5)\nconv(4, kernel=3, bias=no)\nmaxpool(2)" END},
    {"relu behind the average", S(8, 8, 1), TRI_U8, "input(scale=1/255, offset=-0.5)\nconv(4, kernel=3)\navgpool(2)\nrelu()" END},
    {"windows that overlap", S(9, 9, 2), TRI_U8, "input(scale=1/255)\nconv(6, kernel=3, pad=1)\nrelu()\nmaxpool(3, stride=2)" END},
    {"strides, padding and normalisation", S(11, 13, 3), TRI_U8,
     "input(scale=1/255)\nconv(8, kernel=5x3, stride=2, pad=2)\nrelu()\nlrn()\nconv(12, kernel=3)\ntanh()\navgpool(2)" END},
    {"two convolutions", S(12, 12, 1), TRI_U8,
     "input(scale=1/255)\nconv(6, kernel=3)\nrelu()\navgpool(2)\nconv(16, kernel=3)\nrelu()\nmaxpool(2)\ndense(20)\nrelu()" END},
    {"wide convolutions", S(20, 18, 3), TRI_U8,
     "input(scale=1/255)\nconv(80, kernel=5, stride=2, pad=2)\nrelu()\nconv(32, kernel=3, pad=1)\nrelu()\nmaxpool(3, stride=2)" END},
    {"a convolution that two read", S(8, 8, 1), TRI_U8,
     "input(scale=1/255)\na = conv(4, kernel=3, pad=1)\nrelu()\nb = conv(4, kernel=3, pad=1)\nadd(a, b)\nrelu()\navgpool(2)" END},
    {"a convolution pooled twice", S(8, 8, 1), TRI_U8,
     "input(scale=1/255)\na = conv(4, kernel=3, pad=1)\nb = avgpool(a, 2)\nc = maxpool(a, 2)\nadd(b, c)" END},
    {"a dense layer that two read", S(10), TRI_F32, "input()\na = dense(12)\nb = relu(a)\nc = tanh(a)\nmultiply(b, c)" END},
    {"weights that two layers share", S(12), TRI_F32,
     "a = input()\nw = parameter(12x12, init=xavier)\nb = matmul(a, w)\nrelu()\nmatmul(w, transpose_b=yes)\nrelu()\nadd(b)" END},
    {"batch normalisation between convolutions", S(12, 10, 3), TRI_U8,
     "input(scale=1/255)\nconv(16, kernel=3, pad=1, bias=no)\nbatch_norm()\nrelu()\nconv(32, kernel=3, stride=2, "
     "bias=no)\nbatch_norm()\nrelu()"
     "\nglobal_avgpool()" END},
    {"batch normalisation of pixels", S(6, 6, 2), TRI_U8,
     "input(scale=1/255)\nbatch_norm()\ntanh()\nconv(6, kernel=3, pad=1)\ntanh()\nmaxpool(2)" END},
    {"batch normalisation of features", S(20), TRI_F32, "input()\nbatch_norm()\ndense(12)\ntanh()" END},
    {"a residual block", S(8, 8, 2), TRI_U8,
     "input(scale=1/255)\nconv(16, kernel=3, pad=same)\na = relu()\nconv(16, kernel=3, pad=same, "
     "bias=no)\nbatch_norm()\nadd(a)\nrelu()" END},
    {"depthwise convolutions", S(9, 8, 3), TRI_U8,
     "input(scale=1/255)\nconv(16, kernel=3, pad=1)\nrelu()\nconv(16, kernel=3, groups=16, pad=same, stride=2)\nrelu()"
     "\nconv(24, kernel=1)\nrelu()\nconv(24, kernel=3, groups=24, dilation=2, pad=same)" END},
    {"channels side by side", S(6, 6, 1), TRI_U8,
     "input(scale=1/255)\nin = conv(8, kernel=1)\na = conv(in, 8, kernel=3, pad=same)\nb = maxpool(in, 3, stride=1, pad=same)\n"
     "concat(a, b, in)\ngelu()\nlayer_norm()\nglobal_maxpool()" END},
    {"labels made smooth", S(7, 5, 1), TRI_U8, "input(scale=1/255)\ndense(classes, init=xavier)\nsoftmax_loss(smoothing=0.1)\n"},
    {"one logit", S(6, 6, 1), TRI_U8, "input(scale=1/255)\nconv(4, kernel=3)\nrelu()\ndense(1)\nlogistic_loss()"},
};

/* Bytes or floats of every value; labels of all classes that the loss takes; the last row is padding. */
static subject subject_of_model(const model_case *c, int64_t rows)
{
    tri_model *model;
    subject s = {.name = c->name, .output = "logits"};
    const bool logistic = strstr(c->text, "logistic_loss");
    const tri_model_input input = {.type = c->type, .shape = c->input, .classes = logistic ? 2 : CLASSES};
    const operator_case values = {"input", {{TRAINED, S(N, CLASSES)}}, .out = {.rank = 0}};
    assert_ok(tri_model_parse(c->name, c->text, strlen(c->text), &model));
    assert_ok(tri_model_build(model, &input, rows, &s.graph));
    tri_model_destroy(model);
    s.batch = make_batch(s.graph);
    fill_batch(&values, &s);
    for (int64_t i = 0; logistic && i < rows; i++)
        ((int32_t *)s.batch.labels)[i] = (int32_t)(i % 2);
    return s;
}

static void every_model_agrees_with_plain_c(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(models); i++)
        for (int b = 0; b < COUNT_OF(batches); b++) {
            subject s = subject_of_model(&models[i], batches[b]);
            expect_agreement(&s);
            subject_fini(&s);
        }
}

/* ---- NaN ---- */

/* oneDNN's own maximum, in ReLU inside a convolution and in max pooling, takes a number over a NaN. Nothing else may. */
static bool loses_nan(const subject *s, unsigned without)
{
    bool maximum = false;
    for (int i = 0; i < s->graph->count; i++) {
        const tri_node *node = s->graph->node[i];
        const bool conv = strcmp(node->op->name, "convolution") == 0;
        maximum |= strcmp(node->op->name, "maxpool") == 0 || (conv && node->attributes.activation == TRI_ACTIVATION_RELU);
        maximum |= strcmp(node->op->name, "relu") == 0; /* a rewrite may put it into a convolution */
    }
    return maximum && !(without & TRI_PLAN_ONEDNN);
}

/* A NaN in the first element of a parameter makes the loss NaN, so that a run that has diverged is seen. */
static void expect_nan(const subject *s, const char *name, unsigned without)
{
    double loss;
    tri_store *store;
    assert_ok(tri_store_local_create(s->graph->parameter_floats, &(tri_rule){.name = "sgd", .state = s->graph->state}, &store));
    tri_plan *plan = make_plan(s->graph, true, without, store);
    for (int i = 0; i < s->graph->count; i++) {
        const tri_node *node = s->graph->node[i];
        if (strcmp(node->op->name, "parameter") != 0 || node->state)
            continue;
        tri_graph_initialise(s->graph, 3, tri_store_parameters(store));
        tri_store_parameters(store)[node->range.first] = NAN;
        assert_ok(tri_store_begin(store, &(tri_step){.rate = 0}));
        assert_ok(tri_plan_train(plan, &s->batch, &loss));
        assert_ok(tri_store_flush(store));
        const bool comes_out = strcmp(s->name, "cond") != 0 || strcmp(node->name, "in1") != 0; /* of a branch that is not taken */
        if (isnan(loss) != comes_out)
            fail_msg("%s: a NaN in %s %s of %s: the loss is %g", s->name, node->name, comes_out ? "does not come out" : "comes out", name,
                     loss);
    }
    tri_plan_destroy(plan);
    tri_store_destroy(store);
}

static void expect_nan_everywhere(const subject *s)
{
    for (int p = 0; p < COUNT_OF(plans); p++)
        if (!loses_nan(s, plans[p].without))
            expect_nan(s, plans[p].name, plans[p].without);
}

static void kernels_carry_nan_to_their_results(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        if (!fits_a_batch(&cases[i]))
            continue;
        subject s = subject_of_case(&cases[i], 3);
        expect_nan_everywhere(&s);
        subject_fini(&s);
    }
    for (int i = 0; i < COUNT_OF(models); i++) {
        subject s = subject_of_model(&models[i], 3);
        expect_nan_everywhere(&s);
        subject_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_agrees_with_plain_c),
        cmocka_unit_test(every_model_agrees_with_plain_c),
        cmocka_unit_test(kernels_carry_nan_to_their_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
