/* trainer_test.c: one worker's part of a step: what it counts, and what it costs. */
#include "train/run/trainer.h"

#include <math.h>

#include "base/thread/clock.h"
#include "counted.h"
#include "support.h"
#include "train/run/timed.h"
#include "trireme/model.h"

enum { BATCH = 20, EXAMPLES = 50 };

typedef struct {
    tri_source *source;
    tri_model *model;
    tri_graph *graph;
    tri__trainer trainer;
} training;

static void prepare(training *job)
{
    *job = (training){0};
    tri_store *local;
    assert_ok(tri_source_open("digits:50", TRI_PART_TRAIN, NULL, &job->source));
    const tri_source_info *info = tri_source_describe(job->source);
    assert_ok(tri_model_open("softmax", &job->model));
    const tri_model_input input = {.type = info->type, .shape = info->shape, .classes = info->classes};
    assert_ok(tri_model_build(job->model, &input, BATCH, &job->graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(job->graph), &(tri_rule){.name = "sgd"}, &local));
    assert_ok(tri__timed_store_create(local, &job->trainer.store));
    tri_graph_initialise(job->graph, 1, tri_store_parameters(job->trainer.store));
    const tri_plan_options plan = {.batch = BATCH, .training = true, .threads = 1, .seed = 1};
    assert_ok(tri_plan_create(job->graph, &plan, job->trainer.store, &job->trainer.plan));
    const tri_dataset_options order = {.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .workers = 1};
    assert_ok(tri_dataset_create(job->source, &order, &job->trainer.dataset));
    job->trainer.now = tri__clock_now();
}

static void finish(training *job)
{
    tri__trainer_fini(&job->trainer);
    assert_true(!job->trainer.store && !job->trainer.plan && !job->trainer.dataset);
    tri_graph_destroy(job->graph);
    tri_model_destroy(job->model);
    tri_source_destroy(job->source);
}

static tri__tally step(training *job)
{
    const tri_batch *batch;
    tri__tally tally;
    assert_ok(tri__trainer_fetch(&job->trainer, &batch));
    assert_ok(tri__trainer_compute(&job->trainer, &(tri_step){.step = job->trainer.steps, .rate = 0.1f}, batch, &tally));
    return tally;
}

static void a_trainer_counts_steps_and_their_time(void **state)
{
    (void)state;
    training job;
    prepare(&job);
    int64_t began = job.trainer.now;
    tri__tally tally = step(&job);
    assert_int_equal(tally.count, BATCH);
    assert_int_equal(tally.damaged, 0);
    assert_true(isfinite(tally.loss) && tally.loss > 0);
    step(&job);
    assert_int_equal(step(&job).count, EXAMPLES % BATCH); /* what is left of the epoch */
    assert_int_equal(job.trainer.steps, 3);
    assert_int_equal(job.trainer.examples, EXAMPLES);
    const tri__phases *phases = &job.trainer.phases;
    assert_int_equal(tri__phases_total(phases), job.trainer.now - began);
    assert_int_equal(phases->phase, TRI_PHASE_OTHER);
    assert_true(phases->spent[TRI_PHASE_INPUT] > 0 && phases->spent[TRI_PHASE_COMPUTE] > 0 && phases->spent[TRI_PHASE_UPDATE] > 0);
    assert_int_equal(phases->spent[TRI_PHASE_SERVER] + phases->spent[TRI_PHASE_SEND] + phases->spent[TRI_PHASE_PEERS], 0);
    finish(&job);
}

static void a_training_step_allocates_no_memory(void **state)
{
    (void)state;
    training job;
    prepare(&job);
    for (int i = 0; i < 6; i++) /* over the end of an epoch */
        step(&job);
    long before = counted_allocations();
    step(&job);
    step(&job);
    assert_int_equal(counted_allocations(), before);
    finish(&job);
}

static void damaged_examples_have_no_weight_in_the_loss(void **state)
{
    (void)state;
    assert_true(tri__tally_mean(&(tri__tally){.loss = 6, .count = 4, .damaged = 1}) == 2);
    assert_true(tri__tally_mean(&(tri__tally){.count = 4, .damaged = 4}) == 0);
    assert_true(tri__tally_mean(&(tri__tally){0}) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trainer_counts_steps_and_their_time),
        cmocka_unit_test(a_training_step_allocates_no_memory),
        cmocka_unit_test(damaged_examples_have_no_weight_in_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
