/* verdict_test.c: a job that waits for one worker says so, and names it. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "ps/process.h"

/* worker:1 is stopped for three times as long as the job has run so far, however fast the machine is. */
static json_t *stop_a_worker(const char *folder, const char *mode)
{
    const int64_t began = tri__clock_now();
    process job =
        process_start(folder, "job", "train " SOFTMAX ENDLESS "--json --out run --eval-every 100 --workers 3 %s --timeout 600s", mode);
    process_await_step(&job, STRIKE);
    await_member(folder, "worker:1");
    const pid_t worker = process_task(&job, "worker:1", 0);
    const int64_t stopped = tri__clock_now(), until = stopped + 3 * (stopped - began);
    kill(worker, SIGSTOP);
    while (tri__clock_now() < until)
        usleep(10000);
    kill(worker, SIGCONT);
    process_await_step(&job, process_step(&job) + 20); /* it goes on; a long rest would outweigh the time in which it did not */
    kill(job.pid, SIGINT);
    return process_end(&job, 130);
}

static void a_sync_job_whose_worker_was_stopped_names_it_as_its_straggler(void **state)
{
    json_t *summary = stop_a_worker(*state, "--sync");
    const char *verdict = json_string_value(json_object_get(summary, "verdict"));
    if (strncmp(verdict, "straggler-bound: ", 17) != 0 || !strstr(verdict, "worker:1"))
        fail_msg("%s", verdict);
    json_decref(summary);
}

/* At the bound of staleness workers wait for the slowest one, and not for a server. */
static void a_staleness_job_whose_worker_was_stopped_waited_for_it(void **state)
{
    json_t *summary = stop_a_worker(*state, "--staleness 2");
    const json_t *phases = json_object_get(summary, "phases");
    if (number_of(phases, "peers") < 0.25)
        fail_msg("%s", json_string_value(json_object_get(summary, "verdict")));
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_sync_job_whose_worker_was_stopped_names_it_as_its_straggler),
        PROCESS_TEST(a_staleness_job_whose_worker_was_stopped_waited_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
