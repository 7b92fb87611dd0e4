/* partition_test.c: the network between servers whose ranges live on two of them is cut, though all of them live. There is never a second
 * primary, nothing that a worker was told to be in the model is lost, and a sync model is the same to the bit.
 *
 * ps:0 is on host 1, workers on 2 and 3, ps:1 on 4, ps:2 on 5; the other server of ps:1's range is on 5, that of ps:2's on 4. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/virtual_hosts.h"

#define WHOLE "lives on two servers"
#define TRAIN "train " SOFTMAX "--threads 1 --cluster c.yaml --key cluster.key --heartbeat 200ms --checkpoint-every 100steps --replicas 2 "

enum { TASKS = 5, STEPS = 4000 };

typedef struct {
    process task[TASKS]; /* ps:0 is the first */
    int steps;
} job;

/* Every task gets the words. It goes on once both ranges live on two servers. */
static job start_job(const char *folder, const char *words, int steps)
{
    static const char cluster[] = "ps: [\"10.77.0.1:4000\", \"10.77.0.4:4000\", \"10.77.0.5:4000\"]\nworker: [a, b]\n";
    static const struct {
        int host;
        const char *name;
    } tasks[TASKS] = {{1, "ps:0"}, {2, "worker:0"}, {3, "worker:1"}, {4, "ps:1"}, {5, "ps:2"}};
    virtual_hosts_need(TASKS);
    char *path = test_path(folder, "c.yaml");
    test_write(path, cluster, strlen(cluster));
    free(path);
    job started = {.steps = steps};
    for (int i = 0; i < TASKS; i++)
        started.task[i] = virtual_host_start(folder, tasks[i].host, tasks[i].name, TRAIN "%s --steps %d --task %s %s", words, steps,
                                             tasks[i].name, i ? "" : "--json --eval-every 100 --out run");
    process_await_step(&started.task[0], STRIKE);
    await_times(started.task[0].log, WHOLE, 2);
    return started;
}

static json_t *end_job(job *started)
{
    json_t *summary = process_end(&started->task[0], 0);
    for (int i = 1; i < TASKS; i++)
        json_decref(process_end(&started->task[i], 0));
    assert_false(file_says(started->task[0].log, "back to step"));
    assert_int_equal(integer_of(summary, "steps"), started->steps);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_books(summary, NULL);
    return summary;
}

static void end_with_the_calm_model(const char *folder, job *started)
{
    json_t *summary = end_job(started);
    process calm = process_start(folder, "calm", "train " SOFTMAX "--threads 1 --workers 2 --servers 3 --json --out calm --sync --steps %d",
                                 started->steps);
    json_t *undisturbed = process_end(&calm, 0);
    assert_true(model_difference(folder, summary, undisturbed) == 0);
    json_decref(undisturbed);
    json_decref(summary);
}

/* Both of a range live, and both hear ps:0: one of them goes on alone. */
static void part_the_pair(const job *running)
{
    const process *first = &running->task[0];
    virtual_hosts_part(4, 5);
    await_text(first->log, "the range of ps:1 lives on one server until it is back");
    await_text(first->log, "the range of ps:2 lives on one server until it is back");
}

static void sync_job_goes_on_while_the_servers_of_a_range_cannot_reach_each_other(void **state)
{
    job running = start_job(*state, "--sync", STEPS);
    part_the_pair(&running);
    process_await_step(&running.task[0], process_step(&running.task[0]) + 100);
    virtual_hosts_join(4, 5);
    end_with_the_calm_model(*state, &running);
}

static void async_job_goes_on_while_the_servers_of_a_range_cannot_reach_each_other(void **state)
{
    job running = start_job(*state, "--async", ASYNC_STEPS);
    part_the_pair(&running);
    process_await_step(&running.task[0], process_step(&running.task[0]) + 100);
    virtual_hosts_join(4, 5);
    json_decref(end_job(&running));
}

/* Workers still reach the old primary, which does not know that it is none any more. */
static void sync_job_goes_on_with_the_standby_of_a_server_that_ps_0_cannot_reach(void **state)
{
    job running = start_job(*state, "--sync", STEPS);
    virtual_hosts_part(1, 4);
    await_text(running.task[0].log, "the second server of ps:1 goes on, and no update is lost");
    process_await_step(&running.task[0], process_step(&running.task[0]) + 100);
    virtual_hosts_join(1, 4);
    end_with_the_calm_model(*state, &running);
}

static void sync_job_goes_on_when_ps_0_was_cut_off_from_everybody(void **state)
{
    job running = start_job(*state, "--sync", STEPS);
    virtual_host_cut(1);
    process_await(&running.task[1], "ps:0 at 10.77.0.1:4000 has been silent for");
    process_await(&running.task[3], "ps:0 at 10.77.0.1:4000 has been silent for");
    virtual_host_mend(1);
    end_with_the_calm_model(*state, &running);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIRTUAL_HOSTS_TEST(sync_job_goes_on_while_the_servers_of_a_range_cannot_reach_each_other),
        VIRTUAL_HOSTS_TEST(async_job_goes_on_while_the_servers_of_a_range_cannot_reach_each_other),
        VIRTUAL_HOSTS_TEST(sync_job_goes_on_with_the_standby_of_a_server_that_ps_0_cannot_reach),
        VIRTUAL_HOSTS_TEST(sync_job_goes_on_when_ps_0_was_cut_off_from_everybody),
    };
    return cmocka_run_group_tests(tests, virtual_hosts_name, NULL);
}
