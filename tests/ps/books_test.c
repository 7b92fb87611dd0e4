/* books_test.c: whatever is killed, the figures of the summary add up: what is in the model, who brought it, and how long it took. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

/* 10 batches are an epoch: with 2 workers every step, sync or not, has all its examples. */
#define TRAIN "train softmax --data digits:4000 --batch 400 --strategy ps --json --eval-every 100 --checkpoint-every 50steps " ENDLESS
enum { BATCH = 400, EXAMPLES = 4000 };

static json_t *finish(process *job)
{
    kill(job->pid, SIGINT);
    return process_end(job, 130);
}

static void await_more_steps(const process *job)
{
    process_await_step(job, process_step(job) + 200);
}

static void kill_task(const process *job, const char *task)
{
    pid_t before = process_task(job, task, 0);
    kill(before, SIGKILL);
    await_death(before);
}

/* Kill a server twice, with steps in between, while all workers live: every update has all its examples. */
static void kill_server(const char *folder, const char *server, const char *mode, int workers)
{
    process job = process_start(folder, "job", TRAIN "--out run --workers 2 --servers 2 %s", mode);
    process_await_step(&job, STRIKE);
    for (int i = 0; i < 2; i++) {
        kill_task(&job, server);
        process_task(&job, server, 0);
        await_more_steps(&job);
    }
    json_t *summary = finish(&job);
    expect_books(summary, NULL);
    assert_int_equal(integer_of(summary, "examples"), integer_of(summary, "steps") * workers * BATCH);
    assert_true(number_of(summary, "epochs") * EXAMPLES == (double)integer_of(summary, "examples"));
    json_decref(summary);
}

static void examples_are_counted_once_after_ps_0_is_killed_in_sync(void **state)
{
    kill_server(*state, "ps:0", "--sync", 2);
}

static void examples_are_counted_once_after_ps_0_is_killed_in_async(void **state)
{
    kill_server(*state, "ps:0", "--async", 1);
}

static void examples_are_counted_once_after_ps_1_is_killed_in_sync(void **state)
{
    kill_server(*state, "ps:1", "--sync", 2);
}

static void examples_are_counted_once_after_ps_1_is_killed_in_async(void **state)
{
    kill_server(*state, "ps:1", "--async", 1);
}

/* What a dead worker brought is in the model, and in its row, even if ps:0 is killed after it. */
static void kill_worker(const char *folder, const char *mode)
{
    process job = process_start(folder, "job", TRAIN "--out run --workers 3 --servers 2 %s", mode);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:1");
    await_more_steps(&job);
    kill_task(&job, "worker:1");
    process_await(&job, "worker:1 is gone");
    await_more_steps(&job);
    kill_task(&job, "ps:0");
    process_task(&job, "ps:0", 0);
    await_more_steps(&job);
    json_t *summary = finish(&job);
    expect_books(summary, NULL);
    assert_int_equal(json_array_size(json_object_get(summary, "worker_stats")), 3);
    json_decref(summary);
}

static void a_dead_worker_keeps_its_row_in_sync(void **state)
{
    kill_worker(*state, "--sync");
}

static void a_dead_worker_keeps_its_row_in_async(void **state)
{
    kill_worker(*state, "--async");
}

static void a_dead_worker_keeps_its_row_with_bounded_staleness(void **state)
{
    kill_worker(*state, "--staleness 2");
}

/* The last of three workers dies when no checkpoint is due for long. One is written for its sake, so what it brought is not forgotten with
 * ps:0. */
static void kill_worker_before_the_first_checkpoint(const char *folder, const char *mode)
{
    process job = process_start(folder, "job",
                                "train softmax --data digits:4000 --batch 400 --strategy ps --json --eval-every 100 "
                                "--checkpoint-every 1000000steps " ENDLESS "--out run --workers 3 --servers 1 %s",
                                mode);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:2");
    await_more_steps(&job);
    kill_task(&job, "worker:2");
    await_checkpoint(folder, 0);
    kill_task(&job, "ps:0");
    process_task(&job, "ps:0", 0);
    await_more_steps(&job);
    json_t *summary = finish(&job);
    expect_books(summary, NULL);
    const json_t *workers = json_object_get(summary, "worker_stats");
    assert_int_equal(json_array_size(workers), 3);
    assert_true(integer_of(json_array_get(workers, 2), "steps") > 0);
    json_decref(summary);
}

static void a_worker_that_died_before_the_first_checkpoint_keeps_its_row_in_sync(void **state)
{
    kill_worker_before_the_first_checkpoint(*state, "--sync");
}

static void a_worker_that_died_before_the_first_checkpoint_keeps_its_row_in_async(void **state)
{
    kill_worker_before_the_first_checkpoint(*state, "--async");
}

/* Without checkpoints nothing is left of what a worker brought, and it still has its row. */
static void a_dead_worker_keeps_its_row_without_checkpoints(void **state)
{
    process job = process_start(*state, "job",
                                "train softmax --data digits:4000 --batch 400 --strategy ps --json --eval-every 100 "
                                "--checkpoint-every end " ENDLESS "--out run --workers 3 --servers 1 --async");
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:2");
    kill_task(&job, "worker:2");
    process_await(&job, "worker:2 is gone");
    kill_task(&job, "ps:0");
    process_task(&job, "ps:0", 0);
    await_times(job.log, "step 100 ", 2); /* all begins anew */
    json_t *summary = finish(&job);
    expect_books(summary, NULL);
    assert_int_equal(json_array_size(json_object_get(summary, "worker_stats")), 3);
    json_decref(summary);
}

/* Rows are of the job, the other figures of the run. */
static void a_resumed_run_goes_on_counting(void **state)
{
    process job = process_start(*state, "job", TRAIN "--out run --workers 2 --servers 1 --async");
    process_await_step(&job, STRIKE);
    json_t *first = finish(&job);
    process again = process_start(*state, "again", "train --resume run --json");
    process_await_step(&again, integer_of(first, "steps") + STRIKE);
    kill_task(&again, "ps:0");
    process_task(&again, "ps:0", 0);
    await_more_steps(&again);
    json_t *second = finish(&again);
    expect_books(first, NULL);
    expect_books(second, first);
    assert_true(number_of(second, "seconds") >= number_of(first, "seconds"));
    json_decref(first);
    json_decref(second);
}

/* The new ps:0 finds only the checkpoint of the earlier job. */
static void kill_ps_0_before_its_first_checkpoint(const char *folder, const char *mode)
{
    process job = process_start(folder, "job", TRAIN "--out run --workers 2 --servers 1 %s", mode);
    process_await_step(&job, STRIKE);
    json_t *first = finish(&job);
    process again = process_start(folder, "again", "train --resume run --json --checkpoint-every end");
    process_await_step(&again, integer_of(first, "steps") + STRIKE);
    kill_task(&again, "ps:0");
    process_task(&again, "ps:0", 0);
    await_more_steps(&again);
    json_t *second = finish(&again);
    expect_books(second, first);
    json_decref(first);
    json_decref(second);
}

static void a_resumed_sync_run_counts_its_own_steps_after_an_early_death_of_ps_0(void **state)
{
    kill_ps_0_before_its_first_checkpoint(*state, "--sync");
}

static void a_resumed_async_run_counts_its_own_steps_after_an_early_death_of_ps_0(void **state)
{
    kill_ps_0_before_its_first_checkpoint(*state, "--async");
}

static void a_run_that_has_done_more_says_so(void **state)
{
    process job = process_start(*state, "job", TRAIN "--out run --workers 2 --servers 1 --async");
    process_await_step(&job, STRIKE);
    json_decref(finish(&job));
    process again = process_start(*state, "again", "train --resume run --epochs 1");
    process_await(&again, "epochs already, more than --epochs 1; give a larger one to go on");
    json_decref(process_end(&again, 2));
}

/* However short the epochs, the loss that is shown goes on: workers report before an evaluation, if not always all of them in time. */
static void the_training_loss_shown_at_epochs_goes_on(void **state)
{
    process job =
        process_start(*state, "job",
                      "train softmax --data digits:4000 --batch 100 --strategy ps --workers 2 --sync --epochs 5 --eval-every epoch "
                      "--json --out run");
    char *log = strdup(job.log);
    json_decref(process_end(&job, 0));
    char *text = test_read(log, NULL), *at = text;
    double loss[5];
    for (int epoch = 1; epoch <= 5; epoch++) {
        at = strstr(at, "epoch ");
        assert_non_null(at);
        assert_int_equal(strtol(at + strlen("epoch "), &at, 10), epoch);
        at = strstr(at, "loss ");
        assert_non_null(at);
        loss[epoch - 1] = strtod(at + strlen("loss "), &at);
    }
    assert_true(loss[4] < loss[0]);
    free(text);
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(examples_are_counted_once_after_ps_0_is_killed_in_sync),
        PROCESS_TEST(examples_are_counted_once_after_ps_0_is_killed_in_async),
        PROCESS_TEST(examples_are_counted_once_after_ps_1_is_killed_in_sync),
        PROCESS_TEST(examples_are_counted_once_after_ps_1_is_killed_in_async),
        PROCESS_TEST(a_dead_worker_keeps_its_row_in_sync),
        PROCESS_TEST(a_dead_worker_keeps_its_row_in_async),
        PROCESS_TEST(a_dead_worker_keeps_its_row_with_bounded_staleness),
        PROCESS_TEST(a_worker_that_died_before_the_first_checkpoint_keeps_its_row_in_sync),
        PROCESS_TEST(a_worker_that_died_before_the_first_checkpoint_keeps_its_row_in_async),
        PROCESS_TEST(a_dead_worker_keeps_its_row_without_checkpoints),
        PROCESS_TEST(a_resumed_run_goes_on_counting),
        PROCESS_TEST(a_resumed_sync_run_counts_its_own_steps_after_an_early_death_of_ps_0),
        PROCESS_TEST(a_resumed_async_run_counts_its_own_steps_after_an_early_death_of_ps_0),
        PROCESS_TEST(a_run_that_has_done_more_says_so),
        PROCESS_TEST(the_training_loss_shown_at_epochs_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
