/* staleness_test.c: with --staleness S no worker runs more than S steps ahead of the slowest, whichever worker is slow, at every server.
 * Workers and servers are stopped and continued at random; then the test reads the servers' logs, which name the worker of every update,
 * from beginning to end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ps/process.h"

enum { WORKERS = 4, SERVERS = 3, BOUND = 2, STOPS = 24 };

static int draw(int below)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

/* ---- a server's log ---- */

typedef struct {
    bool live[WORKERS];
    int64_t clock[WORKERS]; /* updates that each has made, from … */
    int64_t begin[WORKERS]; /* … where it began */
    int64_t furthest;       /* that an update's worker was ahead of the slowest when it was made */
    int64_t updates;
} history;

static int64_t slowest(const history *past)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < WORKERS; i++)
        if (past->live[i] && past->clock[i] < least)
            least = past->clock[i];
    return least < INT64_MAX ? least : 0;
}

/* A worker that joins begins with the slowest one. */
static void join(history *past, int worker)
{
    if (!past->live[worker])
        past->clock[worker] = past->begin[worker] = slowest(past);
    past->live[worker] = true;
}

static void update(history *past, int worker)
{
    assert_true(past->live[worker]);
    int64_t ahead = past->clock[worker] - slowest(past);
    past->furthest = ahead > past->furthest ? ahead : past->furthest;
    past->clock[worker]++;
    past->updates++;
}

/* Only ps:0 tells who joins: of another server's log, where each began is known from before. */
static history read_history(const char *folder, const char *log, const history *before)
{
    char *path = test_path(folder, log), *text = test_read(path, NULL), *save = NULL;
    history past = {0};
    for (int i = 0; before && i < WORKERS; i++) {
        past.live[i] = true;
        past.clock[i] = before->begin[i];
    }
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *who = strstr(line, "worker:");
        int worker = who ? (int)strtol(who + 7, NULL, 10) : 0;
        assert_in_range(worker, 0, WORKERS - 1);
        if (strstr(line, " takes part from step "))
            join(&past, worker);
        else if (strstr(line, "update by worker:"))
            update(&past, worker);
        assert_null(strstr(line, "the others go on")); /* nobody has left */
    }
    free(text);
    free(path);
    return past;
}

/* ---- */

/* How long is left to chance: some are back before anybody misses them, others hold up all. */
static void stop_somebody(const process *job)
{
    bool server = draw(4) == 0;
    char task[16];
    snprintf(task, sizeof task, server ? "ps:%d" : "worker:%d", draw(server ? SERVERS : WORKERS));
    pid_t pid = process_task(job, task, 0);
    kill(pid, SIGSTOP);
    nanosleep(&(struct timespec){.tv_nsec = 5000000L * (1 + draw(30))}, NULL);
    kill(pid, SIGCONT);
}

static void no_worker_runs_further_ahead_than_the_staleness_bound(void **state)
{
    process job =
        process_start(*state, "job",
                      "train " SOFTMAX "--staleness %d --workers %d --servers %d --steps 100000000 --log-updates --heartbeat 100ms "
                      "--eval-every 100 --json --out run",
                      BOUND, WORKERS, SERVERS);
    for (int i = 0; i < WORKERS; i++) {
        char task[] = "worker:0";
        task[7] = (char)('0' + i);
        await_member(*state, task);
    }
    for (int i = 0; i < STOPS; i++) {
        process_await_step(&job, (int64_t)STRIKE * (1 + i));
        stop_somebody(&job);
    }
    kill(job.pid, SIGINT);
    json_t *summary = process_end(&job, 130);
    int64_t steps = integer_of(summary, "steps");
    json_decref(summary);

    history first = read_history(*state, "run/log/ps-0.txt", NULL);
    assert_int_equal(first.furthest, BOUND); /* never further, and so far at least once: the stops did hold them up */
    for (int i = 0; i < SERVERS; i++) {
        char log[32];
        snprintf(log, sizeof log, "run/log/ps-%d.txt", i);
        history past = i ? read_history(*state, log, &first) : first;
        print_message("ps:%d: the furthest ahead was %lld\n", i, (long long)past.furthest);
        assert_int_equal(past.updates, steps);
        assert_in_range(past.furthest, 1, BOUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(no_worker_runs_further_ahead_than_the_staleness_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
