/* curves_test.c: the curves of a job can be seen while it goes on. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ps/process.h"
#include "watch/report/run_curves.h"

/* Without a flush, the first points come when a buffer of 4 kB is full, which holds 23 of them. EVERY is many more steps than a worker
 * makes between two flushes. */
enum { EVERY = 5000, MANY = 15 };

static int points_of(const tri__run_curves *curves, const char *task)
{
    for (int i = 0; i < tri__run_curves_count(curves); i++) {
        const tri__curve *curve = tri__run_curves_get(curves, i);
        if (!strcmp(curve->task, task) && !strcmp(curve->tag, "train/loss"))
            return curve->count;
    }
    return 0;
}

static void curves_of_workers_are_there_while_they_train(void **state)
{
    process job = process_start(*state, "job", "train " SOFTMAX ENDLESS "--out run --workers 2 --log-every %d", EVERY);
    process_await_step(&job, STRIKE);
    char *run = test_path(*state, "run");
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(run, &curves));
    for (const int64_t patience = process_step(&job) + INT64_C(4) * MANY * EVERY; points_of(curves, "worker:0") == 0; usleep(10000)) {
        assert_ok(tri__run_curves_poll(curves));
        assert_true(process_step(&job) < patience);
    }
    assert_true(points_of(curves, "worker:0") < MANY);
    tri__run_curves_close(curves);
    free(run);
    kill(job.pid, SIGINT);
    json_decref(process_end(&job, 130));
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(curves_of_workers_are_there_while_they_train)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
