/* server_death_test.c: servers are killed while a job runs. The supervisor starts them again from the last checkpoint; workers reconnect;
 * at most one interval of checkpoints is lost, and the summary says how much. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

enum { INTERVAL = 50 };

static void kill_server(const char *folder, const char *server, const char *mode, int steps)
{
    process job = process_start(folder, "job",
                                "train " SOFTMAX "--json --out run --eval-every 100 --checkpoint-every %dsteps --workers 3 --servers 2 "
                                "--steps %d %s",
                                INTERVAL, steps, mode);
    process_await_step(&job, STRIKE);
    pid_t before = process_task(&job, server, 0);
    kill(before, SIGKILL);
    process_task(&job, server, before);
    json_t *summary = process_end(&job, 0);
    char *marks = test_path(folder, "run/marks.csv");
    assert_true(file_says(marks, ",restart,ps:0,"));
    if (!strcmp(server, "ps:0"))
        assert_true(file_says(marks, ",death,ps:0,"));
    free(marks);
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_in_range(integer_of(summary, "lost_updates"), 0, INTERVAL);
    assert_true(number_of(summary, "total_seconds") >= number_of(summary, "seconds"));
    if (number_of(summary, "test_accuracy") < ACCURATE)
        fail_msg("accuracy %g", number_of(summary, "test_accuracy"));
    json_decref(summary);
}

static void sync_job_survives_the_death_of_ps_0(void **state)
{
    kill_server(*state, "ps:0", "--sync", SYNC_STEPS);
}

static void sync_job_survives_the_death_of_ps_1(void **state)
{
    kill_server(*state, "ps:1", "--sync", SYNC_STEPS);
}

static void async_job_survives_the_death_of_ps_0(void **state)
{
    kill_server(*state, "ps:0", "--async", ASYNC_STEPS);
}

static void async_job_survives_the_death_of_ps_1(void **state)
{
    kill_server(*state, "ps:1", "--async", ASYNC_STEPS);
}

static void staleness_job_survives_the_death_of_ps_1(void **state)
{
    kill_server(*state, "ps:1", "--staleness 2", ASYNC_STEPS);
}

/* The job has made its last step, and waits for a worker's report: no step is made again, so none may be lost. */
static void a_job_survives_the_death_of_ps_1_while_it_ends(void **state)
{
    process job = process_start(*state, "job",
                                "train " SOFTMAX ENDLESS "--json --out run --eval-every 100 --checkpoint-every 100steps --heartbeat 100ms "
                                "--workers 2 --servers 2 --sync --backup 1");
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:1");
    pid_t straggler = process_task(&job, "worker:1", 0), before = process_task(&job, "ps:1", 0);
    kill(straggler, SIGSTOP);
    process_await(&job, "goes on without worker:1");
    kill(process_task(&job, "ps:0", 0), SIGINT);
    await_text(job.log, "stopping at step");
    kill(before, SIGKILL);
    process_task(&job, "ps:1", before);
    process_await(&job, "all go back to step");
    char *log = test_read(job.log, NULL);
    int64_t last = strtoll(strstr(log, "stopping at step ") + strlen("stopping at step "), NULL, 10);
    free(log);
    kill(straggler, SIGCONT);
    json_t *summary = process_end(&job, 130);
    assert_int_equal(integer_of(summary, "steps"), last);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    json_decref(summary);
}

/* Everybody has been told that the job is over. ps:0 may still be there, and nobody else is. */
static void a_job_survives_the_death_of_ps_0_when_it_is_over(void **state)
{
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "job%d", i);
        process job = process_start(*state, name,
                                    "train " SOFTMAX "--json --out %s-run --eval-every end --workers 2 --steps 100 --staleness 2", name);
        pid_t coordinator = process_task(&job, "ps:0", 0);
        await_death(process_task(&job, "worker:0", 0));
        kill(coordinator, SIGKILL);
        json_t *summary = process_end(&job, 0);
        assert_int_equal(integer_of(summary, "steps"), 100);
        assert_true(number_of(summary, "test_accuracy") > 0.5);
        expect_books(summary, NULL);
        json_decref(summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_job_survives_the_death_of_ps_0),
        PROCESS_TEST(sync_job_survives_the_death_of_ps_1),
        PROCESS_TEST(async_job_survives_the_death_of_ps_0),
        PROCESS_TEST(async_job_survives_the_death_of_ps_1),
        PROCESS_TEST(staleness_job_survives_the_death_of_ps_1),
        PROCESS_TEST(a_job_survives_the_death_of_ps_1_while_it_ends),
        PROCESS_TEST(a_job_survives_the_death_of_ps_0_when_it_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
