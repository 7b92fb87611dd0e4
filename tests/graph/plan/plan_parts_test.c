/* plan_parts_test.c: a step in parts is the step of the whole batch. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

enum { SIDE = 6, PIXELS = SIDE * SIDE, CLASSES = 3, PART = 4, PARTS = 3, ROWS = PART * PARTS };

static uint8_t x[ROWS][PIXELS];
static const void *at[ROWS];
static int32_t labels[ROWS];
static float weights[ROWS];
static int64_t ids[ROWS];

static int fill(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < PIXELS; k++)
            x[i][k] = (uint8_t)(i * 37 + k * k * 11 + 5);
        at[i] = x[i];
        labels[i] = i * 7 % CLASSES;
        ids[i] = 100 + i;
    }
    return 0;
}

/* The first count rows are examples; number 2 is damaged. */
static tri_batch batch_of(int64_t count, bool scattered)
{
    for (int i = 0; i < ROWS; i++)
        weights[i] = i < count && i != 2;
    return (tri_batch){.rows = ROWS,
                       .count = count,
                       .damaged = 1,
                       .type = TRI_U8,
                       .x = scattered ? NULL : (const void *)x,
                       .at = scattered ? at : NULL,
                       .labels = labels,
                       .weights = weights,
                       .ids = ids};
}

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} fixture;

static fixture make(const char *text, const tri_rule *rule, bool drop, int64_t parts)
{
    fixture f;
    tri_model *model;
    assert_ok(tri_model_parse("test.model", text, strlen(text), &model));
    const tri_model_input input = {.type = TRI_U8, .shape = TRI_SHAPE(SIDE, SIDE, 1), .classes = CLASSES};
    assert_ok(tri_model_build(model, &input, ROWS / parts, &f.graph));
    tri_model_destroy(model);
    tri_rule complete = *rule;
    complete.state = tri_graph_state_of(f.graph);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f.graph), &complete, &f.store));
    if (drop)
        tri_store_drop_gradient(f.store);
    tri_graph_initialise(f.graph, 1, tri_store_parameters(f.store));
    const tri_plan_options options = {.batch = ROWS / parts, .parts = parts, .training = true, .threads = 1, .seed = 3};
    assert_ok(tri_plan_create(f.graph, &options, f.store, &f.plan));
    return f;
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static double step(fixture *f, int number, const tri_batch *batch)
{
    double loss;
    assert_ok(tri_store_begin(f->store, &(tri_step){.step = number, .rate = 0.05f}));
    assert_ok(tri_plan_train(f->plan, batch, &loss));
    assert_ok(tri_store_flush(f->store));
    return loss;
}

static double distance(const fixture *a, const fixture *b)
{
    double most = 0;
    for (size_t i = 0; i < tri_store_floats(a->store); i++)
        most = fmax(most, fabs((double)(tri_store_parameters(a->store)[i] - tri_store_parameters(b->store)[i])));
    return most;
}

/* Whole steps, one of which the last part is short, one with a part that is empty, one of a single part. */
static void expect_equal(const char *text, const tri_rule *rule, bool scattered, bool drops)
{
    static const int64_t counts[] = {ROWS, ROWS - 2, PART + 1, PART, 3};
    fixture whole = make(text, rule, drops, 1), parts = make(text, rule, drops, PARTS);
    const bool can = tri_plan_takes_scattered(whole.plan) && tri_plan_takes_scattered(parts.plan);
    for (int i = 0; i < 5; i++) {
        const tri_batch batch = batch_of(counts[i], scattered && can);
        const double expected = step(&whole, i, &batch);
        assert_float_equal(step(&parts, i, &batch), expected, 1e-4 * fabs(expected) + 1e-6);
    }
    if (distance(&whole, &parts) > 2e-5)
        fail_msg("%g apart: %s", distance(&whole, &parts), text);
    drop(&whole);
    drop(&parts);
}

static void parts_learn_what_the_whole_batch_learns(void **state)
{
    (void)state;
    static const char *const models[] = {
        "input(scale=1/255)\ndense(classes)\nsoftmax_loss()\n",
        "input(scale=1/255)\nconv(4, 3)\nrelu()\navgpool(2)\ndense(8)\ntanh()\ndropout(0.4)\ndense(classes)\nsoftmax_loss()\n",
        "input(scale=1/255)\ndense(8)\nlayer_norm()\ngelu()\ndense(classes)\nsoftmax_loss()\n",
    };
    const tri_rule rules[] = {{.name = "sgd"}, {.name = "momentum", .set = {{"l2", 0.01F}}, .clip = 0.5F}};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int kind = 0; kind < 8; kind++)
            expect_equal(models[m], &rules[kind & 1], kind & 2, kind & 4);
}

static void running_statistics_move_to_the_mean_of_the_parts(void **state)
{
    (void)state;
    static const char text[] = "input(scale=1/255)\nbatch_norm(momentum=1)\ndense(classes)\nsoftmax_loss()\n";
    fixture whole = make(text, &(tri_rule){.name = "sgd"}, false, 1), parts = make(text, &(tri_rule){.name = "sgd"}, false, PARTS);
    const tri_batch batch = batch_of(ROWS, false);
    step(&whole, 0, &batch);
    step(&parts, 0, &batch);
    const tri_range mean = tri_node_range(tri_graph_find(whole.graph, "batch_norm1.running_mean"));
    for (size_t i = 0; i < mean.count; i++) /* the mean of all examples is that of the parts, each by its examples */
        assert_float_equal(tri_store_parameters(whole.store)[mean.first + i], tri_store_parameters(parts.store)[mean.first + i], 1e-5);
    drop(&whole);
    drop(&parts);
}

static void a_batch_of_other_rows_is_refused(void **state)
{
    (void)state;
    fixture f = make("input()\ndense(classes)\nsoftmax_loss()\n", &(tri_rule){0}, false, PARTS);
    tri_batch batch = batch_of(ROWS, false);
    batch.rows = batch.count = PART;
    double loss;
    assert_ok(tri_store_begin(f.store, &(tri_step){.rate = 0.1f}));
    assert_fails(tri_plan_train(f.plan, &batch, &loss), TRI_BAD_CALL, "3 parts of 4");
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_learn_what_the_whole_batch_learns),
        cmocka_unit_test(running_statistics_move_to_the_mean_of_the_parts),
        cmocka_unit_test(a_batch_of_other_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
