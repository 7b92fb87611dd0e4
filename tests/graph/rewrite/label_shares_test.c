/* label_shares_test.c: a loss that reads the share of each class in place of labels. */
#include "graph/rewrite/label_shares.h"

#include <math.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

enum { ROWS = 8, FEATURES = 5, MOST_CLASSES = 3 };

#define SOFTMAX  "input()\ndense(6, init=xavier)\ntanh()\ndense(classes, init=xavier)\nsoftmax_loss()\n"
#define SMOOTH   "input()\ndense(classes, init=xavier)\nsoftmax_loss(smoothing=0.1)\n"
#define HEAD     "input()\ndense(classes, init=xavier)\nsoftmax_loss()\n"
#define LOGISTIC "input()\ndense(1, init=xavier)\nlogistic_loss()\n"

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} fixture;

static fixture make(const char *text, int64_t classes, int64_t parts, bool shares)
{
    fixture f;
    tri_model *model;
    assert_ok(tri_model_parse("test.model", text, strlen(text), &model));
    const tri_model_input input = {.type = TRI_F32, .shape = TRI_SHAPE(FEATURES), .classes = classes};
    assert_ok(tri_model_build(model, &input, ROWS, &f.graph));
    tri_model_destroy(model);
    const tri_rule rule = {.name = "sgd"};
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f.graph), &rule, &f.store));
    tri_graph_initialise(f.graph, 1, tri_store_parameters(f.store));
    const tri_plan_options options = {
        .batch = ROWS / parts, .parts = parts, .training = true, .label_shares = shares, .threads = 1, .seed = 3};
    assert_ok(tri_plan_create(f.graph, &options, f.store, &f.plan));
    return f;
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static double step(fixture *f, const tri_batch *batch)
{
    double loss;
    assert_ok(tri_store_begin(f->store, &(tri_step){.rate = 0.5f}));
    assert_ok(tri_plan_train(f->plan, batch, &loss));
    assert_ok(tri_store_flush(f->store));
    return loss;
}

/* What one step of each moves a parameter by, mixed: share · a + (1 − share) · b, against c. */
static double distance(const fixture *a, const fixture *b, double share, const fixture *c)
{
    double most = 0;
    for (size_t i = 0; i < tri_graph_parameter_floats(a->graph); i++) {
        const double mixed = share * (double)tri_store_parameters(a->store)[i] + (1 - share) * (double)tri_store_parameters(b->store)[i];
        most = fmax(most, fabs(mixed - (double)tri_store_parameters(c->store)[i]));
    }
    return most;
}

/* The step on mixed labels is the mean of the steps on either, by their shares; the last row is padding. */
static void check(const char *text, int64_t classes, int64_t parts)
{
    static const double share = 0.3;
    float x[ROWS * FEATURES], weights[ROWS], targets[ROWS * MOST_CLASSES] = {0};
    int32_t one[ROWS], other[ROWS];
    int64_t ids[ROWS];
    for (int i = 0; i < ROWS * FEATURES; i++)
        x[i] = (float)(i * 37 % 19) / 19;
    for (int i = 0; i < ROWS; i++) {
        one[i] = (int32_t)(i * 7 % classes);
        other[i] = (int32_t)((i * 5 + i / 2) % classes);
        weights[i] = i < ROWS - 1 ? 1 + (float)i / 4 : 0;
        ids[i] = i;
        targets[i * classes + one[i]] += (float)share;
        targets[i * classes + other[i]] += (float)(1 - share);
    }
    tri_batch batch = {.rows = ROWS, .count = ROWS - 1, .type = TRI_F32, .x = x, .labels = one, .weights = weights, .ids = ids};
    fixture a = make(text, classes, parts, false), b = make(text, classes, parts, false), mixed = make(text, classes, parts, true);
    const double loss = step(&a, &batch);
    batch.labels = other;
    const double loss_of_other = step(&b, &batch);
    batch.targets = targets;
    batch.outputs = classes;
    assert_float_equal(step(&mixed, &batch), share * loss + (1 - share) * loss_of_other, 1e-4);
    assert_true(distance(&a, &b, share, &mixed) < 1e-5);
    assert_true(distance(&a, &b, 1, &mixed) > 1e-3);
    double unused;
    assert_ok(tri_store_begin(a.store, &(tri_step){.rate = 0.5f}));
    assert_fails(tri_plan_train(a.plan, &batch, &unused), TRI_BAD_CALL, "make it with label_shares"); /* it would read one label of two */
    drop(&a);
    drop(&b);
    drop(&mixed);
}

static void a_step_on_shares_is_the_mean_of_the_steps_on_their_labels(void **state)
{
    (void)state;
    check(SOFTMAX, 3, 1);
    check(SOFTMAX, 3, 2);
    check(SMOOTH, 3, 1);
    check(HEAD, 3, 1);
    check(LOGISTIC, 2, 1);
}

static void shares_are_for_losses_over_classes(void **state)
{
    (void)state;
    tri_graph *graph;
    tri_node *x, *targets, *weights, *loss;
    assert_ok(tri_graph_create(2, &graph));
    assert_fails(tri__graph_read_label_shares(graph), TRI_BAD_CALL, "neither softmax_loss nor logistic_loss");
    assert_ok(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(3), &x));
    assert_ok(tri_graph_input(graph, "targets", TRI_F32, TRI_SHAPE(3), &targets));
    assert_ok(tri_graph_input(graph, "weights", TRI_F32, (tri_shape){0}, &weights));
    assert_ok(tri_graph_add(graph, "mse_loss", NULL, (tri_node *[]){x, targets, weights}, 3, NULL, &loss));
    assert_ok(tri_graph_output(graph, "loss", loss));
    assert_fails(tri__graph_read_label_shares(graph), TRI_BAD_CALL, "neither softmax_loss nor logistic_loss");
    tri_graph_destroy(graph);
}

/* A batch to train on must have them; labels that are no classes are still refused. */
static void a_batch_without_shares_is_refused(void **state)
{
    (void)state;
    fixture f = make(SOFTMAX, 3, 1, true);
    float x[ROWS * FEATURES] = {0}, weights[ROWS] = {0}, targets[ROWS * 3] = {0};
    int32_t labels[ROWS] = {0};
    int64_t ids[ROWS] = {0};
    double loss;
    tri_batch batch = {.rows = ROWS, .count = ROWS, .type = TRI_F32, .x = x, .labels = labels, .weights = weights, .ids = ids};
    assert_fails(tri_plan_train(f.plan, &batch, &loss), TRI_BAD_CALL, "has no targets");
    batch.targets = targets;
    batch.outputs = 2;
    assert_fails(tri_plan_train(f.plan, &batch, &loss), TRI_BAD_CALL, "a batch has 2 targets an example, the model has 3 outputs");
    batch.outputs = 3;
    labels[4] = 3;
    assert_fails(tri_plan_train(f.plan, &batch, &loss), TRI_BAD_DATA, "labels outside 0 to 2");
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_on_shares_is_the_mean_of_the_steps_on_their_labels),
        cmocka_unit_test(shares_are_for_losses_over_classes),
        cmocka_unit_test(a_batch_without_shares_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
