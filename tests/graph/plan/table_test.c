/* table_test.c: sparse models through plans: their operators against plain C, training against a reference of a page, what a step touches,
 * threads, and batches that are not what they should be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "support.h"
#include "tensor/ref/ref.h"
#include "trireme/trireme.h"

enum { FEATURES = 500, MOST = 40 };

/* ---- batches ---- */

typedef struct {
    tri_batch batch;
    int64_t *offsets, *ids;
    int32_t *keys, *labels;
    float *values, *weights;
} examples;

static uint64_t draw(uint64_t step, int64_t i, uint64_t below)
{
    return tri__random_below(tri__key_split(tri__key_of(5), step), (uint64_t)i, below);
}

/* Rows of 0 to MOST features, some keys often and some twice in a row; the last row is padding. */
static examples make_examples(int64_t rows, uint64_t step)
{
    examples e = {.offsets = calloc((size_t)rows + 1, sizeof *e.offsets),
                  .ids = calloc((size_t)rows, sizeof *e.ids),
                  .keys = calloc((size_t)rows * MOST, sizeof *e.keys),
                  .labels = calloc((size_t)rows, sizeof *e.labels),
                  .values = calloc((size_t)rows * MOST, sizeof *e.values),
                  .weights = calloc((size_t)rows, sizeof *e.weights)};
    assert_true(e.offsets && e.ids && e.keys && e.labels && e.values && e.weights);
    for (int64_t row = 0; row < rows; row++) {
        const int64_t count = row == rows - 1 ? 0 : (int64_t)draw(step, row, MOST + 1);
        e.offsets[row + 1] = e.offsets[row] + count;
        e.labels[row] = (int32_t)draw(step, 1000 + row, 2);
        e.weights[row] = row < rows - 1;
        e.ids[row] = 7 * row;
        for (int64_t i = e.offsets[row]; i < e.offsets[row + 1]; i++) {
            e.keys[i] = (int32_t)draw(step, 100000 + i, i % 3 ? FEATURES : 10);
            e.values[i] = (float)draw(step, 200000 + i, 1000) / 500 - 1;
        }
    }
    e.batch = (tri_batch){.rows = rows,
                          .count = rows - 1,
                          .type = TRI_F32,
                          .offsets = e.offsets,
                          .keys = e.keys,
                          .values = e.values,
                          .labels = e.labels,
                          .weights = e.weights,
                          .ids = e.ids};
    return e;
}

static void examples_fini(examples *e)
{
    free(e->offsets);
    free(e->ids);
    free(e->keys);
    free(e->labels);
    free(e->values);
    free(e->weights);
}

/* ---- models ---- */

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} trained;

static tri_graph *build(const char *text, int64_t features, int64_t rows)
{
    tri_model *model;
    tri_graph *graph;
    assert_ok(tri_model_parse("test", text, strlen(text), &model));
    assert_true(tri_model_is_sparse(model));
    assert_ok(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = TRI_SHAPE(features), .classes = 2}, rows, &graph));
    tri_model_destroy(model);
    return graph;
}

static trained make(const char *text, int64_t features, int64_t rows, tri_rule rule, bool lend, int threads)
{
    trained t = {.graph = build(text, features, rows)};
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(t.graph), &rule, &t.store));
    assert_ok(tri_graph_add_tables(t.graph, t.store));
    tri_graph_initialise(t.graph, 3, tri_store_parameters(t.store));
    assert_ok(tri_graph_initialise_tables(t.graph, 3, t.store));
    if (lend)
        tri_store_lend_tables(t.store);
    const tri_plan_options options = {.batch = rows, .training = true, .threads = threads, .deterministic = !lend};
    assert_ok(tri_plan_create(t.graph, &options, t.store, &t.plan));
    return t;
}

static void trained_fini(trained *t)
{
    tri_plan_destroy(t->plan);
    tri_store_destroy(t->store);
    tri_graph_destroy(t->graph);
}

static double step(trained *t, const examples *e, int64_t number, float rate)
{
    double loss;
    assert_ok(tri_store_begin(t->store, &(tri_step){number, rate}));
    assert_ok(tri_plan_train(t->plan, &e->batch, &loss));
    assert_ok(tri_store_flush(t->store));
    return loss;
}

static float weight_at(const trained *t, int table, int64_t row, int64_t column)
{
    const tri_table *from = tri_store_table(t->store, table);
    return from->data[row * from->stride + column];
}

/* ---- operators against plain C ---- */

static const struct {
    const char *layer; /* of width 1, 3 or 8; what follows makes one logit of it */
    int64_t width, fields;
    enum { SUM, MEAN, GATHER, PAIRS } kind;
    bool weighted;
} layers[] = {
    {"dense(1, bias=no, init=normal(1))", 1, 1, SUM, true},
    {"embedding_sum(1, init=normal(1))", 1, 1, SUM, false},
    {"embedding_mean(1, init=uniform(1))", 1, 1, MEAN, false},
    {"pairwise(3, init=normal(0.3))", 3, 1, PAIRS, true},
    {"pairwise(8, init=normal(0.3))", 8, 1, PAIRS, true},
    {"embedding_sum(8)\nsum(axis=1)\nreshape(1)", 8, 1, SUM, false},
    {"embedding_mean(3)\nsum(axis=1)\nreshape(1)", 3, 1, MEAN, false},
    {"embedding(3, fields=40)\nsum(axis=1)\nreshape(1)", 3, MOST, GATHER, false},
};

/* Logits of plain C: what the layer gives, summed over its columns. */
static void plain_logits(size_t layer, const tri__ref_sparse *s, const float *table, float *logits)
{
    const int64_t columns = layers[layer].kind == PAIRS ? 1 : layers[layer].width * layers[layer].fields;
    float *y = calloc((size_t)(s->n * columns), sizeof *y);
    assert_non_null(y);
    if (layers[layer].kind == PAIRS)
        tri__ref_pairwise(s, table, y);
    else if (layers[layer].kind == GATHER)
        tri__ref_gather(s, layers[layer].fields, table, y);
    else
        tri__ref_sparse_sum(s, layers[layer].kind == MEAN, table, y);
    for (int64_t n = 0; n < s->n; n++) {
        double sum = 0;
        for (int64_t k = 0; k < columns; k++)
            sum += (double)y[n * columns + k];
        logits[n] = (float)sum;
    }
    free(y);
}

static void plain_gradient(size_t layer, const tri__ref_sparse *s, const float *slopes, const float *table, float *gradient)
{
    const int64_t columns = layers[layer].kind == PAIRS ? 1 : layers[layer].width * layers[layer].fields;
    float *dy = calloc((size_t)(s->n * columns), sizeof *dy);
    assert_non_null(dy);
    for (int64_t i = 0; i < s->n * columns; i++)
        dy[i] = slopes[i / columns];
    if (layers[layer].kind == PAIRS)
        tri__ref_pairwise_grad(s, dy, table, gradient);
    else if (layers[layer].kind == GATHER)
        tri__ref_gather_grad(s, layers[layer].fields, dy, gradient);
    else
        tri__ref_sparse_sum_grad(s, layers[layer].kind == MEAN, dy, gradient);
    free(dy);
}

/* One step of plain gradient descent at rate 1 subtracts the mean gradient, which plain C knows. */
static void expect_plain_step(size_t layer, bool lend, int threads)
{
    enum { ROWS = 300 };
    char text[256];
    snprintf(text, sizeof text, "sparse()\n%s\nlogistic_loss()", layers[layer].layer);
    examples e = make_examples(ROWS, layer);
    trained t = make(text, FEATURES, ROWS, (tri_rule){0}, lend, threads);
    const int64_t width = layers[layer].width, count = FEATURES * width;
    float *table = calloc((size_t)count, sizeof *table), *gradient = calloc((size_t)count, sizeof *gradient);
    float logits[ROWS], slopes[ROWS], loss;
    assert_true(table && gradient);
    for (int64_t i = 0; i < count; i++)
        table[i] = weight_at(&t, 0, i / width, i % width);
    const tri__ref_sparse s = {
        .n = ROWS, .f = FEATURES, .d = width, .offsets = e.offsets, .keys = e.keys, .values = layers[layer].weighted ? e.values : NULL};
    plain_logits(layer, &s, table, logits);
    tri__ref_logistic_loss(ROWS, logits, e.labels, e.weights, &loss);
    tri__ref_logistic_loss_grad(ROWS, &(float){1}, logits, e.labels, e.weights, slopes);
    plain_gradient(layer, &s, slopes, table, gradient);
    const double got = step(&t, &e, 0, 1);
    if (fabs(got - (double)loss) > 1e-4 * fabs((double)loss))
        fail_msg("%s: the loss is %g, plain C says %g", layers[layer].layer, got, (double)loss);
    for (int64_t i = 0; i < count; i++) {
        const double wanted = (double)table[i] - (double)gradient[i] / (ROWS - 1);
        if (fabs(wanted - (double)weight_at(&t, 0, i / width, i % width)) > 2e-5)
            fail_msg("%s: weight %d is %g, plain C says %g", layers[layer].layer, (int)i, (double)weight_at(&t, 0, i / width, i % width),
                     wanted);
    }
    free(table);
    free(gradient);
    trained_fini(&t);
    examples_fini(&e);
}

/* Lent with one thread: with several, an update may be lost. FM's gradient in a lent table reads rows that the step has changed. */
static void every_layer_steps_as_plain_c_does(void **state)
{
    (void)state;
    for (size_t layer = 0; layer < sizeof layers / sizeof *layers; layer++) {
        expect_plain_step(layer, false, 1);
        expect_plain_step(layer, false, 3);
        if (layers[layer].kind != PAIRS)
            expect_plain_step(layer, true, 1);
    }
}

/* ---- training against a reference ---- */

typedef struct {
    double w[FEATURES + 1], a[FEATURES + 1], b[FEATURES + 1]; /* the last is the bias */
} reference;

/* One element's update by its mean gradient: the formulas of docs/models.md. */
static void reference_update(reference *r, int i, double g, const char *rule, int number, double rate, double l2)
{
    if (strcmp(rule, "ftrl") == 0) {
        const double l1 = 0.001, root = sqrt(r->b[i] + g * g), sigma = (root - sqrt(r->b[i])) / rate;
        r->a[i] += g - sigma * r->w[i];
        r->b[i] += g * g;
        const double beyond = fabs(r->a[i]) - l1;
        r->w[i] = beyond > 0 ? -copysign(beyond, r->a[i]) / ((1 + root) / rate + l2) : 0;
        return;
    }
    g += l2 * r->w[i];
    if (strcmp(rule, "sgd") == 0)
        r->w[i] -= rate * g;
    else if (strcmp(rule, "momentum") == 0)
        r->w[i] -= rate * (r->a[i] = 0.9 * r->a[i] + g);
    else if (strcmp(rule, "nesterov") == 0) {
        r->a[i] = 0.9 * r->a[i] + g;
        r->w[i] -= rate * (g + 0.9 * r->a[i]);
    } else if (strcmp(rule, "adagrad") == 0)
        r->w[i] -= rate * g / (sqrt(r->a[i] += g * g) + 1e-8);
    else {
        if (strcmp(rule, "adamw") == 0)
            r->w[i] *= 1 - rate * 0.01;
        r->a[i] = 0.9 * r->a[i] + 0.1 * g;
        r->b[i] = 0.999 * r->b[i] + 0.001 * g * g;
        const double m = r->a[i] / (1 - pow(0.9, number + 1)), v = r->b[i] / (1 - pow(0.999, number + 1));
        r->w[i] -= rate * m / (sqrt(v) + 1e-8);
    }
}

/* Logistic regression with one weight a feature: a step changes the keys that it names, and the bias. */
static double reference_step(reference *r, const examples *e, const char *rule, int number, double rate, double l2)
{
    double gradient[FEATURES + 1] = {0}, loss = 0, weight = 0;
    bool named[FEATURES + 1] = {false};
    named[FEATURES] = true;
    for (int64_t row = 0; row < e->batch.rows; row++) {
        double z = r->w[FEATURES];
        for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++)
            z += r->w[e->keys[i]] * (double)e->values[i];
        const double p = 1 / (1 + exp(-z)), slope = (double)e->weights[row] * (p - e->labels[row]);
        loss -= (double)e->weights[row] * log(e->labels[row] ? p : 1 - p);
        weight += (double)e->weights[row];
        gradient[FEATURES] += slope;
        for (int64_t i = e->offsets[row]; i < e->offsets[row + 1]; i++) {
            gradient[e->keys[i]] += slope * (double)e->values[i];
            named[e->keys[i]] = true;
        }
    }
    for (int i = 0; i <= FEATURES; i++)
        if (named[i])
            reference_update(r, i, gradient[i] / weight, rule, number, rate, l2);
    return loss;
}

static const char *const lr = "sparse()\ndense(1, init=zero)\nlogistic_loss()";

static void every_rule_trains_as_the_reference_does(void **state)
{
    (void)state;
    enum { ROWS = 64, STEPS = 20 };
    static const struct {
        tri_rule rule;
        double rate, l2;
    } rules[] = {{{.name = "sgd"}, 0.5, 0},
                 {{.name = "sgd", .set = {{"l2", 0.01F}}}, 0.5, 0.01},
                 {{.name = "momentum", .set = {{"l2", 0.01F}}}, 0.1, 0.01},
                 {{.name = "nesterov", .set = {{"l2", 0.01F}}}, 0.1, 0.01},
                 {{.name = "adagrad"}, 0.1, 0},
                 {{.name = "adam"}, 0.01, 0},
                 {{.name = "adamw"}, 0.01, 0},
                 {{.name = "ftrl", .set = {{"l1", 0.001F}, {"l2", 0.1F}}}, 0.3, 0.1}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        reference *r = calloc(1, sizeof *r);
        assert_non_null(r);
        trained t = make(lr, FEATURES, ROWS, rules[i].rule, false, 2);
        for (int number = 0; number < STEPS; number++) {
            examples e = make_examples(ROWS, (uint64_t)number);
            const double wanted = reference_step(r, &e, rules[i].rule.name, number, rules[i].rate, rules[i].l2);
            const double got = step(&t, &e, number, (float)rules[i].rate);
            if (fabs(got - wanted) > 1e-5 * wanted)
                fail_msg("%s, step %d: the loss is %.7f, the reference's %.7f", rules[i].rule.name, number, got, wanted);
            examples_fini(&e);
        }
        for (int k = 0; k < FEATURES; k++)
            if (fabs(r->w[k] - (double)weight_at(&t, 0, k, 0)) > 1e-4 * fmax(1, fabs(r->w[k])))
                fail_msg("%s: weight %d is %g, the reference's %g", rules[i].rule.name, k, (double)weight_at(&t, 0, k, 0), r->w[k]);
        trained_fini(&t);
        free(r);
    }
}

/* The bound holds for the gradient of tables and parameters together. */
static void clipping_counts_the_rows_of_a_step(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    examples e = make_examples(ROWS, 1);
    trained t = make(lr, FEATURES, ROWS, (tri_rule){.clip = 0.001F}, true, 1);
    assert_false(tri_store_lends_tables(t.store));
    step(&t, &e, 0, 1);
    double squares = pow((double)tri_store_parameters(t.store)[0], 2);
    for (int k = 0; k < FEATURES; k++)
        squares += pow((double)weight_at(&t, 0, k, 0), 2);
    assert_float_equal(sqrt(squares), 0.001, 1e-7);
    trained_fini(&t);
    examples_fini(&e);
}

/* ---- what a step touches ---- */

static const char *const deep = "examples = sparse()\nwide = dense(examples, 1)\nembedding(examples, 4, fields=40)\ndense(8)\nrelu()\n"
                                "deep = dense(1)\nadd(wide, deep)\nlogistic_loss()";

/* Between 1,000 and 100 million features, a plan differs in nothing: calls, activations, and the rows that a step changes. */
static void no_step_touches_anything_of_the_size_of_a_table(void **state)
{
    (void)state;
    enum { ROWS = 16 };
    const int64_t features[] = {1000, 100000000};
    size_t bytes[2];
    int calls[2];
    for (int i = 0; i < 2; i++) {
        examples e = make_examples(ROWS, 9);
        trained t = make("sparse()\ndense(1)\nlogistic_loss()", features[i], ROWS, (tri_rule){.name = "adagrad"}, false, 1);
        for (int64_t k = 0; i && k < e.offsets[ROWS]; k++)
            e.keys[k] *= 100003; /* all over the table */
        step(&t, &e, 0, 0.1F);
        bytes[i] = tri_plan_bytes(t.plan);
        calls[i] = tri_plan_calls(t.plan);
        for (int64_t k = 0; k < e.offsets[ROWS]; k++)
            assert_true(weight_at(&t, 0, e.keys[k], 0) != 0 || e.values[k] == 0);
        trained_fini(&t);
        examples_fini(&e);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_int_equal(calls[0], calls[1]);
}

/* Keys that a step does not name keep weight and state. */
static void expect_unnamed_rows_stay(tri_rule rule)
{
    enum { ROWS = 8 };
    trained t = make(deep, FEATURES, ROWS, rule, false, 2);
    for (int number = 0; number < 3; number++) {
        examples e = make_examples(ROWS, (uint64_t)number);
        const tri_table *table = tri_store_table(t.store, 1);
        const size_t bytes = (size_t)(table->rows * table->stride) * sizeof(float);
        float *before = malloc(bytes);
        assert_non_null(before);
        memcpy(before, table->data, bytes);
        step(&t, &e, number, 0.01F);
        for (int32_t key = 0; key < FEATURES; key++) {
            bool named = false;
            for (int64_t i = 0; i < e.offsets[ROWS]; i++)
                named |= e.keys[i] == key;
            const int changed =
                memcmp(before + key * table->stride, table->data + key * table->stride, (size_t)table->stride * sizeof(float));
            if (!named && changed)
                fail_msg("%s, step %d changed row %d, which no example names", rule.name, number, key);
        }
        free(before);
        examples_fini(&e);
    }
    trained_fini(&t);
}

/* Whatever the rule, and with l2, decay and clipping. */
static void rows_that_a_step_does_not_name_stay(void **state)
{
    (void)state;
    for (int i = 0; tri_rule_name(i); i++) {
        const bool decays = strcmp(tri_rule_name(i), "adamw") == 0;
        expect_unnamed_rows_stay((tri_rule){.name = tri_rule_name(i), .set = {{decays ? "decay" : "l2", 0.1F}}});
        expect_unnamed_rows_stay((tri_rule){.name = tri_rule_name(i), .set = {{decays ? "decay" : "l2", 0.1F}}, .clip = 0.01F});
    }
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    for (int r = 0; r < 2; r++) {
        trained one = make(deep, FEATURES, ROWS, (tri_rule){.name = r ? "ftrl" : "sgd"}, false, 1);
        trained many = make(deep, FEATURES, ROWS, (tri_rule){.name = r ? "ftrl" : "sgd"}, false, 5);
        for (int number = 0; number < 5; number++) {
            examples e = make_examples(ROWS, (uint64_t)number);
            const double a = step(&one, &e, number, 0.1F), b = step(&many, &e, number, 0.1F);
            assert_true(a == b);
            examples_fini(&e);
        }
        for (int table = 0; table < 2; table++) {
            const tri_table *a = tri_store_table(one.store, table), *b = tri_store_table(many.store, table);
            assert_memory_equal(a->data, b->data, (size_t)(a->rows * a->stride) * sizeof(float));
        }
        trained_fini(&one);
        trained_fini(&many);
    }
}

/* A store that is told the next batch's keys early, or wrong ones, gives the same rows. */
static void keys_told_early_change_no_bit(void **state)
{
    (void)state;
    enum { ROWS = 60, STEPS = 8 };
    trained late = make(deep, FEATURES, ROWS, (tri_rule){.name = "adagrad", .clip = 0.1F}, false, 2);
    trained early = make(deep, FEATURES, ROWS, (tri_rule){.name = "adagrad", .clip = 0.1F}, false, 2);
    assert_true(tri_plan_expects(early.plan));
    for (int number = 0; number < STEPS; number++) {
        examples e = make_examples(ROWS, (uint64_t)number), next = make_examples(ROWS, (uint64_t)(number % 3 ? number + 1 : 77));
        double loss;
        const double wanted = step(&late, &e, number, 0.1F);
        assert_ok(tri_store_begin(early.store, &(tri_step){number, 0.1F}));
        if (number != 4)
            assert_ok(tri_plan_expect(early.plan, &e.batch, &next.batch));
        assert_ok(tri_plan_train(early.plan, &e.batch, &loss));
        assert_true(loss == wanted);
        if (number == 5)
            assert_ok(tri_store_flush(early.store)); /* what was told of the next step stays */
        examples_fini(&e);
        examples_fini(&next);
    }
    assert_ok(tri_store_flush(early.store));
    for (int table = 0; table < 2; table++) {
        const tri_table *a = tri_store_table(late.store, table), *b = tri_store_table(early.store, table);
        assert_memory_equal(a->data, b->data, (size_t)(a->rows * a->stride) * sizeof(float));
    }
    trained_fini(&late);
    trained_fini(&early);
}

/* Threads on a lent table may lose updates, but few. */
static void a_lent_table_reaches_the_loss_of_an_exact_one(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    trained exact = make(lr, FEATURES, ROWS, (tri_rule){0}, false, 1), lent = make(lr, FEATURES, ROWS, (tri_rule){0}, true, 4);
    assert_true(tri_store_lends_tables(lent.store));
    examples e = make_examples(ROWS, 4);
    double a = 0, b = 0;
    for (int number = 0; number < 200; number++) {
        a = step(&exact, &e, number, 1);
        b = step(&lent, &e, number, 1);
    }
    if (!(fabs(a - b) < 0.005 * a))
        fail_msg("a loss of %g without locks, %g without a race", b, a);
    examples_fini(&e);
    trained_fini(&exact);
    trained_fini(&lent);
}

/* ---- batches that are not what they should be ---- */

static void damaged_batches_are_refused(void **state)
{
    (void)state;
    enum { ROWS = 8 };
    examples e = make_examples(ROWS, 2);
    trained t = make(lr, FEATURES, ROWS, (tri_rule){0}, true, 1);
    double loss;
    assert_ok(tri_store_begin(t.store, &(tri_step){.rate = 0.1F}));
    const int64_t kept = e.offsets[3];
    e.offsets[3] = e.offsets[4] + 1;
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "a batch's offsets are damaged: row 3");
    e.offsets[3] = -5;
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "a batch's offsets are damaged: row 2");
    e.offsets[3] = kept;
    e.keys[e.offsets[1]] = FEATURES;
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "has the key 500, and the model's tables have 0 to 499");
    e.keys[e.offsets[1]] = -1;
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "has the key -1");
    e.keys[e.offsets[1]] = 0;
    e.labels[0] = 2;
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "labels outside 0 to 1");
    e.labels[0] = 1;
    assert_ok(tri_plan_train(t.plan, &e.batch, &loss));
    tri_batch dense = e.batch;
    dense.offsets = NULL;
    assert_fails(tri_plan_train(t.plan, &dense, &loss), TRI_BAD_CALL, "a batch is dense");
    trained_fini(&t);
    t = make("sparse()\nembedding(2, fields=3)\ndense(1)\nlogistic_loss()", FEATURES, ROWS, (tri_rule){0}, true, 1);
    assert_ok(tri_store_begin(t.store, &(tri_step){.rate = 0.1F}));
    assert_fails(tri_plan_train(t.plan, &e.batch, &loss), TRI_BAD_DATA, "and only 3 are put side by side");
    trained_fini(&t);
    examples_fini(&e);
}

static void a_store_without_the_tables_is_refused(void **state)
{
    (void)state;
    tri_graph *graph = build(lr, FEATURES, 4);
    tri_store *store;
    tri_plan *plan;
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){0}, &store));
    assert_fails(tri_plan_create(graph, &(tri_plan_options){.batch = 4}, store, &plan), TRI_BAD_CALL,
                 "the store has no table like 'dense1.weight'");
    assert_fails(tri_store_expect(store, 0, TRI_NOW, &(int32_t){0}, 1), TRI_BAD_CALL, "there is no number 0");
    assert_ok(tri_store_add_table(store, FEATURES, 1));
    assert_fails(tri_store_expect(store, 0, TRI_NOW, &(int32_t){FEATURES}, 1), TRI_BAD_CALL, "key 500 was expected of a table of 500 rows");
    assert_fails(tri_store_add_table(store, INT64_C(1) << 31, 1), TRI_BAD_CALL, "rows");
    assert_ok(tri_store_begin(store, &(tri_step){0}));
    assert_fails(tri_store_await_rows(store, 0, (float[1]){0}), TRI_BAD_CALL, "nobody said which rows of table 0 this step reads");
    tri_store_destroy(store);
    tri_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_steps_as_plain_c_does),   cmocka_unit_test(every_rule_trains_as_the_reference_does),
        cmocka_unit_test(clipping_counts_the_rows_of_a_step),  cmocka_unit_test(no_step_touches_anything_of_the_size_of_a_table),
        cmocka_unit_test(rows_that_a_step_does_not_name_stay), cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(keys_told_early_change_no_bit),       cmocka_unit_test(a_lent_table_reaches_the_loss_of_an_exact_one),
        cmocka_unit_test(damaged_batches_are_refused),         cmocka_unit_test(a_store_without_the_tables_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
