/* lock_test.c: a run that is still running cannot be resumed, under any strategy; a run that was killed can be resumed at once. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

#define ENDLESS_RUN "train softmax --data digits:4000 --batch 400 --rate 0.5 " ENDLESS "--checkpoint-every 20steps --json "

static void expect_one_job_at_a_time(const char *folder, const char *strategy)
{
    char holder[64];
    process first = process_start(folder, "first", ENDLESS_RUN "--out run %s", strategy);
    int64_t step = await_checkpoint(folder, 0);
    process second = process_start(folder, "second", "train --resume run --steps 1"); /* the lock comes before all other mistakes */
    snprintf(holder, sizeof holder, "process %ld on ", (long)first.pid);
    process_await(&second, holder);
    json_decref(process_end(&second, 2));
    step = await_checkpoint(folder, step); /* that has not disturbed the first */
    kill(first.pid, SIGKILL);
    await_death(first.pid);
    process third = process_start(folder, "third", "train --resume run --json");
    await_checkpoint(folder, step + 1000); /* far more than tasks that lost their supervisor still do */
    kill(third.pid, SIGINT);
    json_t *summary = process_end(&third, 130);
    assert_true(integer_of(summary, "steps") > step + 1000);
    json_decref(summary);
}

static void a_local_run_locks_its_folder(void **state)
{
    expect_one_job_at_a_time(*state, "");
}

static void a_mirrored_run_locks_its_folder(void **state)
{
    expect_one_job_at_a_time(*state, "--strategy mirrored --workers 2");
}

static void a_supervised_job_locks_its_folder(void **state)
{
    expect_one_job_at_a_time(*state, "--strategy ps --sync --workers 2 --servers 1");
}

static void launched_ranks_lock_their_folder(void **state)
{
    if (system("command -v mpirun >/dev/null"))
        skip();
    expect_one_job_at_a_time(*state, "--strategy allreduce --workers 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_local_run_locks_its_folder),
        PROCESS_TEST(a_mirrored_run_locks_its_folder),
        PROCESS_TEST(a_supervised_job_locks_its_folder),
        PROCESS_TEST(launched_ranks_lock_their_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
