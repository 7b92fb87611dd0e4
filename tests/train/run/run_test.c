/* run_test.c: whole runs, small ones, through the library: how they end, what they leave, and that resuming changes nothing. */
#include "train/folder/folder_lock.h"
#include "train/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/thread/clock.h"
#include "support.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/options/strategies.h"

/* Dropout, a rule with state and shuffling: all that could differ after a resume. */
static const char model_text[] = "train(rate=0.01, rule=adam, batch=16, epochs=2)\n"
                                 "input(scale=1/255)\n"
                                 "dense(12)\n"
                                 "relu()\n"
                                 "dropout(0.3)\n"
                                 "dense(classes)\n"
                                 "softmax_loss()\n";

/* A log that asks the run to stop when a line contains a text, and remembers whether another was told. */
typedef struct {
    tri__log log;
    const char *stop_at, *expect;
    volatile sig_atomic_t stop;
    bool told;
} listener;

static void listen(tri__log *log, tri__log_level level, const char *line)
{
    listener *self = (listener *)log;
    (void)level;
    if (self->stop_at && strstr(line, self->stop_at))
        self->stop = 1;
    if (self->expect && strstr(line, self->expect))
        self->told = true;
}

typedef struct {
    char *folder, *model;
} fixture;

static int set_up(void **state)
{
    fixture *here = calloc(1, sizeof *here);
    here->folder = test_folder_create();
    here->model = test_path(here->folder, "small.model");
    test_write(here->model, model_text, strlen(model_text));
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    fixture *here = *state;
    test_folder_remove(here->folder);
    free(here->model);
    free(here);
    return 0;
}

/* As the command line finds it. What is wrong with the options is for the run to tell. */
static const tri__strategy *strategy_of(const tri__train_options *given, const char *resume)
{
    tri__train_options whole;
    tri__train_options_init(&whole);
    tri_status_free(tri__checkpoint_merge_options(resume, given, &whole));
    const tri__strategy *strategy = tri__strategies_find(whole.strategy);
    tri__train_options_fini(&whole);
    return strategy;
}

/* Run with the options "name=value …"; out or resume is a folder of here. */
static tri_status run(const fixture *here, const char *options, const char *out, const char *resume, listener *log, tri__run_result *result)
{
    tri__train_options request;
    tri__train_options_init(&request);
    bool known = true;
    char text[512], *save = NULL;
    snprintf(text, sizeof text, "%s%s", resume ? "" : "threads=1 data=fake:4x4x1:3:100 ", options);
    if (!resume)
        assert_ok(tri__train_options_set(&request, "model", here->model, &known));
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = 0;
        assert_ok(tri__train_options_set(&request, word, value, &known));
        assert_true(known);
    }
    log->log = (tri__log){.write = listen, .least = TRI_LOG_DEBUG};
    char *folder = test_path(here->folder, out ? out : resume);
    tri_status status = tri__run_train(
        &(tri__run_request){
            .options = &request,
            .strategy = strategy_of(&request, resume ? folder : NULL),
            .out = out ? folder : NULL,
            .resume = resume ? folder : NULL,
            .command = "trireme train …",
            .started = tri__clock_now(),
            .stop = &log->stop,
            .log = &log->log,
        },
        result);
    free(folder);
    tri__train_options_fini(&request);
    return status;
}

static tri__checkpoint *newest(const fixture *here, const char *name)
{
    char *folder = test_path(here->folder, name);
    tri__checkpoint *checkpoint;
    assert_ok(tri__checkpoint_open(folder, NULL, &checkpoint));
    free(folder);
    return checkpoint;
}

static const char *text_of(const tri__run_result *result, const char *key)
{
    return json_string_value(json_object_get(result->summary, key));
}

static json_int_t integer_of(const tri__run_result *result, const char *key)
{
    return json_integer_value(json_object_get(result->summary, key));
}

static void a_run_that_still_runs_is_not_resumed_and_nothing_of_it_is_read(void **state)
{
    fixture *here = *state;
    listener log = {.stop = 0};
    tri__run_result result;
    tri__folder_lock *lock;
    assert_ok(run(here, "steps=3", "r", NULL, &log, &result));
    assert_ok(tri__folder_lock_job(result.folder, &lock));
    tri__run_result again;
    assert_fails(run(here, "steps=9 data=/nowhere", NULL, "r", &log, &again), TRI_BAD_CALL, "the run is still going on");
    tri__folder_lock_release(lock);
    tri__run_result_fini(&again);
    assert_ok(run(here, "steps=9", NULL, "r", &log, &again));
    assert_int_equal(integer_of(&again, "steps"), 9);
    tri__run_result_fini(&again);
    tri__run_result_fini(&result);
}

static void a_run_leaves_summary_checkpoint_log_and_command_in_its_folder(void **state)
{
    const fixture *here = *state;
    listener log = {.expect = "epoch 2"};
    tri__run_result result;
    assert_ok(run(here, "", "a", NULL, &log, &result));
    assert_true(log.told);
    assert_string_equal(text_of(&result, "stopped_by"), "epochs");
    assert_int_equal(integer_of(&result, "steps"), 14); /* 2 × ⌈100 / 16⌉ */
    assert_int_equal(integer_of(&result, "examples"), 200);
    const char *const files[] = {"summary.json", "command", "log/worker-0.txt", "checkpoint/step-00000014.safetensors"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = test_path(result.folder, files[i]);
        assert_true(tri__file_exists(path));
        free(path);
    }
    tri__run_result_fini(&result);
    assert_fails(run(here, "", "a", NULL, &log, &result), TRI_BAD_CALL, "a new run needs a new folder");
    tri__run_result_fini(&result);
}

/* kinds: tensors of each parameter: itself, two slots of adam, and with --average the raw weights. */
static void assert_same_tensors(const fixture *here, const char *a, const char *b, size_t kinds)
{
    tri__checkpoint *one = newest(here, a), *other = newest(here, b);
    assert_int_equal(one->state.step, other->state.step);
    assert_int_equal(one->state.position, other->state.position);
    assert_true(tri__recent_mean(&one->state.recent) == tri__recent_mean(&other->state.recent));
    size_t count = tri__safetensors_count(one->file);
    assert_int_equal(count, tri__safetensors_count(other->file));
    assert_int_equal(count, 4 * kinds); /* of two layers' weights and biases */
    for (size_t i = 0; i < count; i++) {
        const tri__named_tensor *x = tri__safetensors_at(one->file, i), *y = tri__safetensors_at(other->file, i);
        assert_string_equal(x->name, y->name);
        assert_memory_equal(x->tensor.data, y->tensor.data, (size_t)tri_shape_count(x->tensor.shape) * sizeof(float));
    }
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
}

static void a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(void **state)
{
    const fixture *here = *state;
    const char *options = "epochs=5 eval-every=3 schedule=cosine:0.1 warmup=4 l2=0.001 clip=1";
    listener quiet = {0};
    tri__run_result result;
    assert_ok(run(here, options, "straight", NULL, &quiet, &result));
    tri__run_result_fini(&result);
    listener stopper = {.stop_at = "step 12"}; /* in the middle of the second epoch */
    assert_ok(run(here, options, "broken", NULL, &stopper, &result));
    assert_string_equal(text_of(&result, "stopped_by"), "signal");
    assert_int_equal(integer_of(&result, "steps"), 12);
    assert_non_null(text_of(&result, "checkpoint"));
    tri__run_result_fini(&result);
    listener again = {.stop_at = "step 27"};
    assert_ok(run(here, "", NULL, "broken", &again, &result)); /* all options come from the checkpoint */
    assert_int_equal(integer_of(&result, "steps"), 27);
    tri__run_result_fini(&result);
    assert_ok(run(here, "", NULL, "broken", &quiet, &result));
    assert_string_equal(text_of(&result, "stopped_by"), "epochs");
    assert_int_equal(integer_of(&result, "steps"), 35);
    tri__run_result_fini(&result);
    assert_same_tensors(here, "straight", "broken", 3);
}

static void a_resumed_run_with_averages_equals_an_uninterrupted_one(void **state)
{
    const fixture *here = *state;
    const char *options = "epochs=5 eval-every=3 average=0.9";
    listener quiet = {0}, stopper = {.stop_at = "step 12"};
    tri__run_result result;
    assert_ok(run(here, options, "straight", NULL, &quiet, &result));
    tri__run_result_fini(&result);
    assert_ok(run(here, options, "broken", NULL, &stopper, &result));
    assert_int_equal(integer_of(&result, "steps"), 12);
    tri__run_result_fini(&result);
    assert_fails(run(here, "average=0.5", NULL, "broken", &quiet, &result), TRI_BAD_CALL, "a resumed run keeps it");
    assert_ok(run(here, "", NULL, "broken", &quiet, &result));
    tri__run_result_fini(&result);
    assert_same_tensors(here, "straight", "broken", 4);
    assert_ok(run(here, "steps=2", "without", NULL, &quiet, &result));
    tri__run_result_fini(&result);
    assert_fails(run(here, "steps=3 average=0.5", NULL, "without", &quiet, &result), TRI_BAD_CALL, "a resumed run keeps it");
}

static const float *tensor_of(const tri__checkpoint *checkpoint, const char *name, int64_t *count)
{
    for (size_t i = 0; i < tri__safetensors_count(checkpoint->file); i++) {
        const tri__named_tensor *named = tri__safetensors_at(checkpoint->file, i);
        *count = tri_shape_count(named->tensor.shape);
        if (!strcmp(named->name, name))
            return named->tensor.data;
    }
    fail_msg("no tensor '%s'", name);
    return NULL;
}

/* Every step leaves its weights and its averages in a checkpoint: the averages follow from the weights. */
static void the_averages_of_a_run_follow_from_its_weights(void **state)
{
    const fixture *here = *state;
    listener quiet = {0};
    tri__run_result result;
    double want[200] = {0};
    int64_t count = 0, same = 0;
    assert_ok(run(here, "steps=15 average=0.5 checkpoint-every=1steps keep=20", "a", NULL, &quiet, &result));
    for (int step = 0; step < 15; step++) {
        char name[64];
        snprintf(name, sizeof name, "a/checkpoint/step-%08d.safetensors", step + 1);
        tri__checkpoint *checkpoint = newest(here, name);
        const float *raw = tensor_of(checkpoint, "raw/dense1.weight", &count), *average = tensor_of(checkpoint, "dense1.weight", &same);
        assert_true(count == 192 && same == count);
        const double decay = fmin(0.5, (double)step / (step + 9));
        for (int64_t i = 0; i < count; i++) {
            want[i] = decay * want[i] + (1 - decay) * (double)raw[i];
            assert_float_equal(average[i], want[i], 1e-6);
        }
        tri__checkpoint_close(checkpoint);
    }
    tri__run_result_fini(&result);
}

/* ‖a − b‖ / ‖a‖ over the parameters, without the rule's state. */
static double distance(const fixture *here, const char *a, const char *b)
{
    tri__checkpoint *one = newest(here, a), *other = newest(here, b);
    double apart = 0, size = 0;
    for (size_t i = 0; i < tri__safetensors_count(one->file); i++) {
        const tri__named_tensor *x = tri__safetensors_at(one->file, i), *y = tri__safetensors_at(other->file, i);
        const float *p = x->tensor.data, *q = y->tensor.data;
        for (int64_t k = 0; k < tri_shape_count(x->tensor.shape) && !strchr(x->name, '/'); k++) {
            apart += (double)(p[k] - q[k]) * (p[k] - q[k]);
            size += (double)p[k] * p[k];
        }
    }
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
    return sqrt(apart / size);
}

/* The last step of each epoch is short, so shards are uneven: 100 examples in steps of 48, the last one of 4 for three replicas. */
static void replicas_equal_one_worker_with_a_larger_batch(void **state)
{
    const fixture *here = *state;
    listener log = {.expect = "batch 16 each for 3 replicas"};
    tri__run_result result;
    assert_ok(run(here, "epochs=4 batch=48", "one", NULL, &log, &result));
    double loss = json_real_value(json_object_get(result.summary, "train_loss"));
    tri__run_result_fini(&result);
    assert_ok(run(here, "epochs=4 batch=16 strategy=mirrored workers=3", "three", NULL, &log, &result));
    assert_true(log.told);
    assert_int_equal(integer_of(&result, "steps"), 12);
    assert_int_equal(integer_of(&result, "examples"), 400);
    assert_int_equal(integer_of(&result, "workers"), 3);
    assert_float_equal(json_real_value(json_object_get(result.summary, "train_loss")), loss, 1e-5);
    json_t *stats = json_object_get(result.summary, "worker_stats");
    json_int_t examples = 0;
    assert_int_equal(json_array_size(stats), 3);
    for (size_t i = 0; i < 3; i++)
        examples += json_integer_value(json_object_get(json_array_get(stats, i), "examples"));
    assert_int_equal(examples, 400);
    tri__run_result_fini(&result);
    assert_true(distance(here, "one", "three") < 1e-5);
}

/* Averages differ from the weights, and training goes the same way with them. */
static void replicas_keep_the_averages_of_one_worker(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "epochs=4 batch=48 average=0.9", "one", NULL, &log, &result));
    const double loss = json_real_value(json_object_get(result.summary, "train_loss"));
    tri__run_result_fini(&result);
    assert_ok(run(here, "epochs=4 batch=16 strategy=mirrored workers=3 average=0.9", "three", NULL, &log, &result));
    tri__run_result_fini(&result);
    assert_true(distance(here, "one", "three") < 1e-5);
    assert_ok(run(here, "epochs=4 batch=48", "raw", NULL, &log, &result));
    assert_true(json_real_value(json_object_get(result.summary, "train_loss")) == loss);
    tri__run_result_fini(&result);
    assert_true(distance(here, "raw", "one") > 1e-3);
}

static void a_resumed_run_of_replicas_equals_an_uninterrupted_one(void **state)
{
    const fixture *here = *state;
    const char *options = "epochs=9 eval-every=3 clip=1 strategy=mirrored workers=2";
    listener quiet = {0}, stopper = {.stop_at = "step 15"};
    tri__run_result result;
    assert_ok(run(here, options, "straight", NULL, &quiet, &result));
    tri__run_result_fini(&result);
    assert_ok(run(here, options, "broken", NULL, &stopper, &result));
    assert_string_equal(text_of(&result, "stopped_by"), "signal");
    tri__run_result_fini(&result);
    assert_ok(run(here, "", NULL, "broken", &quiet, &result));
    tri__run_result_fini(&result);
    assert_same_tensors(here, "straight", "broken", 3);
}

/* A position is in examples: other numbers of workers, and other strategies, go on with the next one. */
static void a_run_can_be_resumed_with_another_number_of_replicas(void **state)
{
    const fixture *here = *state;
    listener quiet = {0};
    tri__run_result result;
    assert_ok(run(here, "steps=2 batch=10 strategy=mirrored workers=2", "a", NULL, &quiet, &result));
    tri__run_result_fini(&result);
    assert_ok(run(here, "steps=3 workers=3", NULL, "a", &quiet, &result));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(json_integer_value(json_object_get(json_array_get(json_object_get(result.summary, "worker_stats"), i), "steps")),
                         1);
    tri__run_result_fini(&result);
    assert_ok(run(here, "steps=5 strategy=local", NULL, "a", &quiet, &result));
    assert_int_equal(integer_of(&result, "examples"), 2 * 20 + 30 + 2 * 10);
    tri__run_result_fini(&result);
    tri__checkpoint *last = newest(here, "a");
    assert_int_equal(last->state.position, 90);
    tri__checkpoint_close(last);
}

static void replicas_that_diverge_end_the_run(void **state)
{
    const fixture *here = *state;
    listener quiet = {0};
    tri__run_result result;
    assert_fails(run(here, "steps=500 rule=sgd rate=1e30 strategy=mirrored workers=2", "a", NULL, &quiet, &result), TRI_DIVERGED,
                 "try a smaller --rate");
    assert_string_equal(text_of(&result, "stopped_by"), "diverged");
    tri__run_result_fini(&result);
}

static void a_resumed_run_refuses_another_model_data_or_batch(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "steps=5", "a", NULL, &log, &result));
    tri__run_result_fini(&result);
    assert_fails(run(here, "", NULL, "a", &log, &result), TRI_BAD_CALL, "has made its 5 steps");
    assert_fails(run(here, "batch=8", NULL, "a", &log, &result), TRI_BAD_CALL, "a resumed run keeps it");
    assert_fails(run(here, "data=digits", NULL, "a", &log, &result), TRI_BAD_CALL, "fake:4x4x1:3:100");
    assert_ok(run(here, "steps=9 rate=0.5", NULL, "a", &log, &result));
    assert_int_equal(integer_of(&result, "steps"), 9);
    tri__run_result_fini(&result);
    assert_fails(run(here, "", NULL, "nowhere", &log, &result), TRI_NOT_FOUND, "nowhere");
}

static void a_target_ends_a_run(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "until=loss<=100 eval-every=2", "a", NULL, &log, &result));
    assert_string_equal(text_of(&result, "stopped_by"), "until");
    assert_int_equal(integer_of(&result, "until_step"), 2);
    tri__run_result_fini(&result);
    assert_ok(run(here, "until=accuracy>=1 eval-every=2 max-steps=5", "b", NULL, &log, &result));
    assert_string_equal(text_of(&result, "stopped_by"), "max_steps");
    assert_true(json_is_null(json_object_get(result.summary, "until_step")));
    assert_int_equal(integer_of(&result, "steps"), 5);
    tri__run_result_fini(&result);
}

static void patience_ends_a_run_and_keep_best_saves_the_best(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "rate=1e-30 epochs=9 patience=2 keep-best=on", "a", NULL, &log, &result)); /* no rate, no gain */
    assert_string_equal(text_of(&result, "stopped_by"), "patience");
    assert_int_equal(integer_of(&result, "steps"), 3 * 7);
    tri__run_result_fini(&result);
    tri__checkpoint *best = newest(here, "a/checkpoint/best.safetensors");
    assert_int_equal(best->state.step, 7);
    tri__checkpoint_close(best);
}

static void a_loss_that_is_not_a_number_ends_a_run(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_fails(run(here, "rule=sgd rate=1e30 steps=50 checkpoint-every=1steps", "a", NULL, &log, &result), TRI_DIVERGED,
                 "smaller --rate");
    assert_string_equal(text_of(&result, "stopped_by"), "diverged");
    tri__run_result_fini(&result);
    char *checkpoints = test_path(here->folder, "a/checkpoint");
    tri__checkpoint *good;
    tri_status status = tri__checkpoint_open(checkpoints, NULL, &good);
    if (!status) /* the last one, if any, has numbers only */
        for (size_t i = 0; i < tri__safetensors_count(good->file); i++)
            assert_true(isfinite(*(const float *)tri__safetensors_at(good->file, i)->tensor.data));
    tri_status_free(status);
    tri__checkpoint_close(good);
    free(checkpoints);
}

static void a_resumed_run_that_diverges_names_the_checkpoint_it_began_from(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "rule=sgd steps=5", "a", NULL, &log, &result));
    tri__run_result_fini(&result);
    assert_fails(run(here, "steps=50 rate=1e30 checkpoint-every=end", NULL, "a", &log, &result), TRI_DIVERGED, "step-00000005.safetensors");
    tri__run_result_fini(&result);
}

static void only_the_last_checkpoints_are_kept(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "steps=10 checkpoint-every=2steps keep=2", "a", NULL, &log, &result));
    tri__run_result_fini(&result);
    char *folder = test_path(here->folder, "a/checkpoint"), **names;
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "step-00000008.safetensors");
    assert_string_equal(names[1], "step-00000010.safetensors");
    tri__folder_free(names, count);
    free(folder);
}

static double share_of(const tri__run_result *result, const char *phase)
{
    return json_number_value(json_object_get(json_object_get(result->summary, "phases"), phase));
}

/* A checkpoint is an fsync, an input a copy in memory: hundreds of times apart, whatever the machine is doing. */
static void time_for_checkpoints_does_not_count_as_input(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "steps=50 eval-every=end checkpoint-every=1steps", "a", NULL, &log, &result));
    assert_true(share_of(&result, "other") > share_of(&result, "input"));
    tri__run_result_fini(&result);
}

static void a_run_can_start_from_the_parameters_of_another(void **state)
{
    const fixture *here = *state;
    listener log = {0};
    tri__run_result result;
    assert_ok(run(here, "steps=5", "a", NULL, &log, &result));
    tri__run_result_fini(&result);
    char options[512];
    snprintf(options, sizeof options, "steps=1 rate=1e-30 init=%s/a", here->folder);
    assert_ok(run(here, options, "b", NULL, &log, &result));
    tri__run_result_fini(&result);
    tri__checkpoint *from = newest(here, "a"), *to = newest(here, "b");
    const tri__named_tensor *x = tri__safetensors_at(from->file, 0), *y = tri__safetensors_at(to->file, 0);
    assert_memory_equal(x->tensor.data, y->tensor.data, (size_t)tri_shape_count(x->tensor.shape) * sizeof(float));
    tri__checkpoint_close(from);
    tri__checkpoint_close(to);
    snprintf(options, sizeof options, "steps=1 init=%s", here->model);
    assert_fails(run(here, options, "c", NULL, &log, &result), TRI_BAD_DATA, "--init");
    assert_fails(run(here, "steps=1 data=fake:9x9x1:3:50 init=/nowhere", "c", NULL, &log, &result), TRI_NOT_FOUND, "--init");
}

#define RUN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(a_run_that_still_runs_is_not_resumed_and_nothing_of_it_is_read),
        RUN_TEST(a_run_leaves_summary_checkpoint_log_and_command_in_its_folder),
        RUN_TEST(a_resumed_run_equals_an_uninterrupted_one_bit_for_bit),
        RUN_TEST(a_resumed_run_with_averages_equals_an_uninterrupted_one),
        RUN_TEST(the_averages_of_a_run_follow_from_its_weights),
        RUN_TEST(replicas_keep_the_averages_of_one_worker),
        RUN_TEST(replicas_equal_one_worker_with_a_larger_batch),
        RUN_TEST(a_resumed_run_of_replicas_equals_an_uninterrupted_one),
        RUN_TEST(a_run_can_be_resumed_with_another_number_of_replicas),
        RUN_TEST(replicas_that_diverge_end_the_run),
        RUN_TEST(a_resumed_run_refuses_another_model_data_or_batch),
        RUN_TEST(a_target_ends_a_run),
        RUN_TEST(patience_ends_a_run_and_keep_best_saves_the_best),
        RUN_TEST(a_loss_that_is_not_a_number_ends_a_run),
        RUN_TEST(a_resumed_run_that_diverges_names_the_checkpoint_it_began_from),
        RUN_TEST(only_the_last_checkpoints_are_kept),
        RUN_TEST(time_for_checkpoints_does_not_count_as_input),
        RUN_TEST(a_run_can_start_from_the_parameters_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
