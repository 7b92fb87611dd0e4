/* modes_test.c: what each mode promises about the result: sync equals one worker with the larger batch, and itself to the bit; all modes
 * end with the number of steps or of examples that was asked for. */
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/process.h"

#define DATA "digits:1000"

/* A ReLU whose input is 0 but for rounding goes either way, and at a high rate that is soon more than rounding. */
#define GENTLE "--rule sgd --rate 0.01"

/* Train in folder/name to the end; its summary. */
static json_t *train(const char *folder, const char *name, const char *words)
{
    process run = process_start(folder, name, "train %s --out %s --json --quiet --eval-every end --no-events", words, name);
    return process_end(&run, 0);
}

/* LOCAL is a local run with the batch of all workers together, JOB the job's. */
static void expect_equal(const char *folder, const char *local, const char *job)
{
    json_t *alone = train(folder, "alone", local), *together = train(folder, "together", job);
    double difference = model_difference(folder, alone, together);
    if (difference > 1e-5)
        fail_msg("%s: differs by %g", job, difference);
    assert_int_equal(integer_of(together, "steps"), integer_of(alone, "steps"));
    assert_int_equal(integer_of(together, "examples"), integer_of(alone, "examples"));
    json_decref(alone);
    json_decref(together);
}

/* Three workers of 16 on two servers, with this rule. */
static void expect_equal_with(const char *folder, const char *rule)
{
    char local[256], job[256];
    snprintf(local, sizeof local, "lenet --data " DATA " %s --steps 50 --threads 1 --batch 48", rule);
    snprintf(job, sizeof job, "lenet --data " DATA " %s --steps 50 --batch 16 --strategy ps --workers 3 --servers 2 --sync", rule);
    expect_equal(folder, local, job);
}

static void sync_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, GENTLE);
}

static void sync_with_momentum_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "--rule momentum --rate 0.002");
}

static void sync_with_adam_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, "--rule adam --rate 0.0001");
}

static void sync_with_clipping_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal_with(*state, GENTLE " --clip 0.5");
}

static void sync_with_one_worker_equals_a_local_run(void **state)
{
    expect_equal(*state, "lenet --data " DATA " " GENTLE " --steps 50 --threads 1 --batch 48",
                 "lenet --data " DATA " " GENTLE " --steps 50 --batch 48 --strategy ps --workers 1 --sync");
}

/* 1000 = 7 · 140 + 20: the last step of an epoch is short, and one worker has less than the other. */
static void sync_with_a_short_last_step_equals_one_worker_with_the_larger_batch(void **state)
{
    expect_equal(*state, "softmax --data " DATA " " GENTLE " --threads 1 --batch 140 --epochs 3",
                 "softmax --data " DATA " " GENTLE " --batch 70 --epochs 3 --strategy ps --workers 2 --sync");
}

/* A model of 4.7 MB: a thread of the store's carries it, and steps begin before their tokens have come. */
static void write_wide_model(const char *folder)
{
    char *path = test_path(folder, "wide.model");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("input(scale=1/255)\ndense(1500)\nrelu()\ndense(classes, init=xavier)\nsoftmax_loss()\n", file);
    assert_false(fclose(file));
    free(path);
}

static void sync_with_a_large_model_equals_one_worker_with_the_larger_batch(void **state)
{
    write_wide_model(*state);
    expect_equal(*state, "wide.model --data " DATA " " GENTLE " --steps 50 --threads 1 --batch 96",
                 "wide.model --data " DATA " " GENTLE " --steps 50 --batch 32 --strategy ps --workers 3 --servers 2 --sync");
}

/* The workers have begun the next step when they hear of the end. */
static void a_large_model_ends_at_the_step_that_reached_its_target(void **state)
{
    write_wide_model(*state);
    process run = process_start(*state, "run",
                                "train wide.model --data " DATA " --rule sgd --rate 0.1 --batch 32 --strategy ps --workers 3 --sync "
                                "--until accuracy>=0.5 --eval-every 5 --max-steps 300 --out run --json --quiet");
    json_t *summary = process_end(&run, 0);
    assert_true(number_of(summary, "test_accuracy") >= 0.5);
    assert_int_equal(integer_of(summary, "steps") % 5, 0);
    assert_true(integer_of(summary, "steps") < 300);
    json_decref(summary);
}

static void two_sync_jobs_give_the_same_bits(void **state)
{
    const char *job = "lenet --data " DATA " --batch 16 --steps 40 --strategy ps --workers 3 --servers 2 --sync";
    json_t *first = train(*state, "first", job), *second = train(*state, "second", job);
    assert_true(model_difference(*state, first, second) == 0);
    assert_true(number_of(first, "test_loss") == number_of(second, "test_loss"));
    assert_true(number_of(first, "test_accuracy") == number_of(second, "test_accuracy"));
    json_decref(first);
    json_decref(second);
}

static void every_mode_makes_exactly_the_requested_steps(void **state)
{
    static const char *const modes[] = {"--async", "--sync", "--sync --backup 1", "--staleness 1", "--staleness 3", "--sync --combine sum"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char words[256], name[16];
        snprintf(words, sizeof words, "softmax --data " DATA " --batch 10 --rate 0.1 --steps 123 --strategy ps --workers 3 --servers 2 %s",
                 modes[i]);
        snprintf(name, sizeof name, "run-%zu", i);
        json_t *summary = train(*state, name, words);
        assert_int_equal(integer_of(summary, "steps"), 123);
        assert_true(number_of(summary, "test_accuracy") > 0.5);
        json_decref(summary);
    }
}

static void an_async_epoch_is_one_pass_over_the_whole_set(void **state)
{
    json_t *summary = train(*state, "run", "softmax --data " DATA " --batch 30 --epochs 4 --strategy ps --workers 3 --async");
    assert_int_equal(integer_of(summary, "examples"), 4000);
    assert_int_equal(integer_of(summary, "steps"), 4 * 34);
    assert_int_equal(json_array_size(json_object_get(summary, "worker_stats")), 3);
    json_decref(summary);
}

/* A late part has a server tell its norm again, which is not that of the next step. */
static void a_late_backup_worker_does_not_disturb_clipping(void **state)
{
    process job = process_start(*state, "job",
                                "train " SOFTMAX
                                "--sync --backup 1 --clip 0.5 --workers 3 --servers 2 --steps 1000 --eval-every 1000 --json --out run");
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 1000);
    json_decref(summary);
}

/* A late worker does the newest step of ps:0, which ps:1 may not have begun. ps:1 keeps its gradient until then, and refuses nothing. */
static void a_backup_worker_may_be_ahead_of_a_server(void **state)
{
    process job = process_start(*state, "job", "train " SOFTMAX "--sync --backup 2 --workers 3 --servers 2 --steps 100 --out run");
    json_decref(process_end(&job, 0));
    char *said = test_path(*state, "job.err");
    assert_true(file_says(said, "4,000 examples of 28x28x1 in 10 classes"));
    assert_true(file_says(said, "each for 3 workers, sync, 7,856 floats on 2 servers"));
    assert_true(file_says(said, ", 100 steps, seed 1"));
    assert_false(file_says(said, "is lost"));
    free(said);
}

static int64_t steps_of_worker(const json_t *summary, size_t number)
{
    return integer_of(json_array_get(json_object_get(summary, "worker_stats"), number), "steps");
}

/* However fast each is: every third batch of 600. */
static void a_static_split_gives_every_worker_the_same_steps(void **state)
{
    static const char *const modes[] = {"--async", "--staleness 4"};
    for (int i = 0; i < 2; i++) {
        process job =
            process_start(*state, "job",
                          "train softmax --data digits:500 --batch 10 --strategy ps --workers 3 --servers 2 %s --split static --steps 600 "
                          "--eval-every never --json",
                          modes[i]);
        json_t *summary = process_end(&job, 0);
        for (size_t worker = 0; worker < 3; worker++)
            assert_int_equal(steps_of_worker(summary, worker), 200);
        assert_true(json_is_null(json_object_get(summary, "test_accuracy"))); /* and nothing was evaluated */
        expect_books(summary, NULL);
        json_decref(summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_momentum_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_adam_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_clipping_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_one_worker_equals_a_local_run),
        PROCESS_TEST(sync_with_a_short_last_step_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(sync_with_a_large_model_equals_one_worker_with_the_larger_batch),
        PROCESS_TEST(a_large_model_ends_at_the_step_that_reached_its_target),
        PROCESS_TEST(two_sync_jobs_give_the_same_bits),
        PROCESS_TEST(every_mode_makes_exactly_the_requested_steps),
        PROCESS_TEST(a_backup_worker_may_be_ahead_of_a_server),
        PROCESS_TEST(a_late_backup_worker_does_not_disturb_clipping),
        PROCESS_TEST(an_async_epoch_is_one_pass_over_the_whole_set),
        PROCESS_TEST(a_static_split_gives_every_worker_the_same_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
