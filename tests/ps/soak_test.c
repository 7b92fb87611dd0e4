/* soak_test.c: workers, servers and the evaluator are killed and stopped, workers come and go, their network is cut and breaks, at random,
 * over a long run; at the end there are as many steps as were asked for, and the model has learnt. The job is asked to end after the last
 * event and goes on from there to a given step, so that it does not matter how fast it is beside its events.
 *
 * The events follow from a fixed seed; TEST_EVENTS says how many (script/test --deep: 500), TEST_SEED which. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ps/cable.h"
#include "ps/process.h"

#define MODEL "softmax --data digits:4000 --batch 800 --rate 0.5 --strategy ps "

enum {
    WORKERS = 3, /* of the supervisor; worker:0 is never killed, so that there always is one */
    SERVERS = 2,
    GUESTS = 3, /* workers that the test starts: in the place of worker:1 and worker:2, beyond the cable; and one that asks to join */
    TASK_SIZE = 24,
    STEPS_AN_EVENT = 40,
};

typedef struct {
    const char *folder;
    char words[256];
    process job;
    process guest[GUESTS];
    cable *cable;
    char joining[32]; /* where ps:0 is */
    int starts;
} soak;

static uint64_t random_state;

static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

static void sleep_tenths(int tenths) /* how long is left to chance: nothing depends on it */
{
    nanosleep(&(struct timespec){.tv_sec = tenths / 10, .tv_nsec = 100000000L * (tenths % 10)}, NULL);
}

/* ---- tasks ---- */

/* The supervisor's own process of a task, where it lives; 0. */
static pid_t find(const soak *of, const char *task)
{
    pid_t pids[32];
    int count = process_tasks(&of->job, pids, 32);
    for (int i = 0; i < count; i++)
        if (process_has_task(pids[i], task))
            return pids[i];
    return 0;
}

static void signal_task(const soak *of, const char *task, int signal)
{
    pid_t pid = find(of, task);
    if (pid)
        kill(pid, signal);
}

static void name_guest(int index, char task[TASK_SIZE])
{
    snprintf(task, TASK_SIZE, "worker:%d", index + 1);
}

/* Whoever has that place: a guest, or the supervisor's own worker. */
static void kill_worker(soak *of, int index)
{
    char task[TASK_SIZE];
    name_guest(index, task);
    if (of->guest[index].pid)
        process_kill(&of->guest[index]);
    else
        signal_task(of, task, SIGKILL);
}

static void start_guest(soak *of, int index)
{
    char name[32], task[TASK_SIZE];
    snprintf(name, sizeof name, "guest%d", of->starts++);
    name_guest(index, task);
    kill_worker(of, index);
    of->guest[index] = index < WORKERS - 1 ? process_start(of->folder, name, "train %s --cluster beyond.yaml --task %s", of->words, task)
                                           : process_start(of->folder, name, "train %s --join %s", of->words, of->joining);
}

/* Somebody who uses the cable. */
static void want_guest(soak *of)
{
    if (!of->guest[0].pid && !of->guest[1].pid)
        start_guest(of, draw(2));
}

/* ---- events ---- */

static void kill_any_worker(soak *of)
{
    kill_worker(of, draw(GUESTS));
}

static void kill_server(soak *of)
{
    signal_task(of, draw(2) ? "ps:1" : "ps:0", SIGKILL);
}

static void kill_evaluator(soak *of)
{
    signal_task(of, "evaluator:0", SIGKILL);
}

static void stop_somebody(soak *of)
{
    static const char *const tasks[] = {"worker:0", "ps:0", "ps:1", "evaluator:0"};
    pid_t pid = find(of, tasks[draw(4)]);
    if (!pid)
        return;
    kill(pid, SIGSTOP);
    sleep_tenths(1 + draw(6));
    kill(pid, SIGCONT);
}

static void join(soak *of)
{
    start_guest(of, draw(GUESTS));
}

static void cut(soak *of)
{
    want_guest(of);
    cable_cut(of->cable, true);
    sleep_tenths(1 + draw(10));
    cable_cut(of->cable, false);
}

static void break_connections(soak *of)
{
    want_guest(of);
    cable_break(of->cable);
}

static const struct {
    const char *name;
    void (*happen)(soak *of);
} events[] = {
    {"kills of workers", kill_any_worker},
    {"kills of servers", kill_server},
    {"kills of the evaluator", kill_evaluator},
    {"stops", stop_somebody},
    {"joins", join},
    {"cuts", cut},
    {"broken connections", break_connections},
};

enum { KINDS = sizeof events / sizeof *events };

/* ---- the job ---- */

/* The cluster as it looks from beyond the cable: the same, with other ports. */
static void lay_cable(soak *of)
{
    char *path = test_path(of->folder, "run/cluster.yaml"), *beyond = test_path(of->folder, "beyond.yaml"), changed[256];
    await_text(path, "evaluator");
    char *text = test_read(path, NULL);
    int ports[SERVERS];
    assert_int_equal(sscanf(text, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]", &ports[0], &ports[1]), SERVERS);
    of->cable = cable_lay(ports, SERVERS);
    snprintf(of->joining, sizeof of->joining, "127.0.0.1:%d", ports[0]);
    snprintf(changed, sizeof changed, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]%s", cable_port(of->cable, 0), cable_port(of->cable, 1),
             strchr(text, '\n'));
    test_write(beyond, changed, strlen(changed));
    free(text);
    free(beyond);
    free(path);
}

static int setting(const char *name, int usual)
{
    const char *text = getenv(name);
    return text ? atoi(text) : usual;
}

/* Let it all happen, one thing after the other, as the job gets on. */
static void suffer(soak *of, int wanted)
{
    int happened[KINDS] = {0};
    for (int i = 0; i < wanted; i++) {
        process_await_step(&of->job, process_step(&of->job) + STEPS_AN_EVENT);
        int kind = draw(KINDS);
        happened[kind]++;
        events[kind].happen(of);
    }
    for (int i = 0; i < KINDS; i++)
        print_message("%d %s%s", happened[i], events[i].name, i + 1 < KINDS ? ", " : "; ");
}

/* However fast it was meanwhile, it ends when it is asked to, in good order, and with books that add up … */
static json_t *end_job(soak *of)
{
    kill(of->job.pid, SIGINT);
    json_t *summary = process_end(&of->job, 130);
    expect_books(summary, NULL);
    print_message("%d steps, %d updates lost\n", (int)integer_of(summary, "steps"), (int)integer_of(summary, "lost_updates"));
    for (int i = 0; i < GUESTS; i++)
        if (of->guest[i].pid)
            process_kill(&of->guest[i]); /* it may have come too late */
    cable_remove(of->cable);
    return summary;
}

/* … and goes on from there, to just the step that is wanted. */
static void resume(soak *of, const json_t *before)
{
    int64_t steps = integer_of(before, "steps") + 10 * STEPS_AN_EVENT;
    process rest = process_start(of->folder, "rest", "train --resume run --steps %d --json", (int)steps);
    json_t *summary = process_end(&rest, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    expect_books(summary, before);
    if (number_of(summary, "test_accuracy") < ACCURATE)
        fail_msg("accuracy %g", number_of(summary, "test_accuracy"));
    json_decref(summary);
}

static void survive(const char *folder, const char *mode)
{
    soak of = {.folder = folder};
    random_state = (uint64_t)setting("TEST_SEED", 42);
    snprintf(of.words, sizeof of.words, MODEL "--heartbeat 100ms --timeout 2m --steps 100000000 %s", mode);
    of.job = process_start(folder, "job", "train %s --json --out run --eval-every 20 --checkpoint-every 20steps --workers %d --servers %d",
                           of.words, WORKERS, SERVERS);
    lay_cable(&of);
    suffer(&of, setting("TEST_EVENTS", 6));
    json_t *before = end_job(&of);
    resume(&of, before);
    json_decref(before);
}

static void a_sync_job_survives_random_faults(void **state)
{
    survive(*state, "--sync");
}

static void an_async_job_survives_random_faults(void **state)
{
    survive(*state, "--async");
}

int main(void)
{
    const struct CMUnitTest tests[] = {PROCESS_TEST(a_sync_job_survives_random_faults), PROCESS_TEST(an_async_job_survives_random_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
