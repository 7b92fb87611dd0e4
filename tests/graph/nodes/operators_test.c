/* operators_test.c: one harness for every operator. A case is run node by node with the operators' own forward functions, the oracle. */
#include <math.h>
#include <string.h>

#include "graph/nodes/operator_cases.h"

#define STEP      0.00390625f /* of finite differences; a power of two, so that adding it loses little */
#define TOLERANCE 1e-3
#define SAMPLES   48 /* elements of a parameter that are nudged */

/* ---- running a case ---- */

/* A case with memory for every node. */
typedef struct {
    const operator_case *c;
    tri_graph *graph;
    tri_node *y;
    tri_node **gradient; /* by id of the nodes that were there before differentiation */
    int primal;          /* how many those were */
    void **value;        /* by id */
    int64_t *ids, *offsets;
    tri_batch batch;
    tri__moment moment;
} trial;

static bool is(const tri_node *node, const char *op)
{
    return strcmp(node->op->name, op) == 0;
}

static void *zeroed(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static trial trial_create(const operator_case *c, int64_t batch)
{
    trial t = {.c = c, .graph = make_graph(c, batch)};
    t.y = tri_graph_find_output(t.graph, "y");
    t.primal = t.graph->count;
    t.gradient = zeroed(t.primal, sizeof *t.gradient);
    assert_ok(tri__graph_gradients(t.graph, tri_graph_find_output(t.graph, "loss"), true, t.gradient));
    t.value = zeroed(t.graph->count, sizeof *t.value);
    for (int i = 0; i < t.graph->count; i++) {
        const tri_node *node = t.graph->node[i];
        t.value[i] = zeroed(tri_shape_count(node->shape), tri_type_size(node->type));
        if (!node->op->forward)
            fill(c, node, t.value[i]);
    }
    t.ids = zeroed(batch, sizeof *t.ids);
    for (int64_t i = 0; i < batch; i++)
        t.ids[i] = 1000 + 3 * i;
    t.offsets = zeroed(batch + 1, sizeof *t.offsets);
    fill_offsets(batch, t.offsets);
    return t;
}

static void trial_destroy(trial *t)
{
    for (int i = 0; i < t->graph->count; i++)
        free(t->value[i]);
    free(t->value);
    free(t->gradient);
    free(t->ids);
    free(t->offsets);
    tri_graph_destroy(t->graph);
}

static tri_tensor tensor_of(const trial *t, const tri_node *node)
{
    return (tri_tensor){.type = node->type, .shape = node->shape, .data = t->value[node->id]};
}

/* Run the first `count` nodes. */
static void trial_run(trial *t, int count)
{
    t->batch = (tri_batch){.rows = t->graph->batch, .count = t->graph->batch, .epoch = 2, .ids = t->ids, .offsets = t->offsets};
    t->moment = (tri__moment){.batch = &t->batch, .step = 5};
    for (int i = 0; i < count; i++) {
        const tri_node *node = t->graph->node[i];
        tri__call call = {.node = node, .out = tensor_of(t, node), .moment = &t->moment, .training = true, .seed = 11};
        for (int k = 0; k < node->inputs; k++)
            call.in[k] = tensor_of(t, node->input[k]);
        if (node->op->forward)
            node->op->forward(&call);
    }
}

static tri_node *find(const trial *t, const char *name)
{
    for (int i = 0; i < t->primal; i++)
        if (strcmp(t->graph->node[i]->name, name) == 0)
            return t->graph->node[i];
    return NULL;
}

/* The loss in double, so that finite differences see the operator's own rounding only: Σ c ∘ y. */
static double loss_of(trial *t)
{
    trial_run(t, t->y->id + 1);
    const float *y = t->value[t->y->id], *c = t->value[find(t, "c")->id];
    double sum = 0;
    for (int64_t i = 0; i < tri_shape_count(t->y->shape); i++)
        sum += (double)y[i] * c[i];
    return sum;
}

static float *values(const trial *t, const tri_node *node)
{
    return t->value[node->id];
}

/* ---- what is asked of each case ---- */

static void expect_shape(const operator_case *c, int64_t batch)
{
    tri_graph *graph = make_graph(c, batch);
    const tri_shape wanted = with_batch(c->out, batch), got = tri_graph_find_output(graph, "y")->shape;
    char a[128], b[128];
    if (!tri_shape_equal(wanted, got))
        fail_msg("%s gives %s, expected %s", c->op, tri_shape_text(got, a, sizeof a), tri_shape_text(wanted, b, sizeof b));
    tri_graph_destroy(graph);
}

/* What nudging an element p by ±h shows: the slope, and how much it bends: (loss(p + h) − 2 · loss(p) + loss(p − h)) / h. */
typedef struct {
    double slope, bend;
} nudged;

static nudged nudge(trial *t, float *p, float h)
{
    const float kept = *p;
    const double middle = loss_of(t);
    *p = kept + h;
    const double up = loss_of(t), right = *p;
    *p = kept - h;
    const double down = loss_of(t), left = *p;
    *p = kept;
    return (nudged){.slope = (up - down) / (right - left), .bend = (up - 2 * middle + down) / (double)h};
}

/* Compare some elements of one parameter's gradient. Where two steps disagree a kink lies near, such as that of relu: those elements say
 * nothing, and must be the fewer. Elsewhere the slope does not depend on the step, and the bend is proportional to it. */
static void expect_gradient(trial *t, const tri_node *parameter)
{
    const float *gradient = values(t, t->gradient[parameter->id]);
    const int64_t count = tri_shape_count(parameter->shape), stride = count / SAMPLES + 1;
    int kinks = 0, checked = 0;
    for (int64_t i = 0; i < count; i += stride, checked++) {
        float *p = values(t, parameter) + i;
        const nudged wide = nudge(t, p, STEP), narrow = nudge(t, p, STEP / 2);
        const double wanted = (4 * narrow.slope - wide.slope) / 3, allowed = TOLERANCE * fmax(1, fabs(wanted));
        if (fabs(wide.slope - narrow.slope) + fabs(wide.bend - 2 * narrow.bend) > allowed)
            kinks++;
        else if (!(fabs(gradient[i] - wanted) <= allowed))
            fail_msg("%s: d loss / d %s[%d] is %.6f, finite differences say %.6f", t->c->op, parameter->name, (int)i, (double)gradient[i],
                     wanted);
    }
    if (kinks * 2 > checked)
        fail_msg("%s: %d of %d elements of %s lie near a kink", t->c->op, kinks, checked, parameter->name);
}

static void expect_gradients(const operator_case *c, int64_t batch)
{
    trial t = trial_create(c, batch);
    trial_run(&t, t.graph->count);
    for (int i = 0; i < t.primal; i++) {
        const tri_node *node = t.graph->node[i];
        if (!is(node, "parameter") && !is(node, "table"))
            continue;
        if (!t.gradient[i] || !tri_shape_equal(t.gradient[i]->shape, node->shape))
            fail_msg("%s: the gradient of %s is missing, or of another shape", c->op, node->name);
        if (!node->state) /* where what stands in the gradient's place is none */
            expect_gradient(&t, node);
    }
    trial_destroy(&t);
}

/* With no examples, the loss is 0, and so is every gradient. */
static void expect_nothing(const operator_case *c)
{
    trial t = trial_create(c, 0);
    trial_run(&t, t.graph->count);
    const tri_node *loss = tri_graph_find_output(t.graph, "loss");
    if (is_batch(c->out) && *values(&t, loss) != 0)
        fail_msg("%s: the loss of an empty batch is %f", c->op, (double)*values(&t, loss));
    for (int i = 0; i < t.primal; i++)
        for (int64_t k = 0;
             (is(t.graph->node[i], "parameter") || is(t.graph->node[i], "table")) && k < tri_shape_count(t.graph->node[i]->shape); k++)
            if (!isfinite(values(&t, t.gradient[i])[k]) || (is_batch(c->out) && values(&t, t.gradient[i])[k] != 0))
                fail_msg("%s: the gradient of %s is not 0 for an empty batch", c->op, t.graph->node[i]->name);
    trial_destroy(&t);
}

/* A NaN in the first element of any float input makes the loss NaN, but for the branch that is not taken. */
static void expect_nan(const operator_case *c)
{
    trial t = trial_create(c, 3);
    for (int i = 0; i < t.primal; i++) {
        const tri_node *node = t.graph->node[i];
        if (node->op->forward || node->type != TRI_F32 || node->state)
            continue;
        float *first = values(&t, node), kept = *first;
        *first = NAN;
        trial_run(&t, t.primal);
        const bool comes_out = strcmp(c->op, "cond") != 0 || strcmp(node->name, "in2") != 0;
        if (isnan(*values(&t, tri_graph_find_output(t.graph, "loss"))) != comes_out)
            fail_msg("%s: a NaN in %s %s", c->op, node->name, comes_out ? "does not come out" : "comes out");
        *first = kept;
    }
    trial_destroy(&t);
}

/* Where a row says so, its result may be written over an input. */
static void expect_in_place(const operator_case *c)
{
    trial t = trial_create(c, 3);
    trial_run(&t, t.graph->count);
    for (int i = 0; i < t.graph->count; i++) {
        const tri_node *node = t.graph->node[i];
        if (!node->op->in_place)
            continue;
        const int over = node->op->in_place - 1;
        tri__call call = {.node = node, .out = tensor_of(&t, node), .moment = &t.moment, .training = true, .seed = 11};
        for (int k = 0; k < node->inputs; k++)
            call.in[k] = tensor_of(&t, node->input[k]);
        const size_t bytes = (size_t)tri_shape_count(node->shape) * sizeof(float);
        call.out.data = call.in[over].data = memcpy(zeroed(1, bytes), call.in[over].data, bytes);
        node->op->forward(&call);
        if (memcmp(call.out.data, t.value[i], bytes) != 0)
            fail_msg("%s: written over its input it differs", node->op->name);
        free(call.out.data);
    }
    trial_destroy(&t);
}

/* ---- the tests ---- */

static void shapes_of_operators_follow_the_batch(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int64_t batch = 0; batch < 4; batch++)
            expect_shape(&cases[i], batch);
}

static void gradients_of_operators_match_finite_differences(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int64_t batch = 1; batch < 5; batch += 2)
            expect_gradients(&cases[i], batch);
}

static void operators_accept_empty_batches(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        expect_nothing(&cases[i]);
}

static void operators_carry_nan_to_their_results(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        expect_nan(&cases[i]);
}

static void operators_that_may_overwrite_an_input_do_so_rightly(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++)
        expect_in_place(&cases[i]);
}

static void every_operator_has_a_test_case(void **state)
{
    (void)state;
    int rows = 0;
    while (tri__operator_at(rows))
        rows++;
    bool *seen = zeroed(rows, sizeof *seen);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        trial t = trial_create(&cases[i], 2);
        for (int k = 0; k < t.graph->count; k++)
            for (int row = 0; row < rows; row++)
                seen[row] |= tri__operator_at(row) == t.graph->node[k]->op;
        trial_destroy(&t);
    }
    for (int row = 0; row < rows; row++) {
        const tri_operator *operator= tri__operator_at(row);
        assert_ptr_equal(tri__operator_find(operator->name), operator);
        if (!seen[row] && operator->forward && !operator->no_gradient) /* exchanges: placed/cut_test.c; the latter: plan/variable_test.c */
            fail_msg("no case of operator_cases.h runs the operator %s", operator->name);
    }
    free(seen);
    assert_null(tri__operator_find("nonsense"));
}

/* An example's mask depends on its record number and the epoch, not on the other examples of the batch. */
static void dropout_of_an_example_does_not_depend_on_its_batch(void **state)
{
    (void)state;
    enum { WIDTH = 64 };
    const operator_case c = {"dropout", {T(N, WIDTH)}, .with = {.rate = 0.5f}, .out = S(N, WIDTH)};
    trial together = trial_create(&c, 3), alone = trial_create(&c, 1);
    alone.ids[0] = together.ids[2];
    memcpy(values(&alone, find(&alone, "x")), values(&together, find(&together, "x")) + 2 * WIDTH, WIDTH * sizeof(float));
    memcpy(values(&alone, find(&alone, "in0")), values(&together, find(&together, "in0")) + 2 * WIDTH, WIDTH * sizeof(float));
    trial_run(&together, together.graph->count);
    trial_run(&alone, alone.graph->count);
    assert_memory_equal(values(&together, together.y) + 2 * WIDTH, values(&alone, alone.y), WIDTH * sizeof(float));

    const float *x = values(&together, together.y->input[0]), *y = values(&together, together.y);
    int kept = 0, alike = 0;
    for (int i = 0; i < 3 * WIDTH; i++) {
        assert_true(y[i] == 0 || y[i] == 2 * x[i]);
        kept += y[i] != 0;
    }
    for (int i = 0; i < WIDTH; i++)
        alike += (y[i] != 0) == (y[WIDTH + i] != 0);
    assert_in_range(kept, WIDTH, 2 * WIDTH);
    assert_in_range(alike, WIDTH / 4, 3 * WIDTH / 4);
    trial_destroy(&together);
    trial_destroy(&alone);
}

/* ---- messages ---- */

static const operator_case bad[] = {
    {"matmul", {T(N, 5), T(4, 5)}, .message = "matmul 'y': 2x5 times 4x5 does not go: the sums run over 5 and 4 elements"},
    {"matmul", {T(N, 5, 1), T(5, 4)}, .message = "a ('add:2') is 2x5x1, expected 2 dimensions"},
    {"matmul", {T(N, 5), T(5, 4), T(5)}, .message = "bias ('in2') is 5, expected 4"},
    {"convolution", {T(N, 1, 3, 3), T(2, 1, 5, 5)}, .message = "kernel 5x5 does not fit the 3x3 input; use pad or a smaller kernel"},
    {"convolution", {T(N, 3, 8, 8), T(2, 1, 5, 5)}, .message = "has 3 channels, the weight 2x1x5x5 is for 1"},
    {"convolution", {T(N, 1, 8, 8), T(2, 1, 5, 5)}, .with = {.stride = {-1, 1}}, .message = "must be at least 1, 1, 1 and 0"},
    {"convolution", {T(N, 1, 8, 8), T(2, 1, 5, 5)}, .with = {.pad = {INT64_MAX, 0}}, .message = "pad 9223372036854775807 is too large"},
    {"convolution", {T(N, 1, 8, 8), T(2, 1, 5, 5)}, .with = {.kernel = {3, 0}}, .message = "kernel is 3x3, but the weight's is 5x5"},
    {"convolution", {T(N, 1, 8, 8), T(2, 1, 5, 5)}, .with = {.pad = {INT64_MAX / 4, INT64_MAX / 4}}, .message = "too large"},
    {"maxpool", {T(N, 1, 8, 8)}, .message = "kernel is not given"},
    {"avgpool", {T(N, 1, 8, 8)}, .with = {.kernel = {2, 2}, .pad = {2, 0}}, .message = "pad must be smaller than the kernel"},
    {"maxpool", {T(N, 1, 0, 8)}, .with = {.kernel = {2, 2}, .pad = {1, 1}}, .message = "does not fit"},
    {"add", {T(N, 3), T(3)}, .message = "a is 2x3 and b is 3; b must be like a, or a scalar"},
    {"multiply", {T(N, 3)}, .message = "needs a second input, or scale=NUMBER"},
    {"dropout", {T(N, 3)}, .with = {.rate = 1}, .message = "rate is 1, expected a share between 0 and 1"},
    {"dropout", {T(N, 3)}, .with = {.rate = NAN}, .message = "rate is"},
    {"softmax", {T(N, 0)}, .message = "expected at least one class"},
    {"lrn", {T(N, 3)}, .with = {.size = -1}, .message = "size is -1"},
    {"softmax_loss", {T(N, 3), {LABELS, S(N, 1)}, {WEIGHTS, S(N)}}, .message = "labels ('labels') is 2x1, expected 2"},
    {"softmax_loss", {T(N, 3), {FLOATS, S(N)}, {WEIGHTS, S(N)}}, .message = "labels ('values') is f32, expected i32"},
    {"softmax_loss", {T(N, 3), {TARGETS, S(N, 2)}, {WEIGHTS, S(N)}}, .message = "targets ('targets') is 2x2, expected 2x3"},
    {"logistic_loss", {T(N), {TARGETS, S(N, 1)}, {WEIGHTS, S(N)}}, .message = "targets ('targets') is 2x1, expected 2x2"},
    {"mse_loss", {T(N, 3), {TARGETS, S(N, 2)}, {WEIGHTS, S(N)}}, .message = "targets ('targets') is 2x2, expected 2x3"},
    {"huber_loss", {T(N, 3), {TARGETS, S(N, 3)}, {WEIGHTS, S(N)}}, .with = {.delta = -1}, .message = "delta is -1"},
    {"logistic_loss", {T(N, 2), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .message = "are 2x2, expected one an example"},
    {"sum", {T(N, 3)}, .with = {.axis = 2}, .message = "x is 2x3 and has no axis 2"},
    {"bias", {T(N, 3), T(4)}, .message = "b ('in1') is 4, expected 3"},
    {"reshape", {T(N, 6)}, .with = {.shape = S(0, 4)}, .message = "2x6 cannot be seen as 2x4: 6 elements an example are not 4"},
    {"reshape", {T(N, 6)}, .with = {.shape = S(0, INT64_MAX / 2, 8)}, .message = "too large"},
    {"trace", {T(2, 3)}, .message = "only a square matrix has a trace"},
    {"gather", {{TABLE, S(5, 3)}, {KEYS, S(N, 2)}}, .message = "keys ('keys') is 2x2, expected 1 dimension"},
    {"gather", {{TABLE, S(5, 3)}, {KEYS, S(N)}}, .message = "size is 0, expected the most features that an example has"},
    {"sparse_sum", {T(5, 3), {KEYS, S(N)}}, .message = "table ('in0') is no table but a parameter"},
    {"sparse_dot", {{TABLE, S(5, 1)}, {KEYS, S(N)}, {FLOATS, S(N, 3)}}, .message = "values ('values') is 2x3, expected 2"},
    {"image", {{KEYS, S(N, 2)}}, .message = "x ('keys') is i32, expected u8 or f32"},
    {"broadcast", {T(N, 2)}, .message = "is made by differentiation only"},
    {"constant", .with = {.shape = S(-1, 2)}, .message = "constant 'y': shape -1x2 is negative or too large"},
    {"relu", .message = "takes 1 input"},
};

static void shape_errors_of_operators_say_what_was_expected(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        tri_graph *graph;
        tri_node *in[3], *y;
        int count = 0;
        assert_ok(tri_graph_create(2, &graph));
        for (; count < 3 && bad[i].in[count].role != NOTHING; count++)
            in[count] = make_feed(graph, bad[i].in[count], count);
        assert_fails(tri_graph_add(graph, bad[i].op, "y", in, count, &bad[i].with, &y), TRI_BAD_CALL, bad[i].message);
        tri_graph_destroy(graph);
    }
}

/* A parameter behind an input that has no derivative would silently stay as it is: that is refused. */
static void training_through_an_operator_without_derivative_is_refused(void **state)
{
    (void)state;
    tri_graph *graph;
    tri_node *logits, *labels, *weights, *loss, *gradient[4];
    assert_ok(tri_graph_create(2, &graph));
    assert_ok(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(3), &logits));
    assert_ok(tri_graph_input(graph, "labels", TRI_I32, (tri_shape){0}, &labels));
    assert_ok(tri_graph_parameter(graph, "trust", TRI_SHAPE(2), TRI_INIT_ZERO, 0, &weights));
    assert_ok(tri_graph_add(graph, "softmax_loss", "loss", (tri_node *[]){logits, labels, weights}, 3, NULL, &loss));
    assert_fails(tri__graph_gradients(graph, loss, false, gradient), TRI_BAD_CALL, "has no derivative by weights ('trust')");
    tri_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_operators_follow_the_batch),
        cmocka_unit_test(gradients_of_operators_match_finite_differences),
        cmocka_unit_test(operators_accept_empty_batches),
        cmocka_unit_test(operators_carry_nan_to_their_results),
        cmocka_unit_test(operators_that_may_overwrite_an_input_do_so_rightly),
        cmocka_unit_test(every_operator_has_a_test_case),
        cmocka_unit_test(dropout_of_an_example_does_not_depend_on_its_batch),
        cmocka_unit_test(shape_errors_of_operators_say_what_was_expected),
        cmocka_unit_test(training_through_an_operator_without_derivative_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
