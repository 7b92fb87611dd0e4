/* verdict_test.c: a job that waits for one worker says so, and names it. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "ps/process.h"

/* The worker is stopped for three times as long as the job has run so far, however fast the machine is. */
static void a_sync_job_whose_worker_was_stopped_names_it_as_its_straggler(void **state)
{
    const int64_t began = tri__clock_now();
    process job =
        process_start(*state, "job", "train " SOFTMAX ENDLESS "--json --out run --eval-every 100 --workers 3 --sync --timeout 600s");
    process_await_step(&job, STRIKE);
    await_member(*state, "worker:1");
    const pid_t worker = process_task(&job, "worker:1", 0);
    const int64_t stopped = tri__clock_now(), until = stopped + 3 * (stopped - began);
    kill(worker, SIGSTOP);
    while (tri__clock_now() < until)
        usleep(10000);
    kill(worker, SIGCONT);
    process_await_step(&job, process_step(&job) + 20); /* it goes on; a long rest would outweigh the time in which it did not */
    kill(job.pid, SIGINT);
    json_t *summary = process_end(&job, 130);
    const char *verdict = json_string_value(json_object_get(summary, "verdict"));
    if (strncmp(verdict, "straggler-bound: ", 17) != 0 || !strstr(verdict, "worker:1"))
        fail_msg("%s", verdict);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_sync_job_whose_worker_was_stopped_names_it_as_its_straggler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
