/* worker_death_test.c: workers are killed while a job runs. The other workers continue, and repeat what the dead one had begun. */
#include <signal.h>
#include <stdlib.h>

#include "ps/process.h"

#define TRAIN "train " SOFTMAX "--json --out run --eval-every 100 "

static double undisturbed(const char *folder, const char *mode, int steps)
{
    process job = process_start(folder, "calm", "train " SOFTMAX "--json --out calm --eval-every 100000 --steps %d %s", steps, mode);
    json_t *summary = process_end(&job, 0);
    double accuracy = number_of(summary, "test_accuracy");
    json_decref(summary);
    return accuracy;
}

/* One of three workers dies in the middle. */
static void kill_one(const char *folder, const char *mode, int steps, bool leased)
{
    process job = process_start(folder, "job", TRAIN "--steps %d %s", steps, mode);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:1");
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "worker:1 is gone");
    assert_true(file_says(job.err, "worker:1 was killed by signal 9"));
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    char *marks = test_path(folder, "run/marks.csv");
    assert_true(file_says(marks, ",death,worker:1,"));
    free(marks);
    assert_true(!leased || integer_of(summary, "re_leased") >= 1);
    double accuracy = number_of(summary, "test_accuracy"), wanted = undisturbed(folder, mode, steps);
    if (accuracy < wanted - 0.005 || accuracy > wanted + 0.005)
        fail_msg("accuracy %g, undisturbed %g", accuracy, wanted);
    json_decref(summary);
}

static void sync_job_continues_without_a_killed_worker(void **state)
{
    kill_one(*state, "--sync --workers 3 --servers 2", SYNC_STEPS, false);
}

static void async_job_continues_without_a_killed_worker(void **state)
{
    kill_one(*state, "--async --workers 3 --servers 2", ASYNC_STEPS, true);
}

static void staleness_job_continues_without_a_killed_worker(void **state)
{
    kill_one(*state, "--staleness 2 --workers 3 --servers 1", ASYNC_STEPS, true);
}

static void sync_job_with_a_backup_continues_with_fewer_workers_than_its_quorum(void **state)
{
    process job = process_start(*state, "job", TRAIN "--steps %d --sync --backup 1 --workers 4 --servers 2", SYNC_STEPS);
    process_await_step(&job, STRIKE);
    for (int i = 1; i < 4; i++) {
        char task[] = {'w', 'o', 'r', 'k', 'e', 'r', ':', (char)('0' + i), 0};
        kill(process_task(&job, task, 0), SIGKILL);
    }
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), SYNC_STEPS);
    json_decref(summary);
}

/* Those that have done their own part do that of the one who is lost. */
static void a_static_split_is_completed_without_a_lost_worker(void **state)
{
    process job = process_start(*state, "job", TRAIN "--workers 3 --async --split static --steps 6000");
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:2");
    kill(process_task(&job, "worker:2", 0), SIGKILL);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 6000);
    expect_books(summary, NULL);
    json_decref(summary);
}

static void a_job_that_has_lost_all_workers_ends_with_a_reason(void **state)
{
    process job = process_start(*state, "job", TRAIN "--steps 1000000 --sync --workers 2 --timeout 2s --heartbeat 500ms");
    process_await_step(&job, STRIKE);
    kill(process_task(&job, "worker:0", 0), SIGKILL);
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "no worker is left");
    json_decref(process_end(&job, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_job_continues_without_a_killed_worker),
        PROCESS_TEST(async_job_continues_without_a_killed_worker),
        PROCESS_TEST(staleness_job_continues_without_a_killed_worker),
        PROCESS_TEST(sync_job_with_a_backup_continues_with_fewer_workers_than_its_quorum),
        PROCESS_TEST(a_static_split_is_completed_without_a_lost_worker),
        PROCESS_TEST(a_job_that_has_lost_all_workers_ends_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
