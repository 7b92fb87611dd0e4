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
static pid_t find(const soak *self, const char *task)
{
    pid_t pids[32];
    int count = process_tasks(&self->job, pids, 32);
    for (int i = 0; i < count; i++)
        if (process_has_task(pids[i], task))
            return pids[i];
    return 0;
}

static void signal_task(const soak *self, const char *task, int signal)
{
    pid_t pid = find(self, task);
    if (pid)
        kill(pid, signal);
}

static void name_guest(int index, char task[TASK_SIZE])
{
    snprintf(task, TASK_SIZE, "worker:%d", index + 1);
}

/* The worker with that number: a guest, or the supervisor's own. */
static void kill_worker(soak *self, int index)
{
    char task[TASK_SIZE];
    name_guest(index, task);
    if (self->guest[index].pid)
        process_kill(&self->guest[index]);
    else
        signal_task(self, task, SIGKILL);
}

static void start_guest(soak *self, int index)
{
    char name[32], task[TASK_SIZE];
    snprintf(name, sizeof name, "guest%d", self->starts++);
    name_guest(index, task);
    kill_worker(self, index);
    self->guest[index] = index < WORKERS - 1
                             ? process_start(self->folder, name, "train %s --cluster beyond.yaml --task %s", self->words, task)
                             : process_start(self->folder, name, "train %s --join %s", self->words, self->joining);
}

/* Somebody who uses the cable. */
static void want_guest(soak *self)
{
    if (!self->guest[0].pid && !self->guest[1].pid)
        start_guest(self, draw(2));
}

/* ---- events ---- */

static void kill_any_worker(soak *self)
{
    kill_worker(self, draw(GUESTS));
}

static void kill_server(soak *self)
{
    signal_task(self, draw(2) ? "ps:1" : "ps:0", SIGKILL);
}

static void kill_evaluator(soak *self)
{
    signal_task(self, "evaluator:0", SIGKILL);
}

static void stop_somebody(soak *self)
{
    static const char *const tasks[] = {"worker:0", "ps:0", "ps:1", "evaluator:0"};
    pid_t pid = find(self, tasks[draw(4)]);
    if (!pid)
        return;
    kill(pid, SIGSTOP);
    sleep_tenths(1 + draw(6));
    kill(pid, SIGCONT);
}

static void join(soak *self)
{
    start_guest(self, draw(GUESTS));
}

static void cut(soak *self)
{
    want_guest(self);
    cable_cut(self->cable, true);
    sleep_tenths(1 + draw(10));
    cable_cut(self->cable, false);
}

static void break_connections(soak *self)
{
    want_guest(self);
    cable_break(self->cable);
}

static const struct {
    const char *name;
    void (*happen)(soak *self);
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
static void lay_cable(soak *self)
{
    char *path = test_path(self->folder, "run/cluster.yaml"), *beyond = test_path(self->folder, "beyond.yaml"), changed[256];
    await_text(path, "evaluator");
    char *text = test_read(path, NULL);
    int ports[SERVERS];
    assert_int_equal(sscanf(text, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]", &ports[0], &ports[1]), SERVERS);
    self->cable = cable_lay(ports, SERVERS);
    snprintf(self->joining, sizeof self->joining, "127.0.0.1:%d", ports[0]);
    snprintf(changed, sizeof changed, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]%s", cable_port(self->cable, 0), cable_port(self->cable, 1),
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
static void suffer(soak *self, int wanted)
{
    int happened[KINDS] = {0};
    for (int i = 0; i < wanted; i++) {
        process_await_step(&self->job, process_step(&self->job) + STEPS_AN_EVENT);
        int kind = draw(KINDS);
        happened[kind]++;
        events[kind].happen(self);
    }
    for (int i = 0; i < KINDS; i++)
        print_message("%d %s%s", happened[i], events[i].name, i + 1 < KINDS ? ", " : "; ");
}

/* However fast it was meanwhile, it ends when it is asked to, in good order, and with books that add up … */
static json_t *end_job(soak *self)
{
    kill(self->job.pid, SIGINT);
    json_t *summary = process_end(&self->job, 130);
    expect_books(summary, NULL);
    print_message("%d steps, %d updates lost\n", (int)integer_of(summary, "steps"), (int)integer_of(summary, "lost_updates"));
    for (int i = 0; i < GUESTS; i++)
        if (self->guest[i].pid)
            process_kill(&self->guest[i]); /* it may have come too late */
    cable_remove(self->cable);
    return summary;
}

/* … and goes on from there, to just the step that is wanted. */
static void resume(soak *self, const json_t *before)
{
    int64_t steps = integer_of(before, "steps") + 10 * STEPS_AN_EVENT;
    process rest = process_start(self->folder, "rest", "train --resume run --steps %d --json", (int)steps);
    json_t *summary = process_end(&rest, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    expect_books(summary, before);
    if (number_of(summary, "test_accuracy") < ACCURATE)
        fail_msg("accuracy %g", number_of(summary, "test_accuracy"));
    json_decref(summary);
}

static void survive(const char *folder, const char *mode)
{
    soak self = {.folder = folder};
    random_state = (uint64_t)setting("TEST_SEED", 42);
    snprintf(self.words, sizeof self.words, MODEL "--heartbeat 100ms --timeout 2m --steps 100000000 %s", mode);
    self.job =
        process_start(folder, "job", "train %s --json --out run --eval-every 20 --checkpoint-every 20steps --workers %d --servers %d",
                      self.words, WORKERS, SERVERS);
    lay_cable(&self);
    suffer(&self, setting("TEST_EVENTS", 6));
    json_t *before = end_job(&self);
    resume(&self, before);
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
