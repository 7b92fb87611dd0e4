/* tables_growing_test.c: tables that grow on parameter servers. The server that has a key counts its sightings and gives it a row: the rows
 * are those of one worker with the joint batch, whatever the number of servers, and after a failure what was left out still adds up. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/process.h"

#define GROWING "fm --rule momentum --rate 0.05 --data clicks:5000:500 --threads 1 --eval-every end --no-events "

static json_t *train(const char *folder, const char *name, const char *words)
{
    process run = process_start(folder, name, "train " GROWING "%s --out %s --json --quiet", words, name);
    return process_end(&run, 0);
}

static json_t *resume(const char *folder, const char *run, const char *words)
{
    process job = process_start(folder, "resumed", "train --resume %s --json --quiet %s", run, words);
    return process_end(&job, 0);
}

static void expect_same_rows(const char *folder, const json_t *one, const json_t *two, double most)
{
    static const char *const figures[] = {"steps", "examples", "table_rows", "left_out_rare", "left_out_full"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_int_equal(integer_of(one, figures[i]), integer_of(two, figures[i]));
    assert_true(fabs(number_of(one, "test_loss") - number_of(two, "test_loss")) <= 1e-5);
    const double difference = model_difference_by_key(folder, one, two);
    if (!(difference <= most))
        fail_msg("models differ by %g", difference);
}

/* 500 examples in steps of 96: the last step of an epoch has 20, so workers' parts are uneven, and one is empty. */
static void sync_gives_the_rows_of_one_worker_with_the_joint_batch(void **state)
{
    const char *folder = *state;
    static const char *const cases[] = {"--table-memory 50 --clip 0.1", "--min-count 3 --table-memory 1", "--min-count 2"};
    for (int i = 0; i < 3; i++) {
        char alone[24], job[24], words[256];
        snprintf(alone, sizeof alone, "alone%d", i);
        snprintf(job, sizeof job, "job%d", i);
        snprintf(words, sizeof words, "--epochs 2 --batch 96 --deterministic %s", cases[i]);
        json_t *one = train(folder, alone, words);
        snprintf(words, sizeof words, "--epochs 2 --batch 32 --strategy ps --sync --workers 3 --servers %d --checkpoint-every 5steps %s",
                 i + 1, cases[i]);
        json_t *all = train(folder, job, words);
        assert_true((integer_of(one, "left_out_rare") > 0) == (i > 0));
        expect_same_rows(folder, one, all, 1e-5);
        json_decref(one);
        json_decref(all);
    }
}

/* Rows begin with what their keys say, and every push is an update by itself. */
static void one_async_worker_gives_the_rows_of_a_local_run(void **state)
{
    const char *folder = *state;
    json_t *one = train(folder, "alone", "--epochs 2 --batch 50 --deterministic --min-count 2");
    json_t *job = train(folder, "job", "--epochs 2 --batch 50 --min-count 2 --strategy ps --async --workers 1 --servers 2");
    expect_same_rows(folder, one, job, 1e-5);
    json_decref(one);
    json_decref(job);
}

static void other_modes_count_every_sighting_once(void **state)
{
    const char *folder = *state;
    static const char *const modes[] = {"--async", "--staleness 2", "--sync --row-values fp16", "--sync --backup 1"};
    int64_t rows = 0;
    for (int i = 0; i < 4; i++) {
        char words[256], name[24];
        snprintf(name, sizeof name, "mode%d", i);
        snprintf(words, sizeof words, "--epochs 2 --batch 25 --min-count 1 --strategy ps --workers 2 --servers 2 %s", modes[i]);
        json_t *job = train(folder, name, words);
        assert_int_equal(integer_of(job, "left_out_rare"), 0);
        assert_int_equal(integer_of(job, "left_out_full"), 0);
        assert_true(number_of(job, "test_loss") < 0.7);
        rows = i == 0 ? integer_of(job, "table_rows") : rows;
        if (i < 3) /* else some batches are dropped */
            assert_int_equal(integer_of(job, "table_rows"), rows);
        json_decref(job);
    }
}

/* Each server has its share of the memory; what finds none is counted. */
static void memory_is_bounded_over_all_servers(void **state)
{
    process run =
        process_start(*state, "full",
                      "train fm --rule adam --data clicks:200000:4000 --table-memory 1 --epochs 1 --batch 100 --strategy ps --sync "
                      "--workers 2 --servers 2 --threads 1 --out full --json --quiet --eval-every end");
    json_t *job = process_end(&run, 0);
    assert_true(integer_of(job, "left_out_full") > 0);
    assert_int_equal(integer_of(job, "left_out_rare"), 0);
    assert_in_range(integer_of(job, "table_bytes"), 500000, 1000000);
    json_decref(job);
}

static void a_run_goes_on_with_any_number_of_servers(void **state)
{
    const char *folder = *state;
    json_t *straight = train(folder, "straight", "--min-count 3 --steps 12 --batch 96 --deterministic");
    json_decref(train(folder, "run", "--min-count 3 --steps 3 --global-batch 96 --strategy ps --sync --workers 3 --servers 2"));
    json_decref(resume(folder, "run", "--steps 6 --strategy local --workers 1"));
    json_decref(resume(folder, "run", "--steps 9 --strategy ps --sync --workers 2 --servers 3"));
    json_t *run = resume(folder, "run", "--steps 12 --strategy ps --sync --workers 3 --servers 1");
    expect_same_rows(folder, straight, run, 1e-5);
    json_decref(straight);
    json_decref(run);
}

/* ---- failures ---- */

#define JOB "--rate 0.01 --data clicks:50000:4000 --min-count 3 --batch 10 --steps 800 --strategy ps --workers 2 --servers 2 "

static json_t *strike(const char *folder, const char *task, const char *mode)
{
    process job = process_start(folder, "job", "train " GROWING JOB "--checkpoint-every 20steps --eval-every 50 %s --out run --json", mode);
    process_await_step(&job, 50);
    const pid_t before = process_task(&job, task, 0);
    kill(before, SIGKILL);
    process_task(&job, task, before);
    return process_end(&job, 0);
}

static void expect_the_rows_of_a_calm_job_without(const char *folder, const char *task)
{
    json_t *calm = train(folder, "calm", JOB "--sync"), *struck = strike(folder, task, "--sync");
    expect_same_rows(folder, calm, struck, 0);
    json_decref(calm);
    json_decref(struck);
}

static void sync_job_has_the_same_rows_after_a_server_was_lost(void **state)
{
    expect_the_rows_of_a_calm_job_without(*state, "ps:1");
}

static void sync_job_has_the_same_rows_after_ps_0_was_lost(void **state)
{
    expect_the_rows_of_a_calm_job_without(*state, "ps:0");
}

/* A key that has a row now was left out up to twice, and one that waits as often as it was seen. */
static void expect_sums(const char *folder, const json_t *job)
{
    int64_t rows, sightings;
    model_sightings(folder, job, &rows, &sightings);
    assert_int_equal(integer_of(job, "table_rows"), 2 * rows); /* of two tables */
    assert_int_equal(integer_of(job, "left_out_full"), 0);
    assert_in_range(integer_of(job, "left_out_rare"), sightings, sightings + 2 * rows);
    assert_true(integer_of(job, "left_out_rare") > sightings);
}

static void async_job_adds_up_after_a_server_was_lost(void **state)
{
    json_t *job = strike(*state, "ps:1", "--async");
    assert_int_equal(integer_of(job, "steps"), 800);
    expect_sums(*state, job);
    json_decref(job);
}

static void async_job_adds_up_after_ps_0_was_lost(void **state)
{
    json_t *job = strike(*state, "ps:0", "--async");
    assert_int_equal(integer_of(job, "steps"), 800);
    expect_sums(*state, job);
    json_decref(job);
}

#define TWICE "--rate 0.01 --data clicks:50000:4000 --min-count 3 --batch 10 --strategy ps --workers 2 --servers 2 "

/* Every range lives on two servers when the task is killed, and no checkpoint was written. The job ends when it is asked to. */
static json_t *strike_one_of_two(const char *folder, const char *task, const char *mode)
{
    process job = process_start(
        folder, "job", "train " GROWING TWICE "--replicas 2 --checkpoint-every end --eval-every 50 %s --out run --json " ENDLESS, mode);
    process_await_step(&job, 50);
    await_times(job.log, "lives on two servers", 2);
    kill(process_task(&job, task, 0), SIGKILL);
    await_text(job.log, "no update is lost");
    process_await_step(&job, process_step(&job) + 50);
    kill(job.pid, SIGINT);
    json_t *summary = process_end(&job, 130);
    assert_false(file_says(job.log, "back to"));
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    return summary;
}

static void expect_the_rows_of_a_calm_job_without_one_of_two(const char *folder, const char *task)
{
    char words[256];
    json_t *struck = strike_one_of_two(folder, task, "--sync");
    snprintf(words, sizeof words, TWICE "--sync --steps %d", (int)integer_of(struck, "steps"));
    json_t *calm = train(folder, "calm", words);
    expect_same_rows(folder, calm, struck, 0);
    json_decref(calm);
    json_decref(struck);
}

static void sync_job_has_the_same_rows_after_one_of_two_servers_was_lost(void **state)
{
    expect_the_rows_of_a_calm_job_without_one_of_two(*state, "ps:1");
}

static void sync_job_has_the_same_rows_after_ps_0_was_lost_with_a_standby(void **state)
{
    expect_the_rows_of_a_calm_job_without_one_of_two(*state, "ps:0");
}

static void async_job_loses_nothing_with_one_of_two_servers(void **state)
{
    json_t *job = strike_one_of_two(*state, "ps:1", "--async");
    expect_sums(*state, job);
    json_decref(job);
}

static void async_job_loses_nothing_with_a_ps_0_that_has_a_standby(void **state)
{
    json_t *job = strike_one_of_two(*state, "ps:0", "--async");
    expect_sums(*state, job);
    json_decref(job);
}

/* A table of all keys would take 2 GB, and a huge page for each key of the test examples nearly as much. */
static void an_evaluation_takes_little_memory_among_many_keys(void **state)
{
    process run =
        process_start(*state, "job",
                      "train sparse-lr --data clicks:500000000:600 --min-count 2 --table-memory 20 --steps 10 --batch 50 --threads 1"
                      " --strategy ps --workers 2 --servers 2 --out job --json --quiet --no-events");
    json_t *summary = process_end(&run, 0);
    assert_true(number_of(summary, "test_auc") > 0);
    assert_true(number_of(summary, "peak_rss_mb") < 500);
    json_decref(summary);
}

static void what_growing_tables_do_not_go_with_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"fm --data clicks:50:40 --table-memory 9 --gather dense", "leave out --gather dense"},
        {"softmax --data digits:100 --min-count 2", "softmax has no tables"},
    };
    for (int i = 0; i < 2; i++) {
        process run = process_start(*state, "refused", "train %s --strategy ps --workers 2 --steps 1", cases[i][0]);
        process_await(&run, cases[i][1]);
        json_decref(process_end(&run, 2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_gives_the_rows_of_one_worker_with_the_joint_batch),
        PROCESS_TEST(one_async_worker_gives_the_rows_of_a_local_run),
        PROCESS_TEST(other_modes_count_every_sighting_once),
        PROCESS_TEST(memory_is_bounded_over_all_servers),
        PROCESS_TEST(a_run_goes_on_with_any_number_of_servers),
        PROCESS_TEST(sync_job_has_the_same_rows_after_a_server_was_lost),
        PROCESS_TEST(sync_job_has_the_same_rows_after_ps_0_was_lost),
        PROCESS_TEST(async_job_adds_up_after_a_server_was_lost),
        PROCESS_TEST(async_job_adds_up_after_ps_0_was_lost),
        PROCESS_TEST(sync_job_has_the_same_rows_after_one_of_two_servers_was_lost),
        PROCESS_TEST(sync_job_has_the_same_rows_after_ps_0_was_lost_with_a_standby),
        PROCESS_TEST(async_job_loses_nothing_with_one_of_two_servers),
        PROCESS_TEST(async_job_loses_nothing_with_a_ps_0_that_has_a_standby),
        PROCESS_TEST(an_evaluation_takes_little_memory_among_many_keys),
        PROCESS_TEST(what_growing_tables_do_not_go_with_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
