/* evaluator_death_test.c: the evaluator is killed while a job runs. The process that started it starts it again, and evaluations continue.
 * An evaluator that is killed again and again is given up, and no task waits for it. */
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
    json_t *summary = process_end(first, 130);
    assert_true(number_of(summary, "test_accuracy") > 0.8);
    json_decref(summary);
}

/* Four times: then it is not started again, and nobody waits for it. */
static void kill_evaluator_for_good(process *first, const char *told)
{
    process_await_step(first, STRIKE);
    pid_t before = 0;
    for (int i = 0; i < 4; i++) {
        before = process_task(first, "evaluator:0", before);
        kill(before, SIGKILL);
        await_death(before);
    }
    process_await(first, told);
    process_await(first, "there is no evaluator any more");
    kill(first->pid, SIGINT);
    assert_false(file_says(first->err, "(--timeout)"));
    json_t *summary = process_end(first, 130);
    assert_true(json_is_null(json_object_get(summary, "test_accuracy")));
    assert_true(json_is_null(json_object_get(summary, "test_loss")));
    json_decref(summary);
}

static void a_supervisor_restarts_a_killed_evaluator(void **state)
{
    process job = process_start(*state, "job", TRAIN "--json --out run --workers 2 --servers 1");
    kill_evaluator(&job);
}

static void a_supervisor_gives_up_an_evaluator_that_is_killed_again_and_again(void **state)
{
    process job = process_start(*state, "job", TRAIN "--json --out run --workers 2 --servers 1");
    kill_evaluator_for_good(&job, "not started a 5th time: the job goes on without evaluations");
}

/* A cluster of which ps:0 keeps the evaluator, until it ends. */
typedef struct {
    process first, worker[2];
} cluster;

static cluster start_cluster(const char *folder)
{
    char *path = test_path(folder, "c.yaml"), text[128];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b]\n", free_port());
    test_write(path, text, strlen(text));
    free(path);
    return (cluster){
        .first = process_start(folder, "p0", TRAIN "--cluster c.yaml --json --out run --task ps:0"),
        .worker = {process_start(folder, "w0", TRAIN "--cluster c.yaml --task worker:0"),
                   process_start(folder, "w1", TRAIN "--cluster c.yaml --task worker:1")},
    };
}

static void end_workers(cluster *started)
{
    for (int i = 0; i < 2; i++)
        json_decref(process_end(&started->worker[i], 0));
}

static void ps_0_of_a_cluster_restarts_a_killed_evaluator(void **state)
{
    cluster all = start_cluster(*state);
    kill_evaluator(&all.first);
    end_workers(&all);
}

static void ps_0_of_a_cluster_gives_up_an_evaluator_that_is_killed_again_and_again(void **state)
{
    cluster all = start_cluster(*state);
    kill_evaluator_for_good(&all.first, "is not started a 5th time");
    end_workers(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_supervisor_restarts_a_killed_evaluator),
        PROCESS_TEST(a_supervisor_gives_up_an_evaluator_that_is_killed_again_and_again),
        PROCESS_TEST(ps_0_of_a_cluster_restarts_a_killed_evaluator),
        PROCESS_TEST(ps_0_of_a_cluster_gives_up_an_evaluator_that_is_killed_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
