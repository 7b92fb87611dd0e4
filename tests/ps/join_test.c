/* join_test.c: workers join a running job, take part, and leave again; a worker with the number of a dead one is not mistaken for it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

static const json_t *stats_of(const json_t *summary, const char *task)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(summary, "worker_stats"), index, item)
    {
        if (!strcmp(json_string_value(json_object_get(item, "task")), task))
            return item;
    }
    fail_msg("the summary knows no %s", task);
    return NULL;
}

static process start_job(const char *folder, const char *words)
{
    process job = process_start(folder, "job", "train " SOFTMAX ENDLESS "--json --out run --eval-every 100 --workers 2 %s", words);
    process_await_step(&job, STRIKE);
    return job;
}

static process start_joiner(const char *folder, const char *words)
{
    char *address = job_address(folder);
    process joiner = process_start(folder, "joiner", "train " SOFTMAX ENDLESS "%s --join %s", words, address);
    free(address);
    return joiner;
}

static void join(const char *folder, const char *mode)
{
    process job = start_job(folder, mode), joiner = start_joiner(folder, "");
    await_member(folder, "worker:2");
    json_t *summary = process_finish(&job);
    json_decref(process_end(&joiner, 0));
    assert_true(integer_of(stats_of(summary, "worker:2"), "steps") > 0);
    char *marks = test_path(folder, "run/marks.csv");
    assert_true(file_says(marks, ",join,worker:2,"));
    free(marks);
    json_decref(summary);
}

static void a_worker_joins_a_running_sync_job(void **state)
{
    join(*state, "--sync --servers 2");
}

static void a_worker_joins_a_running_async_job(void **state)
{
    join(*state, "--async --servers 2");
}

static void a_job_survives_the_death_of_a_worker_that_joined(void **state)
{
    process job = start_job(*state, "--sync"), joiner = start_joiner(*state, "");
    await_member(*state, "worker:2");
    process_kill(&joiner);
    json_decref(process_finish(&job));
}

static void a_job_goes_on_with_a_worker_that_joined_when_its_own_are_dead(void **state)
{
    process job = start_job(*state, "--sync --servers 2"), joiner = start_joiner(*state, "");
    await_member(*state, "worker:2");
    kill(process_task(&job, "worker:0", 0), SIGKILL);
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "no worker that was started here is left; the job goes on with 1 that joined it");
    process_await_step(&job, process_step(&job) + 100);
    json_decref(process_finish(&job));
    json_decref(process_end(&joiner, 0));
}

/* What it would compute is not what the others do: it is told, and the job does not notice. */
static void refuse(const char *folder, const char *other, const char *told)
{
    process job = start_job(folder, "--sync"), joiner = start_joiner(folder, other);
    process_await(&joiner, told);
    json_decref(process_end(&joiner, 2));
    json_decref(process_finish(&job));
}

static void a_worker_with_other_options_may_not_join(void **state)
{
    refuse(*state, "--seed 7", "--seed 7 ");
}

static void a_worker_whose_schedule_ends_sooner_may_not_join(void **state)
{
    refuse(*state, "--steps 500", "--steps 500");
}

static void a_worker_joins_with_the_own_options_of_a_job_with_backup_workers(void **state)
{
    const char *options[] = {"--sync --backup 1", "--sync --backup 1 --workers 2", ""};
    process job = start_job(*state, "--sync --backup 1");
    for (int i = 0; i < 3; i++) {
        char name[24];
        snprintf(name, sizeof name, "worker:%d", 2 + i);
        process joiner = start_joiner(*state, options[i]);
        await_member(*state, name);
        process_kill(&joiner);
    }
    json_decref(process_finish(&job));
}

static void a_joining_worker_whose_options_contradict_the_job_is_refused_by_name(void **state)
{
    static const struct {
        const char *given, *told;
    } cases[] = {
        {"--async", "--async: the job that is to be joined has --sync"},
        {"--staleness 3", "--staleness 3: the job that is to be joined has --sync"},
        {"--sync --backup 2", "--backup 2: the job that is to be joined has --backup 1"},
        {"--sync --combine sum", "--combine sum: the job that is to be joined has --combine mean"},
        {"--sync --row-values fp16", "--row-values fp16: the job that is to be joined has --row-values fp32"},
        {"--sync --gather dense", "--gather dense: the job that is to be joined has --gather sparse"},
        {"--workers 5", "--workers 5: the job that is to be joined has --workers 2"},
    };
    process job = start_job(*state, "--sync --backup 1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        process joiner = start_joiner(*state, cases[i].given);
        process_await(&joiner, cases[i].told);
        json_decref(process_end(&joiner, 2));
    }
    json_decref(process_finish(&job));
}

static bool has_heir(const process *job)
{
    char *log = test_read(job->log, NULL);
    const char *gone = strstr(log, "worker:1 is gone");
    bool followed = gone && strstr(gone, "worker:1 takes part");
    free(log);
    return followed;
}

/* Its pushes are its own, though an earlier process of the same number has pushed to the same servers. */
static void a_successor_takes_the_place_of_a_dead_worker(void **state)
{
    process job = start_job(*state, "--servers 2 --async");
    await_member(*state, "worker:1");
    kill(process_task(&job, "worker:1", 0), SIGKILL);
    process_await(&job, "worker:1 is gone");
    process heir = process_start(*state, "heir", "train " SOFTMAX ENDLESS "--async --cluster run/cluster.yaml --task worker:1");
    while (!has_heir(&job))
        process_await_step(&job, process_step(&job) + 1);
    json_decref(process_finish(&job));
    json_decref(process_end(&heir, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_worker_joins_a_running_sync_job),
        PROCESS_TEST(a_worker_joins_a_running_async_job),
        PROCESS_TEST(a_job_survives_the_death_of_a_worker_that_joined),
        PROCESS_TEST(a_job_goes_on_with_a_worker_that_joined_when_its_own_are_dead),
        PROCESS_TEST(a_worker_with_other_options_may_not_join),
        PROCESS_TEST(a_worker_whose_schedule_ends_sooner_may_not_join),
        PROCESS_TEST(a_successor_takes_the_place_of_a_dead_worker),
        PROCESS_TEST(a_worker_joins_with_the_own_options_of_a_job_with_backup_workers),
        PROCESS_TEST(a_joining_worker_whose_options_contradict_the_job_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
