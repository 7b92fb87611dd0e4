/* stopped_supervisor_test.c: a supervisor that is stopped (Ctrl-Z) reads nothing of what its tasks say. The job goes on all the same, and
 * when the supervisor does, too, it ends as ever. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ps/process.h"

/* More than the pipe to the supervisor holds. */
#define MORE (384 * 1024)

static off_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) ? 0 : file.st_size;
}

static void a_job_continues_while_its_supervisor_is_stopped(void **state)
{
    process job = process_start(*state, "job", "train " SOFTMAX ENDLESS "--sync --eval-every 1 --json --out run --workers 2 --servers 1");
    process_await_step(&job, STRIKE);
    assert_false(kill(job.pid, SIGSTOP));
    off_t before = size_of(job.log); /* in which ps:0 keeps what it tells the supervisor, too */
    while (size_of(job.log) < before + MORE)
        process_await_step(&job, process_step(&job) + 1);
    assert_false(kill(job.pid, SIGCONT));
    json_decref(process_finish(&job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_job_continues_while_its_supervisor_is_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
