/* replication_test.c: jobs whose ranges live on two servers lose one of them, and no update. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/process.h"
#include "watch/sample/peers.h"

#define WHOLE "lives on two servers"
#define REST  "--threads 1 --json --eval-every 100 --checkpoint-every 100steps --heartbeat 200ms --workers 3 --out "
#define JOB   "train " SOFTMAX REST
/* Two tables, of which fm's are large enough to be filled in several pieces. */
#define CLICKS "train fm --data clicks:100000:4000 --batch 100 --rule adagrad --rate 0.05 --strategy ps " REST

static void expect_no_loss(const process *job, const json_t *summary, int steps)
{
    assert_false(file_says(job->log, "back to step"));
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    if (number_of(summary, "test_accuracy") < ACCURATE)
        fail_msg("accuracy %g", number_of(summary, "test_accuracy"));
}

static void expect_the_calm_model(const char *folder, const json_t *summary, const char *words)
{
    process calm = process_start(folder, "calm", JOB "calm --servers 2 --steps %d %s", SYNC_STEPS, words);
    json_t *undisturbed = process_end(&calm, 0);
    assert_true(model_difference(folder, summary, undisturbed) == 0);
    json_decref(undisturbed);
}

static void expect_the_calm_clicks(const char *folder, const json_t *summary)
{
    process calm = process_start(folder, "calm", CLICKS "calm --servers 2 --steps %d --sync", SYNC_STEPS);
    json_t *undisturbed = process_end(&calm, 0);
    assert_true(model_difference(folder, summary, undisturbed) == 0);
    json_decref(undisturbed);
}

/* When all ranges live on two servers. */
static void kill_ps_1(const process *job)
{
    process_await_step(job, STRIKE);
    await_times(job->log, WHOLE, 2);
    kill(process_task(job, "ps:1", 0), SIGKILL);
    await_text(job->log, "the second server of ps:1 goes on, and no update is lost");
}

static json_t *lose_ps_1(const char *folder, const char *mode, int steps)
{
    process job = process_start(folder, "job", JOB "run --servers 2 --replicas 2 --steps %d %s", steps, mode);
    kill_ps_1(&job);
    json_t *summary = process_end(&job, 0);
    expect_no_loss(&job, summary, steps);
    return summary;
}

static void sync_job_that_loses_a_server_has_the_same_bits(void **state)
{
    json_t *summary = lose_ps_1(*state, "--sync", SYNC_STEPS);
    expect_the_calm_model(*state, summary, "--sync");
    json_decref(summary);
}

static tri__peer_sum exchanged(const char *folder, const char *file, const char *peer)
{
    tri__peer_sum *sums, found = {0};
    int count;
    char *path = test_path(folder, file);
    assert_ok(tri__peers_read(path, 0, &sums, &count));
    for (int i = 0; i < count; i++)
        if (!strcmp(sums[i].name, peer))
            found = sums[i];
    free(sums);
    free(path);
    return found;
}

/* The second server of ps:1 runs in the process of ps:0. */
static void bytes_for_a_second_server_count_for_the_process_that_runs_it(void **state)
{
    json_decref(lose_ps_1(*state, "--sync", SYNC_STEPS));
    const tri__peer_sum worker = exchanged(*state, "run/peers/worker-0.csv", "ps:0");
    const tri__peer_sum server = exchanged(*state, "run/peers/ps-0.csv", "worker:0");
    assert_true(worker.sent > 0 && worker.received > 0);
    assert_true(server.received >= 0.95 * worker.sent && worker.sent >= 0.95 * server.received);
    assert_true(worker.received >= 0.95 * server.sent && server.sent >= 0.95 * worker.received);
}

/* State of the rule is the same on both, too. */
static void sync_job_with_momentum_that_loses_a_server_has_the_same_bits(void **state)
{
    json_t *summary = lose_ps_1(*state, "--sync --rule momentum --rate 0.05", SYNC_STEPS);
    expect_the_calm_model(*state, summary, "--sync --rule momentum --rate 0.05");
    json_decref(summary);
}

/* A step is applied when ps:0 knows the norm of all ranges, and has moved on by the time that one of them is lost. */
static void sync_job_with_clipping_that_loses_a_server_has_the_same_bits(void **state)
{
    json_t *summary = lose_ps_1(*state, "--sync --rule adagrad --clip 0.1", SYNC_STEPS);
    expect_the_calm_model(*state, summary, "--sync --rule adagrad --clip 0.1");
    json_decref(summary);
}

static void async_job_that_loses_a_server_loses_no_update(void **state)
{
    json_decref(lose_ps_1(*state, "--async", ASYNC_STEPS));
}

static void staleness_job_that_loses_a_server_loses_no_update(void **state)
{
    json_decref(lose_ps_1(*state, "--staleness 2", ASYNC_STEPS));
}

static void job_with_backup_workers_that_loses_a_server_loses_no_step(void **state)
{
    json_decref(lose_ps_1(*state, "--sync --backup 1", SYNC_STEPS));
}

static void sync_job_with_tables_that_loses_a_server_has_the_same_bits(void **state)
{
    process job = process_start(*state, "job", CLICKS "run --servers 2 --replicas 2 --steps %d --sync", SYNC_STEPS);
    kill_ps_1(&job);
    json_t *summary = process_end(&job, 0);
    assert_false(file_says(job.log, "back to step"));
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_the_calm_clicks(*state, summary);
    json_decref(summary);
}

static void async_job_with_tables_that_loses_a_server_loses_no_update(void **state)
{
    process job = process_start(*state, "job", CLICKS "run --servers 2 --replicas 2 --async --steps %d", ASYNC_STEPS);
    kill_ps_1(&job);
    json_t *summary = process_end(&job, 0);
    assert_false(file_says(job.log, "back to step"));
    assert_int_equal(integer_of(summary, "steps"), ASYNC_STEPS);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    json_decref(summary);
}

/* One after the other is lost, each when the one before is back and filled. */
static void lose_in_turn(const char *folder, const char *mode, const char *const lost[], size_t losses)
{
    process job = process_start(folder, "job", JOB "run --servers 3 --replicas 2 %s " ENDLESS, mode);
    process_await_step(&job, STRIKE);
    await_times(job.log, WHOLE, 3);
    for (size_t i = 0; i < losses; i++) {
        pid_t before = process_task(&job, lost[i], 0);
        int whole = file_says_times(job.log, WHOLE);
        kill(before, SIGKILL);
        process_task(&job, lost[i], before);
        await_times(job.log, WHOLE, whole + (strcmp(lost[i], "ps:2") ? 3 : 2)); /* its own range, those whose standby it runs; ps:0: all */
    }
    json_t *summary = process_finish(&job);
    assert_false(file_says(job.log, "back to step"));
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    json_decref(summary);
}

/* Primaries and standbys, of both ranges. */
static void a_new_standby_is_filled_while_training_goes_on(void **state)
{
    static const char *const lost[] = {"ps:1", "ps:2", "ps:1", "ps:1", "ps:2"};
    lose_in_turn(*state, "--sync", lost, sizeof lost / sizeof *lost);
}

/* The new ps:0 finds a second server as the primary, and ps:1 as its standby. */
static const char *const with_ps_0[] = {"ps:1", "ps:0", "ps:2", "ps:0"};

static void sync_job_that_loses_a_server_and_then_ps_0_loses_no_update(void **state)
{
    lose_in_turn(*state, "--sync", with_ps_0, sizeof with_ps_0 / sizeof *with_ps_0);
}

static void async_job_that_loses_a_server_and_then_ps_0_loses_no_update(void **state)
{
    lose_in_turn(*state, "--async", with_ps_0, sizeof with_ps_0 / sizeof *with_ps_0);
}

/* It goes on when it does not lead any more: nobody hears it, and it is filled as a standby. */
static void a_stopped_server_that_goes_on_is_a_standby(void **state)
{
    process job = process_start(*state, "job", JOB "run --servers 2 --replicas 2 --sync --steps %d", SYNC_STEPS);
    process_await_step(&job, STRIKE);
    await_times(job.log, WHOLE, 2);
    pid_t stopped = process_task(&job, "ps:1", 0);
    kill(stopped, SIGSTOP);
    await_text(job.log, "the second server of ps:1 goes on, and no update is lost");
    kill(stopped, SIGCONT);
    json_t *summary = process_end(&job, 0);
    expect_no_loss(&job, summary, SYNC_STEPS);
    expect_the_calm_model(*state, summary, "--sync");
    json_decref(summary);
}

/* No checkpoint is near, so what it goes on from is not one. */
static json_t *lose_ps_0(const char *folder, const char *words, int steps)
{
    process job =
        process_start(folder, "job", "train %s --checkpoint-every end --out run --servers 3 --replicas 2 --steps %d", words, steps);
    process_await_step(&job, STRIKE);
    await_times(job.log, WHOLE, 3);
    kill(process_task(&job, "ps:0", 0), SIGKILL);
    await_text(job.log, "from the standby of its range, and no update is lost");
    json_t *summary = process_end(&job, 0);
    assert_false(file_says(job.log, "back to"));
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    return summary;
}

#define UNSAVED        "--threads 1 --json --eval-every 100 --heartbeat 200ms --workers 3 --strategy ps "
#define UNSAVED_DIGITS SOFTMAX UNSAVED
#define UNSAVED_CLICKS "fm --data clicks:100000:4000 --batch 100 --rule adagrad --rate 0.05 " UNSAVED

static void sync_job_that_loses_ps_0_has_the_same_bits(void **state)
{
    json_t *summary = lose_ps_0(*state, UNSAVED_DIGITS "--sync --rule momentum --rate 0.05", SYNC_STEPS);
    expect_the_calm_model(*state, summary, "--sync --rule momentum --rate 0.05");
    json_decref(summary);
}

static void sync_job_with_tables_that_loses_ps_0_has_the_same_bits(void **state)
{
    json_t *summary = lose_ps_0(*state, UNSAVED_CLICKS "--sync", SYNC_STEPS);
    expect_the_calm_clicks(*state, summary);
    json_decref(summary);
}

static void async_job_that_loses_ps_0_loses_no_update(void **state)
{
    json_decref(lose_ps_0(*state, UNSAVED_DIGITS "--async", ASYNC_STEPS));
}

static void staleness_job_with_tables_that_loses_ps_0_loses_no_update(void **state)
{
    json_decref(lose_ps_0(*state, UNSAVED_CLICKS "--staleness 2", ASYNC_STEPS));
}

/* ps:2, which also runs the second server of ps:1, is stopped when ps:0 is lost, and for as long as the new ps:0 waits for it. The old ps:0
 * is stopped first, so that it does not notice. */
static void a_new_ps_0_waits_for_a_stopped_server(void **state)
{
    process job =
        process_start(*state, "job", "train " UNSAVED_DIGITS "--checkpoint-every end --out run --servers 3 --replicas 2 --sync " ENDLESS);
    process_await_step(&job, STRIKE);
    await_times(job.log, WHOLE, 3);
    pid_t first = process_task(&job, "ps:0", 0), stopped = process_task(&job, "ps:2", 0);
    kill(first, SIGSTOP);
    kill(stopped, SIGSTOP);
    const int named = file_says_times(job.log, "waiting for");
    kill(first, SIGKILL);
    await_times(job.log, "waiting for", named + 1);
    kill(stopped, SIGCONT);
    await_text(job.log, "from the standby of its range, and no update is lost");
    json_t *summary = process_finish(&job);
    assert_false(file_says(job.log, "back to"));
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    json_decref(summary);
}

/* ps:1 runs the standby of ps:0's range: where both are lost, the last checkpoint is what is left. */
static void a_job_that_loses_both_servers_of_a_range_goes_back_to_its_checkpoint(void **state)
{
    process job = process_start(*state, "job", JOB "run --servers 3 --replicas 2 --sync --steps %d", SYNC_STEPS);
    process_await_step(&job, STRIKE);
    await_times(job.log, WHOLE, 3);
    kill(process_task(&job, "ps:1", 0), SIGKILL);
    kill(process_task(&job, "ps:0", 0), SIGKILL);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), SYNC_STEPS);
    assert_in_range(integer_of(summary, "lost_updates"), 0, 100);
    json_decref(summary);
}

static void what_replicas_cannot_do_is_refused(void **state)
{
    process one = process_start(*state, "one", "train " SOFTMAX "--servers 1 --replicas 2 --steps 10");
    process_await(&one, "--replicas 2 needs at least 2 servers");
    json_decref(process_end(&one, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_job_that_loses_a_server_has_the_same_bits),
        PROCESS_TEST(bytes_for_a_second_server_count_for_the_process_that_runs_it),
        PROCESS_TEST(sync_job_with_momentum_that_loses_a_server_has_the_same_bits),
        PROCESS_TEST(sync_job_with_clipping_that_loses_a_server_has_the_same_bits),
        PROCESS_TEST(async_job_that_loses_a_server_loses_no_update),
        PROCESS_TEST(staleness_job_that_loses_a_server_loses_no_update),
        PROCESS_TEST(job_with_backup_workers_that_loses_a_server_loses_no_step),
        PROCESS_TEST(sync_job_with_tables_that_loses_a_server_has_the_same_bits),
        PROCESS_TEST(async_job_with_tables_that_loses_a_server_loses_no_update),
        PROCESS_TEST(a_new_standby_is_filled_while_training_goes_on),
        PROCESS_TEST(sync_job_that_loses_a_server_and_then_ps_0_loses_no_update),
        PROCESS_TEST(async_job_that_loses_a_server_and_then_ps_0_loses_no_update),
        PROCESS_TEST(a_stopped_server_that_goes_on_is_a_standby),
        PROCESS_TEST(sync_job_that_loses_ps_0_has_the_same_bits),
        PROCESS_TEST(sync_job_with_tables_that_loses_ps_0_has_the_same_bits),
        PROCESS_TEST(async_job_that_loses_ps_0_loses_no_update),
        PROCESS_TEST(staleness_job_with_tables_that_loses_ps_0_loses_no_update),
        PROCESS_TEST(a_new_ps_0_waits_for_a_stopped_server),
        PROCESS_TEST(a_job_that_loses_both_servers_of_a_range_goes_back_to_its_checkpoint),
        PROCESS_TEST(what_replicas_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
