/* allocation_test.c: running a step allocates nothing of ours. */
#include "counted.h"
#include "support.h"
#include "trireme/trireme.h"

/* Allocations of ours in `steps` whole steps: next batch, plan, update. */
static long count_steps(const char *name, unsigned without, int steps)
{
    tri_model *model;
    tri_source *source;
    tri_dataset *dataset;
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    const tri_source_options source_options = {.seed = 1};
    assert_ok(tri_source_open("digits:200", TRI_PART_TRAIN, &source_options, &source));
    const tri_source_info *info = tri_source_describe(source);
    const tri_dataset_options data_options = {.batch = 16, .seed = 1, .shuffle = TRI_SHUFFLE_ALL};
    assert_ok(tri_dataset_create(source, &data_options, &dataset));
    assert_ok(tri_model_open(name, &model));
    const tri_model_input input = {.type = info->type, .shape = info->shape, .classes = info->classes};
    assert_ok(tri_model_build(model, &input, 16, &graph));
    const tri_rule rule = {.name = "adam", .clip = 1};
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &rule, &store));
    tri_graph_initialise(graph, 1, tri_store_parameters(store));
    const tri_plan_options options = {.batch = 16, .training = true, .threads = 2, .without = without};
    assert_ok(tri_plan_create(graph, &options, store, &plan));
    long before = 0;
    for (int i = 0; i < steps + 2; i++) {
        if (i == 2)
            before = counted_allocations();
        const tri_batch *batch;
        double loss;
        assert_ok(tri_dataset_next(dataset, &batch));
        assert_ok(tri_store_begin(store, &(tri_step){.step = i, .rate = 0.001f}));
        assert_ok(tri_plan_train(plan, batch, &loss));
    }
    long after = counted_allocations();
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    return after - before;
}

static void training_steps_allocate_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_steps("softmax", 0, 5), 0);
    assert_int_equal(count_steps("lenet", 0, 5), 0);
    assert_int_equal(count_steps("lenet", TRI_PLAN_NARROW, 5), 0);
    assert_int_equal(count_steps("lenet", TRI_PLAN_NARROW | TRI_PLAN_ONEDNN, 5), 0);
}

/* A check that cannot fail proves nothing: making a plan does allocate. */
static void the_allocation_counter_counts(void **state)
{
    (void)state;
    long before = counted_allocations();
    count_steps("softmax", 0, 1);
    assert_true(counted_allocations() > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_steps_allocate_nothing),
        cmocka_unit_test(the_allocation_counter_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
