/* sim_test.c: thousands of histories of jobs with parameter servers, each drawn from a seed: connections break, links are slow or stall,
 * tasks are stopped, killed and started again. In every history the job must end, with the steps that were wanted. In sync, if every worker
 * took part in every step, it must end with exactly the bits of an undisturbed run. No update may be lost or applied twice without being
 * counted.
 *
 * TEST_HISTORIES says how many histories to run (script/test --deep: 100,000), TEST_SEED the first seed. --seed N plays one history again
 * and prints all that happens.
 *
 * Histories run in child processes, some in each, since memory that killed tasks held is not freed, and a crash must not end the test. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/faults.h"
#include "sim/invariants.h"
#include "sim/job.h"
#include "sim/model.h"
#include "sim/network.h"
#include "sim/observer.h"
#include "sim/place.h"
#include "sim/world.h"

enum { JOBS = 120, REPLICATED = 120, GROWING = 120, GROWING_TWICE = 120, A_CHILD = 100, NOTES_SHOWN = 60 };

#define FIRST_REPLICATED UINT64_C(1000000000) /* histories from this seed on are of jobs whose ranges live on two servers */
#define FIRST_GROWING    UINT64_C(2000000000) /* from this seed on, of jobs whose tables grow */
#define FIRST_TWICE      UINT64_C(3000000000) /* from this seed on, of jobs whose tables grow, on two servers each */

#if defined(__SANITIZE_ADDRESS__)
enum { USUAL = 200 };
#else
enum { USUAL = 2000 };
#endif

/* Histories that failed once, with seeds beyond the usual ones. They are always played. */
static const uint64_t once_failed[] = {
    7366,       /* async: a worker repeated a push to a server whose checkpoint already had it */
    30766,      /* async: a new ps:0 trusted the number of updates that a server reported first */
    40649,      /* async: ps:0 was lost, and a stopped worker could not say what had been acknowledged to it */
    53729,      /* async: the same, in the middle of a push */
    56687,      /* async: a new ps:0 gave out again what an earlier one had given out */
    1000000120, /* replicas: a server was lost, then ps:0: the new ps:0 took the second server for the standby */
    1000000976, /* replicas: the new ps:0 took a restarted server for the primary */
    1000001460, /* replicas, sync: servers made steps after they had told a new ps:0 where they stood */
    1000072604, /* replicas, sync: the standby of ps:0's range had just been filled, with a step that others had not made */
    1000003750, /* replicas, async: a server and then ps:0 was lost, and the server did not take the rest of a step that ps:0 had counted */
    1000063888, /* replicas, async: copies of a checkpoint were taken for those of an earlier one */
};

#define BOUND (60000 * SIM_MS) /* of virtual time: more than all faults of one history, with a timeout after each */

typedef struct {
    uint64_t seed; /* of the history at work */
    int64_t failed, ran;
} shared;

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

/* Half of the jobs have one or two tables of the same number of rows. */
static void draw_tables(sim_job *job)
{
    int64_t rows = 4 + (int64_t)draw(draw(2) ? 30 : SIM_MOST_ROWS - 4);
    job->tables.count = draw(2) ? 0 : 1 + (int)draw(SIM_MOST_TABLES);
    for (int i = 0; i < job->tables.count; i++)
        job->tables.table[i] = (tri__table_shape){rows, 1 + (int64_t)draw(SIM_MOST_WIDTH)};
    uint64_t travel = draw(4);
    job->settings.half_rows = travel == 0;
    job->settings.dense_rows = travel == 1;
}

/* The tables of the job grow. Every server has room for some rows, perhaps for all keys. Where no key but those that count updates is seen
 * often enough for a row, all other keys wait, so they must be few. */
static void draw_growth(sim_job *job)
{
    tri__table_growth *growth = &job->tables.growth;
    growth->min_count = draw(3) ? 1 + (int64_t)draw(4) : SIM_NEVER_SEEN_ENOUGH;
    const int64_t most = draw(2) || growth->min_count == SIM_NEVER_SEEN_ENOUGH ? SIM_MOST_WAITING : SIM_MOST_ROWS;
    const int64_t keys = 6 + (int64_t)draw((uint64_t)most - 5), each = (keys + job->settings.servers - 1) / job->settings.servers;
    job->tables.count = job->tables.count ? job->tables.count : 1;
    growth->most = draw(3) ? 1 + (int64_t)draw((uint64_t)each) : each;
    for (int i = 0; i < job->tables.count; i++) {
        job->tables.table[i] = (tri__table_shape){keys, 1 + (int64_t)draw(SIM_MOST_WIDTH)};
        const bool counts = sim_counts(job); /* then a row begins with 0 */
        growth->initial[i] = (tri__initial_row){counts ? TRI_INIT_ZERO : TRI_INIT_NORMAL, 0.1F, tri__key_of((uint64_t)i + 7)};
    }
    job->settings.dense_rows = false;
}

static sim_job draw_job(int number)
{
    random_state = (uint64_t)number * 7919 + 5;
    static const char *const rules[] = {"sgd", "sgd", "momentum", "adam"};
    static const int chunks[] = {3, 7, 18, 40};
    sim_job job = {0};
    tri__ps_settings *s = &job.settings;
    const bool grows = number >= JOBS + REPLICATED; /* half of these are not sync, since then pushes of one step come apart */
    const bool replicated = grows ? number >= JOBS + REPLICATED + GROWING : number >= JOBS;
    int mode = !grows ? number % 6 : number % 2 ? 4 + number / 2 % 2 : number / 2 % 4;
    s->mode = mode < 4 ? TRI_PS_SYNC : mode == 4 ? TRI_PS_ASYNC : TRI_PS_STALENESS;
    s->servers = 1 + (int)draw(3);
    s->workers = 1 + (int)draw(4);
    if (mode == 3) {
        s->backup = 1;
        s->workers = s->workers < 2 ? 2 : s->workers;
    }
    s->staleness = s->mode == TRI_PS_STALENESS ? 1 + (int)draw(3) : 0;
    s->sum = s->mode == TRI_PS_SYNC && draw(4) == 0;
    s->timeout = 5000 * SIM_MS;
    s->heartbeat = 200 * SIM_MS;
    job.floats = (size_t)chunks[draw(4)] * 256 - (size_t)draw(100);
    job.rule = (tri_rule){.name = rules[draw(4)], .clip = draw(4) == 0 ? 2.0f : 0};
    job.steps = 6 + (int64_t)draw(10);
    job.batch = 8;
    job.examples = 8 * (20 + (int64_t)draw(60)) + (s->mode == TRI_PS_SYNC ? (int64_t)draw(8) : 0);
    job.checkpoint_every = draw(4) ? 1 + (int64_t)draw(4) : 0;
    job.checkpoint_period = job.checkpoint_every ? 0 : (int64_t)draw(2) * 20 * SIM_MS;
    job.evaluate_every = draw(2) ? 1 + (int64_t)draw(4) : 0;
    job.ahead = 1 + (int)draw(4);
    job.evaluator = true;
    job.kept_sockets = draw(2);
    draw_tables(&job);
    job.rule.average = number % 3 == 1 && !job.tables.count ? 0.9F : 0; /* in sync and in async; tables have none */
    if (replicated) {
        s->replicas = 2;
        s->servers = s->servers < 2 ? 2 : s->servers;
        job.steps += 8;
    }
    if (grows) {
        job.rule.average = 0;
        draw_growth(&job);
    }
    return job;
}

static void draw_network(const sim_job *job, uint64_t seed)
{
    random_state = seed * 31 + 11;
    for (int a = 0; a < sim_places(job); a++)
        for (int b = 0; b < sim_places(job); b++) {
            sim_link link = {
                .delay = 10000 + (int64_t)draw(draw(4) ? 200000 : 4000000),
                .jitter = (int64_t)draw(draw(2) ? 20000 : 2000000),
                .bytes_per_second = 1000000 + (int64_t)draw(50000000),
                .room = 1500 + (int64_t)draw(12000),
                .piece = 100 + (int)draw(3000),
            };
            sim_link_set(a, b, &link);
        }
}

enum { ALL_JOBS = JOBS + REPLICATED + GROWING + GROWING_TWICE };

static sim_truth truths[ALL_JOBS];

static int job_of(uint64_t seed)
{
    return seed < FIRST_REPLICATED ? (int)(seed % JOBS)
           : seed < FIRST_GROWING  ? JOBS + (int)(seed % REPLICATED)
           : seed < FIRST_TWICE    ? JOBS + REPLICATED + (int)(seed % GROWING)
                                   : JOBS + REPLICATED + GROWING + (int)(seed % GROWING_TWICE);
}

/* Runs the job undisturbed, with a checkpoint of every step, and records its snapshots. */
static bool find_truth(int number)
{
    sim_job job = draw_job(number);
    job.checkpoint_every = 1;
    sim_begin((uint64_t)number, false);
    sim_network_begin();
    draw_network(&job, (uint64_t)number);
    sim_message_sent = NULL;
    sim_job_begin(&job, NULL, &truths[number]);
    bool over = sim_run(sim_now() + BOUND, sim_job_over);
    if (over)
        sim_job_check();
    const char *violation = sim_job_violation();
    if (!over || violation) {
        char text[512];
        sim_job_describe(&job, text, sizeof text);
        printf("undisturbed job %d, %s: %s\n", number, text, violation ? violation : "it does not end");
        sim_print_notes(NOTES_SHOWN);
        sim_print_waiting();
    }
    bool well = over && !violation;
    sim_job_end();
    sim_network_end();
    sim_end();
    return well;
}

static void tell_failure(const sim_job *job, uint64_t seed, const char *why, int notes)
{
    char text[512];
    sim_job_describe(job, text, sizeof text);
    printf("seed %" PRIu64 ": %s\n  %s\n", seed, why, text);
    sim_faults_print();
    if (notes) {
        printf("  the last that happened:\n");
        sim_print_notes(notes);
        sim_print_waiting();
    }
}

/* Runs one history. True: no invariant was violated. */
static bool live(uint64_t seed, bool traces, int notes)
{
    int number = job_of(seed);
    sim_job job = draw_job(number);
    job.disk_hangs = seed % 16 == 5;
    sim_begin(seed, traces);
    sim_network_begin();
    draw_network(&job, seed);
    sim_message_sent = NULL;
    sim_job_begin(&job, &truths[number], NULL);
    sim_faults_begin(&job, seed);
    bool over = sim_run(sim_now() + BOUND, sim_job_over);
    if (over)
        sim_job_check();
    const char *violation = sim_job_violation();
    bool well = over && !violation;
    if (!well)
        tell_failure(&job, seed, violation ? violation : "the job does not end", notes);
    else if (traces)
        printf("seed %" PRIu64 ": all is well after %.3f s\n", seed, (double)(sim_now() - INT64_C(1000000000000)) * 1e-9);
    sim_job_end();
    sim_network_end();
    sim_end();
    return well;
}

static void live_some(shared *told, uint64_t first, uint64_t end, int notes)
{
    for (uint64_t seed = first; seed < end; seed++) {
        told->seed = seed;
        told->failed += !live(seed, false, notes);
        told->ran++;
        fflush(stdout);
    }
}

static void run_child(shared *told, uint64_t first, uint64_t end, int notes)
{
    for (uint64_t next = first; next < end;) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            live_some(told, next, end, notes);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return;
        printf("seed %" PRIu64 ": the code under test crashes (signal %d, status %d)\n", told->seed,
               WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
        told->failed++;
        next = told->seed + 1;
    }
}

static void run_all(shared *told, uint64_t first, uint64_t histories, int notes)
{
    for (uint64_t seed = first; seed < first + histories; seed += A_CHILD)
        run_child(told, seed, seed + A_CHILD < first + histories ? seed + A_CHILD : first + histories, notes);
}

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : usual;
}

int main(int count, char **arguments)
{
#if defined(__SANITIZE_THREAD__)
    printf("all of it is one thread: there is nothing here for the thread sanitizer to see\n");
    return 77;
#endif
    bool one = count == 3 && !strcmp(arguments[1], "--seed");
    uint64_t first = one ? strtoull(arguments[2], NULL, 10) : setting("TEST_SEED", 1);
    if (one) {
        find_truth(job_of(first));
        return live(first, true, 0) ? 0 : 1;
    }
    uint64_t histories = setting("TEST_HISTORIES", USUAL);
    int notes = (int)setting("TEST_NOTES", NOTES_SHOWN);
    bool well = true;
    for (int i = 0; i < ALL_JOBS; i++)
        well &= find_truth(i);
    shared *told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < sizeof once_failed / sizeof *once_failed; i++)
        run_child(told, once_failed[i], once_failed[i] + 1, notes);
    run_all(told, first, histories, notes);
    if (first < FIRST_REPLICATED) {
        run_all(told, FIRST_REPLICATED + first, histories / 2, notes);
        run_all(told, FIRST_GROWING + first, histories / 2, notes);
        run_all(told, FIRST_TWICE + first, histories / 2, notes);
    }
    printf("%" PRId64 " histories, %" PRId64 " failed\n", told->ran, told->failed);
    return well && told->failed == 0 ? 0 : 1;
}
