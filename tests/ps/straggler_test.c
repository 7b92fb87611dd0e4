/* straggler_test.c: a worker is stopped for a while. Async continues; sync waits, or continues without it with --backup. The log names the
 * worker that others wait for, and the late gradient of a worker that was stopped does no harm. */
#include <signal.h>
#include <unistd.h>

#include "ps/model.h"
#include "ps/process.h"

#define TRAIN "train " SOFTMAX ENDLESS "--json --out run --eval-every 100 --heartbeat 100ms --workers 3 "

static json_t *stop_for_a_while(const char *folder, const char *mode, const char *named, int64_t further)
{
    process job = process_start(folder, "job", TRAIN "%s", mode);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:1");
    pid_t pid = process_task(&job, "worker:1", 0);
    kill(pid, SIGSTOP);
    process_await(&job, named);
    process_await_step(&job, process_step(&job) + further);
    kill(pid, SIGCONT);
    return process_finish(&job);
}

static void async_job_continues_while_a_worker_is_stopped(void **state)
{
    json_decref(stop_for_a_while(*state, "--async --servers 2", "goes on without worker:1", 1000));
}

/* The stopped worker's tokens lie before the next checkpoint, and hold up neither that nor the others. */
static void checkpoints_are_written_while_a_worker_is_stopped(void **state)
{
    json_decref(stop_for_a_while(*state, "--async --checkpoint-every 100steps", "goes on without worker:1", 1000));
}

static void sync_job_waits_for_a_stopped_worker(void **state)
{
    json_decref(stop_for_a_while(*state, "--sync --servers 2", "waits for worker:1", 0));
}

/* Also if it is stopped in the middle of a push, when only one of the servers has its part. */
static void sync_job_with_a_backup_continues_while_a_worker_is_stopped(void **state)
{
    json_t *summary = stop_for_a_while(*state, "--sync --backup 1 --servers 2", "goes on without worker:1", 300);
    assert_true(integer_of(summary, "dropped_stale") > 0);
    json_decref(summary);
}

static void a_worker_that_is_stopped_for_too_long_is_given_up(void **state)
{
    process job = process_start(*state, "job", TRAIN "--sync --timeout 5s");
    process_await_step(&job, STRIKE);
    pid_t pid = process_task(&job, "worker:1", 0);
    kill(pid, SIGSTOP);
    process_await(&job, "worker:1 has been silent for 5 s (--timeout)");
    process_await_step(&job, process_step(&job) + 100);
    kill(pid, SIGCONT);
    json_decref(process_finish(&job));
}

#define FINITE "train " SOFTMAX "--json --eval-every 100 --checkpoint-every 50steps --heartbeat 100ms --workers 2 --steps 300 --sync "

/* worker:1 is stopped, and ps:0 is killed. */
static process lose_ps_0_without_worker_1(const char *folder, const char *words, pid_t *stopped)
{
    process job = process_start(folder, "job", FINITE "--out run %s", words);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:1");
    *stopped = process_task(&job, "worker:1", 0);
    pid_t first = process_task(&job, "ps:0", 0);
    kill(*stopped, SIGSTOP);
    kill(first, SIGKILL);
    process_task(&job, "ps:0", first);
    return job;
}

static void a_restarted_ps_0_waits_for_a_stopped_worker_and_the_model_is_the_same(void **state)
{
    pid_t stopped;
    process job = lose_ps_0_without_worker_1(*state, "--servers 2", &stopped);
    process_await(&job, "waiting for worker:1");
    kill(stopped, SIGCONT);
    json_t *disturbed = process_end(&job, 0);
    assert_false(file_says(job.err, "beginning with these"));
    process calm = process_start(*state, "calm", FINITE "--out calm --servers 2");
    json_t *undisturbed = process_end(&calm, 0);
    assert_true(model_difference(*state, disturbed, undisturbed) == 0);
    json_decref(disturbed);
    json_decref(undisturbed);
}

static void a_restarted_ps_0_goes_on_without_a_worker_that_is_stopped_for_too_long_and_says_so(void **state)
{
    pid_t stopped;
    process job = lose_ps_0_without_worker_1(*state, "--timeout 3s", &stopped);
    process_await(&job, "1 of 2 workers have come within 3 s: beginning with these, without worker:1");
    kill(stopped, SIGCONT);
    json_decref(process_end(&job, 0));
}

/* Nobody waits for one that the supervisor has seen die. */
static void a_restarted_ps_0_does_not_wait_for_a_dead_worker(void **state)
{
    process job = process_start(*state, "job", TRAIN "--sync --timeout 600s");
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:1");
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "worker:1 was killed by signal 9");
    pid_t first = process_task(&job, "ps:0", 0);
    int64_t step = process_step(&job);
    kill(first, SIGKILL);
    process_task(&job, "ps:0", first);
    process_await_step(&job, step + 100);
    assert_false(file_says(job.err, "beginning with these"));
    json_decref(process_finish(&job));
}

/* All tasks are stopped for longer than anybody may be silent, as by a laptop that is closed. Nobody is to blame. */
static void a_job_whose_tasks_were_all_stopped_continues(void **state)
{
    process job = process_start(*state, "job", TRAIN "--sync --servers 2 --timeout 2s");
    process_await_step(&job, STRIKE);
    pid_t tasks[16];
    int count = process_tasks(&job, tasks, 16);
    for (int i = 0; i < count; i++)
        kill(tasks[i], SIGSTOP);
    sleep(3);
    for (int i = 0; i < count; i++)
        kill(tasks[i], SIGCONT);
    process_await_step(&job, process_step(&job) + 100);
    assert_false(file_says(job.err, "(--timeout)"));
    json_decref(process_finish(&job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(async_job_continues_while_a_worker_is_stopped),
        PROCESS_TEST(checkpoints_are_written_while_a_worker_is_stopped),
        PROCESS_TEST(sync_job_waits_for_a_stopped_worker),
        PROCESS_TEST(sync_job_with_a_backup_continues_while_a_worker_is_stopped),
        PROCESS_TEST(a_worker_that_is_stopped_for_too_long_is_given_up),
        PROCESS_TEST(a_restarted_ps_0_waits_for_a_stopped_worker_and_the_model_is_the_same),
        PROCESS_TEST(a_restarted_ps_0_goes_on_without_a_worker_that_is_stopped_for_too_long_and_says_so),
        PROCESS_TEST(a_restarted_ps_0_does_not_wait_for_a_dead_worker),
        PROCESS_TEST(a_job_whose_tasks_were_all_stopped_continues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
