/* soak_test.c: workers and servers are killed, workers stopped and let go on, others join, at random, over a long run; at the end there
 * are as many steps as were asked for, and the model has learnt.
 *
 * The events follow from a fixed seed; TEST_EVENTS says how many (script/test --deep: 500). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ps/process.h"

enum {
    WORKERS = 3,
    SERVERS = 2,
    FIRST_STEPS = 200,
    STEPS_AN_EVENT = 250,
    RESTARTS = 4, /* of one server within a minute: a supervisor gives up after five */
};

static uint64_t random_state = 42;

static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

static char *cluster_of(const char *folder)
{
    char *path = test_path(folder, "run/cluster.yaml");
    await_text(path, "worker");
    return path;
}

/* So many times a minute. */
static bool may_kill(int server)
{
    static time_t killed[SERVERS][RESTARTS];
    static int count[SERVERS];
    time_t now = time(NULL), *oldest = &killed[server][count[server] % RESTARTS];
    if (*oldest && now - *oldest < 65)
        return false;
    *oldest = now;
    count[server]++;
    return true;
}

/* Whose turn it is to die: "worker:0" stays, so that the job always has one; servers come back by themselves. */
static void strike(const char *folder, const process *job, process *joiner, const char *words, int event)
{
    char task[32], name[32];
    snprintf(name, sizeof name, "join%d", event);
    switch (draw(4)) {
    case 0: { /* a successor for a worker that is killed */
        snprintf(task, sizeof task, "worker:%d", 1 + draw(WORKERS - 1));
        pid_t pids[32];
        int count = process_tasks(job, pids, 32);
        for (int i = 0; i < count; i++)
            if (process_has_task(pids[i], task))
                kill(pids[i], SIGKILL);
        break;
    }
    case 1: {
        int server = draw(SERVERS);
        snprintf(task, sizeof task, "ps:%d", server);
        if (may_kill(server))
            kill(process_task(job, task, 0), SIGKILL);
        break;
    }
    case 2: {
        pid_t pid = process_task(job, "worker:0", 0);
        kill(pid, SIGSTOP);
        nanosleep(&(struct timespec){.tv_nsec = 100000000L * (1 + draw(4))}, NULL); /* how long is left to chance */
        kill(pid, SIGCONT);
        break;
    }
    default:
        if (joiner->pid)
            process_kill(joiner);
        *joiner = process_start(folder, name, "train %s --cluster run/cluster.yaml --task worker:%d", words, 1 + draw(WORKERS - 1));
    }
}

static void soak(const char *folder, const char *mode)
{
    const char *wanted = getenv("TEST_EVENTS");
    int events = wanted ? atoi(wanted) : 4, steps = FIRST_STEPS + STEPS_AN_EVENT * (events + 4);
    char words[256];
    snprintf(words, sizeof words, SOFTMAX "--heartbeat 100ms --timeout 20s --steps %d %s", steps, mode);
    process job =
        process_start(folder, "job", "train %s --json --out run --eval-every 50 --checkpoint-every 50steps --workers %d --servers %d",
                      words, WORKERS, SERVERS);
    process joiner = {0};
    free(cluster_of(folder));
    int struck = 0;
    for (; struck < events && !process_has_ended(&job); struck++) {
        process_await_step(&job, FIRST_STEPS / 2 + (int64_t)STEPS_AN_EVENT * struck);
        strike(folder, &job, &joiner, words, struck);
    }
    assert_int_equal(struck, events); /* the job outlived them all */
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_true(number_of(summary, "test_accuracy") > ACCURATE - 0.02);
    json_decref(summary);
    if (joiner.pid)
        process_kill(&joiner); /* it may have come too late, or be refused where its number was taken */
}

static void a_sync_job_survives(void **state)
{
    soak(*state, "--sync");
}

static void an_async_job_survives(void **state)
{
    soak(*state, "--async");
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_sync_job_survives), PROCESS_TEST(an_async_job_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
