/* trainer_test.c: one worker's part of a step: what it counts, and what it costs. */
#define _GNU_SOURCE /* memmem */
#include "train/step/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/thread/clock.h"
#include "counted.h"
#include "support.h"
#include "train/step/timed.h"
#include "trireme/model.h"

enum { BATCH = 20, EXAMPLES = 50 };

typedef struct {
    tri_source *source;
    tri_model *model;
    tri_graph *graph;
    tri__trainer trainer;
} training;

static void prepare_model(training *job, tri_model *model)
{
    *job = (training){0};
    tri_store *local;
    assert_ok(tri_source_open("digits:50", TRI_PART_TRAIN, NULL, &job->source));
    const tri_source_info *info = tri_source_describe(job->source);
    job->model = model;
    const tri_model_input input = {.type = info->type, .shape = info->shape, .classes = info->classes};
    assert_ok(tri_model_build(job->model, &input, BATCH, &job->graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(job->graph),
                                     &(tri_rule){.name = "sgd", .state = tri_graph_state_of(job->graph)}, &local));
    assert_ok(tri__timed_store_create(local, &job->trainer.store));
    tri_graph_initialise(job->graph, 1, tri_store_parameters(job->trainer.store));
    const tri_plan_options plan = {.batch = BATCH, .training = true, .keep_logits = true, .threads = 1, .seed = 1};
    assert_ok(tri_plan_create(job->graph, &plan, job->trainer.store, &job->trainer.plan));
    const tri_dataset_options order = {.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .workers = 1};
    assert_ok(tri_dataset_create(job->source, &order, &job->trainer.dataset));
    job->trainer.now = tri__clock_now();
}

static void prepare(training *job)
{
    tri_model *model;
    assert_ok(tri_model_open("softmax", &model));
    prepare_model(job, model);
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
    assert_true(tri__tally_mean(&(tri__tally){.loss = 6, .weight = 3, .count = 4, .damaged = 1}) == 2);
    assert_true(tri__tally_mean(&(tri__tally){.count = 4, .damaged = 4}) == 0);
    assert_true(tri__tally_mean(&(tri__tally){0}) == 0);
}

/* Of the last ten of twelve steps predictions are compared with labels: as many as the logits say. */
static void a_trainer_judges_the_last_steps_before_each_point_of_the_curves(void **state)
{
    (void)state;
    training job;
    prepare(&job);
    job.trainer.judge_every = 12;
    for (int i = 0; i < 24; i++) {
        const tri_batch *batch;
        tri_tensor logits;
        tri__tally tally;
        int64_t right = 0;
        assert_ok(tri__trainer_fetch(&job.trainer, &batch));
        assert_ok(tri__trainer_compute(&job.trainer, &(tri_step){.step = i, .rate = 0.1f}, batch, &tally));
        assert_ok(tri_plan_value(job.trainer.plan, "logits", &logits));
        for (int64_t row = 0; row < batch->count; row++) {
            const float *line = (const float *)logits.data + row * 10;
            bool best = true;
            for (int c = 0; c < 10; c++)
                best &= line[c] <= line[batch->labels[row]];
            right += best;
        }
        assert_int_equal(tally.judged, i % 12 < 2 ? 0 : batch->count);
        assert_int_equal(tally.right, i % 12 < 2 ? 0 : right);
    }
    finish(&job);
}

typedef struct {
    int64_t weights, gradients;
} shown;

/* Counts of the histograms "weights/…" and "gradients/…" in the folder's one file. */
static shown count_shown(const char *folder)
{
    char **names;
    size_t count, size;
    shown found = {0};
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 1);
    char *path = test_path(folder, names[0]), *bytes = test_read(path, &size);
    for (const char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "weights/", 8)); at++)
        found.weights++;
    for (const char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "gradients/", 10)); at++)
        found.gradients++;
    free(bytes);
    free(path);
    tri__folder_free(names, count);
    return found;
}

/* Of the model over seven steps, of which every third is shown; the job is finished. */
static shown show(const char *folder, training *job)
{
    tri__events *events;
    assert_ok(tri__events_create(folder, &events));
    assert_ok(tri__histograms_create(job->graph, 3, job->trainer.store, &job->trainer.histograms));
    for (int i = 0; i < 7; i++) {
        step(job);
        tri__histograms_tell(job->trainer.histograms, events, i + 1);
        tri__histograms_tell(job->trainer.histograms, events, i + 1); /* told once */
    }
    assert_ok(tri__events_close(events));
    tri__histograms *histograms = job->trainer.histograms;
    finish(job);
    tri__histograms_destroy(histograms);
    return count_shown(folder);
}

static void histograms_show_every_parameter_of_every_so_many_steps(void **state)
{
    training job;
    prepare(&job);
    const shown found = show(*state, &job); /* weight and bias, in steps 1, 4 and 7 */
    assert_int_equal(found.weights, 6);
    assert_int_equal(found.gradients, 6);
}

/* The running mean and variance of batch_norm are kept, not learnt. */
static void histograms_show_no_gradients_of_what_has_none(void **state)
{
    static const char text[] = "input()\ndense(4, bias=no)\nbatch_norm()\ndense(classes, bias=no)\nsoftmax_loss()\n";
    training job;
    tri_model *model;
    assert_ok(tri_model_parse("mine", text, sizeof text - 1, &model));
    prepare_model(&job, model);
    const shown found = show(*state, &job);
    assert_int_equal(found.weights, 3 * 6); /* two weights, gamma, beta, mean, variance */
    assert_int_equal(found.gradients, 3 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trainer_counts_steps_and_their_time),
        cmocka_unit_test(a_training_step_allocates_no_memory),
        cmocka_unit_test(damaged_examples_have_no_weight_in_the_loss),
        cmocka_unit_test(a_trainer_judges_the_last_steps_before_each_point_of_the_curves),
        FOLDER_TEST(histograms_show_every_parameter_of_every_so_many_steps),
        FOLDER_TEST(histograms_show_no_gradients_of_what_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
