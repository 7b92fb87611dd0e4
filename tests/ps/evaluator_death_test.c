/* evaluator_death_test.c: the evaluator is killed while a job runs. Whoever started it starts it again, and evaluations go on. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

#define TRAIN "train " SOFTMAX ENDLESS "--sync --eval-every 100 --heartbeat 100ms "

/* `first` is the parent of the evaluator, and ends the job where it is asked to. */
static void kill_evaluator(process *first)
{
    process_await_step(first, STRIKE);
    pid_t before = process_task(first, "evaluator:0", 0);
    kill(before, SIGKILL);
    process_task(first, "evaluator:0", before);
    process_await_step(first, process_step(first) + 200);
    kill(first->pid, SIGINT);
    json_t *summary = process_end(first, 0);
    assert_true(number_of(summary, "test_accuracy") > 0.8);
    json_decref(summary);
}

static void a_supervisor_starts_it_again(void **state)
{
    process job = process_start(*state, "job", TRAIN "--json --out run --workers 2 --servers 1");
    kill_evaluator(&job);
}

static void ps_0_of_a_cluster_starts_it_again(void **state)
{
    char *path = test_path(*state, "c.yaml"), text[128];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b]\n", free_port());
    test_write(path, text, strlen(text));
    process first = process_start(*state, "p0", TRAIN "--cluster c.yaml --json --out run --task ps:0");
    process workers[] = {
        process_start(*state, "w0", TRAIN "--cluster c.yaml --task worker:0"),
        process_start(*state, "w1", TRAIN "--cluster c.yaml --task worker:1"),
    };
    kill_evaluator(&first);
    for (int i = 0; i < 2; i++)
        json_decref(process_end(&workers[i], 0));
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_supervisor_starts_it_again), PROCESS_TEST(ps_0_of_a_cluster_starts_it_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
