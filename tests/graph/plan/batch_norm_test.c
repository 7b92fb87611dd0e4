/* batch_norm_test.c: batch normalisation in plans: whose statistics are used, and what becomes of the running ones. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

static const char text[] = "input()\nbatch_norm(momentum=0.25)\ndense(classes, init=xavier)\nsoftmax_loss()\n";

enum { WIDTH = 3, CLASSES = 2, ROWS = 5, PRESENT = 4 };

static const float x[ROWS * WIDTH] = {1, 10, -1, 2, 10, 1, 3, 10, -1, 6, 14, 1, 900, -900, 900};
static const int32_t labels[ROWS] = {0, 1, 1, 0, 0};
static const float weights[ROWS] = {1, 1, 1, 1, 0};
static const int64_t ids[ROWS] = {0, 1, 2, 3, 4};

typedef struct {
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} fixture;

static fixture make(int64_t rows, bool training, const tri_rule *rule)
{
    fixture f;
    tri_model *model;
    assert_ok(tri_model_parse("test.model", text, strlen(text), &model));
    const tri_model_input input = {.type = TRI_F32, .shape = TRI_SHAPE(WIDTH), .classes = CLASSES};
    assert_ok(tri_model_build(model, &input, rows, &f.graph));
    tri_model_destroy(model);
    tri_rule complete = *rule;
    complete.state = tri_graph_state_of(f.graph);
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f.graph), &complete, &f.store));
    tri_graph_initialise(f.graph, 1, tri_store_parameters(f.store));
    assert_ok(tri_plan_create(f.graph, &(tri_plan_options){.batch = rows, .training = training, .threads = 1}, f.store, &f.plan));
    return f;
}

static void drop(fixture *f)
{
    tri_plan_destroy(f->plan);
    tri_store_destroy(f->store);
    tri_graph_destroy(f->graph);
}

static tri_batch batch_of(int64_t rows)
{
    return (tri_batch){.rows = rows, .count = PRESENT, .type = TRI_F32, .x = x, .labels = labels, .weights = weights, .ids = ids};
}

static double train(fixture *f, int64_t rows)
{
    const tri_batch batch = batch_of(rows);
    double loss;
    assert_ok(tri_store_begin(f->store, &(tri_step){.rate = 0.1f}));
    assert_ok(tri_plan_train(f->plan, &batch, &loss));
    assert_ok(tri_store_flush(f->store));
    return loss;
}

static float *values(const fixture *f, const char *name)
{
    return tri_store_parameters(f->store) + tri_node_range(tri_graph_find(f->graph, name)).first;
}

/* Means 3, 11, 0; unbiased variances 14/3, 4, 4/3. A step takes a quarter of them. */
static void expect_statistics(const fixture *f)
{
    const double mean[] = {0.75, 2.75, 0}, variance[] = {0.75 + 14.0 / 12, 0.75 + 1, 0.75 + 1.0 / 3};
    for (int c = 0; c < WIDTH; c++) {
        assert_float_equal(values(f, "batch_norm1.running_mean")[c], mean[c], 1e-5);
        assert_float_equal(values(f, "batch_norm1.running_var")[c], variance[c], 1e-5);
    }
}

static void running_statistics_move_towards_those_of_the_batch(void **state)
{
    (void)state;
    fixture f = make(PRESENT, true, &(tri_rule){0});
    train(&f, PRESENT);
    expect_statistics(&f);
    drop(&f);
}

static void padded_rows_do_not_count_in_batch_norm(void **state)
{
    (void)state;
    fixture whole = make(PRESENT, true, &(tri_rule){0}), padded = make(ROWS, true, &(tri_rule){0});
    assert_float_equal(train(&whole, PRESENT), train(&padded, ROWS), 1e-5);
    expect_statistics(&padded);
    for (size_t i = 0; i < tri_store_floats(whole.store); i++)
        assert_float_equal(tri_store_parameters(whole.store)[i], tri_store_parameters(padded.store)[i], 1e-6);
    drop(&whole);
    drop(&padded);
}

/* l2 would shrink them, adam would move them by the rate, and clipping would hold them back. */
static void rules_and_clipping_leave_running_statistics_alone(void **state)
{
    (void)state;
    const tri_rule rules[] = {{.name = "adam", .set = {{"l2", 0.5f}}}, {.name = "momentum", .clip = 1e-3f}, {.name = "sgd", .clip = 100}};
    for (int i = 0; i < 3; i++) {
        fixture f = make(PRESENT, true, &rules[i]);
        train(&f, PRESENT);
        expect_statistics(&f);
        drop(&f);
    }
}

/* y of an example does not depend on the others then. */
static void a_plan_that_does_not_train_takes_the_running_statistics(void **state)
{
    (void)state;
    fixture all = make(PRESENT, false, &(tri_rule){0}), one = make(1, false, &(tri_rule){0});
    const tri_batch batch = batch_of(PRESENT), first = batch_of(1);
    tri_tensor y, alone;
    assert_ok(tri_plan_run(all.plan, &batch));
    assert_ok(tri_plan_run(one.plan, &first));
    assert_ok(tri_plan_value(all.plan, "logits", &y));
    assert_ok(tri_plan_value(one.plan, "logits", &alone));
    for (int i = 0; i < CLASSES; i++)
        assert_float_equal(((const float *)y.data)[i], ((const float *)alone.data)[i], 1e-6);
    drop(&all);
    drop(&one);
}

static void a_store_that_takes_statistics_for_parameters_is_refused(void **state)
{
    (void)state;
    fixture f = make(PRESENT, true, &(tri_rule){0});
    tri_store *store;
    tri_plan *plan;
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(f.graph), &(tri_rule){0}, &store));
    assert_fails(tri_plan_create(f.graph, &(tri_plan_options){.batch = PRESENT, .training = true}, store, &plan), TRI_BAD_CALL,
                 "tri_graph_state_of");
    tri_store_destroy(store);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_statistics_move_towards_those_of_the_batch),
        cmocka_unit_test(padded_rows_do_not_count_in_batch_norm),
        cmocka_unit_test(rules_and_clipping_leave_running_statistics_alone),
        cmocka_unit_test(a_plan_that_does_not_train_takes_the_running_statistics),
        cmocka_unit_test(a_store_that_takes_statistics_for_parameters_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
