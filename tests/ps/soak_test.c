/* soak_test.c: workers, servers and the evaluator are killed and stopped, workers come and go, their network is cut, slow and breaks, at
 * random, over a long run. After every event the job makes steps and its books add up; at the end there are as many steps as were asked
 * for, and the model has learnt. The job is asked to end after the last event and goes on from there to a given step, so that it does not
 * matter how fast it is beside its events. A large model has more than servers hold back of one worker's parts, so that they pause its
 * connection.
 *
 * The events follow from a fixed seed; TEST_EVENTS says how many (script/test --deep: 500), TEST_SEED which. An argument chooses tests by
 * their names: TEST_EVENTS=500 ps_soak_test '*two_servers*'. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ps/cable.h"
#include "ps/kept_books.h"
#include "ps/process.h"

#define LARGE "train()\ninput(scale=1/255)\ndense(1600)\nrelu()\ndense(classes, init=xavier)\nsoftmax_loss()\n"

enum {
    WORKERS = 3, /* of the supervisor; worker:0 is never killed, so that there always is one */
    MOST_SERVERS = 3,
    GUESTS = 3, /* workers that the test starts: in the place of worker:1 and worker:2, beyond the cable; and one that asks to join */
    TASK_SIZE = 24,
    SLOW = 8000000, /* bytes a second */
};

typedef struct {
    const char *model; /* and what it is trained on */
    int servers;
    int steps;          /* between two events */
    const char *figure; /* of its summary … */
    double least;       /* … is at least so much: less than it reaches */
} kind;

static const kind small = {
    .model = "softmax --data digits:4000 --batch 800 --rate 0.5", .servers = 2, .steps = 40, .figure = "test_accuracy", .least = ACCURATE};
/* 5 MB, so that a step takes longer, and fewer do. */
static const kind large = {
    .model = "large.model --data digits:4000 --batch 50 --rate 0.1", .servers = 3, .steps = 20, .figure = "test_accuracy", .least = 0.8};
/* Two tables, dense layers behind one of them. */
static const kind sparse = {
    .model = "deep-click --data clicks:5000:4000 --batch 200", .servers = 3, .steps = 40, .figure = "test_auc", .least = 0.65};
/* The same, where a key gets its row when it has been seen twice. */
static const kind growing = {.model = "deep-click --data clicks:5000:4000 --batch 200 --min-count 2",
                             .servers = 3,
                             .steps = 40,
                             .figure = "test_auc",
                             .least = 0.65};

typedef struct {
    const char *folder;
    const kind *kind;
    kept_books books;
    char words[256];
    process job;
    process guest[GUESTS];
    cable *cable;
    char joining[32]; /* where ps:0 is */
    int starts;
    bool slow; /* is the cable */
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

static const char *any_server(const soak *self)
{
    static const char *const servers[MOST_SERVERS] = {"ps:0", "ps:1", "ps:2"};
    return servers[draw(self->kind->servers)];
}

static void kill_server(soak *self)
{
    signal_task(self, any_server(self), SIGKILL);
}

/* While the others' parts of a step wait for it. */
static void kill_server_while_a_worker_is_stopped(soak *self)
{
    signal_task(self, "worker:0", SIGSTOP);
    sleep_tenths(1 + draw(8));
    kill_server(self);
    sleep_tenths(draw(8));
    signal_task(self, "worker:0", SIGCONT);
}

static void stop_supervisor(soak *self)
{
    kill(self->job.pid, SIGSTOP);
    sleep_tenths(1 + draw(10));
    kill(self->job.pid, SIGCONT);
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

/* Until the next such event. */
static void change_speed(soak *self)
{
    want_guest(self);
    self->slow = !self->slow;
    cable_slow(self->cable, self->slow ? SLOW : 0);
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
    {"kills of servers while a worker is stopped", kill_server_while_a_worker_is_stopped},
    {"kills of the evaluator", kill_evaluator},
    {"stops", stop_somebody},
    {"stops of the supervisor", stop_supervisor},
    {"joins", join},
    {"cuts", cut},
    {"slow or fast links", change_speed},
    {"broken connections", break_connections},
};

enum { KINDS = sizeof events / sizeof *events };

/* ---- the job ---- */

/* The cluster as it looks from beyond the cable: the same, with other ports. */
static void lay_cable(soak *self)
{
    char *path = test_path(self->folder, "run/cluster.yaml"), *beyond = test_path(self->folder, "beyond.yaml"), changed[512];
    await_text(path, "evaluator");
    char *text = test_read(path, NULL), *rest = strchr(text, '\n'), *at = text;
    int ports[MOST_SERVERS], servers = self->kind->servers;
    size_t used = 0;
    for (int i = 0; i < servers; i++) {
        at = strstr(at, "127.0.0.1:");
        assert_non_null(at);
        at += strlen("127.0.0.1:");
        ports[i] = (int)strtol(at, &at, 10);
    }
    self->cable = cable_lay(ports, servers);
    snprintf(self->joining, sizeof self->joining, "127.0.0.1:%d", ports[0]);
    for (int i = 0; i < servers; i++)
        used +=
            (size_t)snprintf(changed + used, sizeof changed - used, "%s\"127.0.0.1:%d\"", i ? ", " : "ps: [", cable_port(self->cable, i));
    snprintf(changed + used, sizeof changed - used, "]%s", rest);
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
        process_await_step(&self->job, process_step(&self->job) + self->kind->steps);
        int event = draw(KINDS);
        happened[event]++;
        events[event].happen(self);
        expect_kept_books(self->folder, self->books.step, &self->books);
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
    int64_t steps = integer_of(before, "steps") + 10 * self->kind->steps;
    process rest = process_start(self->folder, "rest", "train --resume run --steps %d --json", (int)steps);
    json_t *summary = process_end(&rest, 0);
    assert_int_equal(integer_of(summary, "steps"), steps);
    expect_books(summary, before);
    if (!(number_of(summary, self->kind->figure) >= self->kind->least))
        fail_msg("%s %g", self->kind->figure, number_of(summary, self->kind->figure));
    json_decref(summary);
}

static void survive(const char *folder, const kind *what, const char *mode)
{
    soak self = {.folder = folder, .kind = what};
    char *model = test_path(folder, "large.model");
    test_write(model, LARGE, strlen(LARGE));
    free(model);
    random_state = (uint64_t)setting("TEST_SEED", 42);
    for (const char *at = mode; *at; at++) /* every job has its own events */
        random_state = random_state * 31 + (uint64_t)*at;
    draw(2);
    snprintf(self.words, sizeof self.words, "%s --strategy ps --heartbeat 100ms --timeout 2m --steps 100000000 %s", what->model, mode);
    self.job =
        process_start(folder, "job", "train %s --json --out run --eval-every %d --checkpoint-every %dsteps --workers %d --servers %d",
                      self.words, what->steps / 2, what->steps / 2, WORKERS, what->servers);
    lay_cable(&self);
    suffer(&self, setting("TEST_EVENTS", 6));
    json_t *before = end_job(&self);
    resume(&self, before);
    json_decref(before);
}

static void a_sync_job_survives_random_faults(void **state)
{
    survive(*state, &small, "--sync");
}

static void an_async_job_survives_random_faults(void **state)
{
    survive(*state, &small, "--async");
}

static void a_sync_job_with_a_large_model_survives_random_faults(void **state)
{
    survive(*state, &large, "--sync");
}

static void a_sync_job_with_clipping_survives_random_faults(void **state)
{
    survive(*state, &large, "--sync --clip 1");
}

static void a_sync_job_with_a_backup_worker_survives_random_faults(void **state)
{
    survive(*state, &large, "--sync --backup 1");
}

static void a_sync_job_whose_ranges_live_on_two_servers_survives_random_faults(void **state)
{
    survive(*state, &large, "--sync --replicas 2");
}

static void an_async_job_whose_ranges_live_on_two_servers_survives_random_faults(void **state)
{
    survive(*state, &large, "--async --replicas 2");
}

static void a_job_with_bounded_staleness_survives_random_faults(void **state)
{
    survive(*state, &large, "--staleness 2");
}

static void a_sync_job_with_tables_survives_random_faults(void **state)
{
    survive(*state, &sparse, "--sync");
}

static void an_async_job_with_tables_survives_random_faults(void **state)
{
    survive(*state, &sparse, "--async");
}

static void a_job_with_tables_and_bounded_staleness_survives_random_faults(void **state)
{
    survive(*state, &sparse, "--staleness 2");
}

static void a_sync_job_with_growing_tables_survives_random_faults(void **state)
{
    survive(*state, &growing, "--sync");
}

static void an_async_job_with_growing_tables_survives_random_faults(void **state)
{
    survive(*state, &growing, "--async");
}

int main(int count, char **arguments)
{
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_sync_job_survives_random_faults),
        PROCESS_TEST(an_async_job_survives_random_faults),
        PROCESS_TEST(a_sync_job_with_a_large_model_survives_random_faults),
        PROCESS_TEST(a_sync_job_with_clipping_survives_random_faults),
        PROCESS_TEST(a_sync_job_with_a_backup_worker_survives_random_faults),
        PROCESS_TEST(a_sync_job_whose_ranges_live_on_two_servers_survives_random_faults),
        PROCESS_TEST(an_async_job_whose_ranges_live_on_two_servers_survives_random_faults),
        PROCESS_TEST(a_job_with_bounded_staleness_survives_random_faults),
        PROCESS_TEST(a_sync_job_with_tables_survives_random_faults),
        PROCESS_TEST(an_async_job_with_tables_survives_random_faults),
        PROCESS_TEST(a_job_with_tables_and_bounded_staleness_survives_random_faults),
        PROCESS_TEST(a_sync_job_with_growing_tables_survives_random_faults),
        PROCESS_TEST(an_async_job_with_growing_tables_survives_random_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
