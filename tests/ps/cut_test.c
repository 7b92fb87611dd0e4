/* cut_test.c: the link of one host of a job is cut, silently, and mended again or not. The other tasks name the silent task; a task that is
 * back in time continues where it was; no task waits longer than the timeout.
 *
 * ps:0 is on host 1, workers on 2 and 3, ps:1 on 4: virtual hosts, which need root and network namespaces. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/model.h"
#include "ps/process.h"
#include "ps/virtual_hosts.h"

#define TRAIN "train " SOFTMAX "--threads 1 --cluster c.yaml --key cluster.key --heartbeat 200ms "

typedef struct {
    process server, worker[2], second; /* second: ps:1, where there is one */
} job;

/* words: the job's; every task gets them. */
static job start_job(const char *folder, int servers, const char *words)
{
    char *path = test_path(folder, "c.yaml"), text[256];
    snprintf(text, sizeof text, "ps: [\"10.77.0.1:4000\"%s]\nworker: [a, b]\n", servers > 1 ? ", \"10.77.0.4:4000\"" : "");
    test_write(path, text, strlen(text));
    free(path);
    job started = {0};
    snprintf(text, sizeof text, "%s --json --eval-every 100 --out run --task ps:0", words);
    started.server = virtual_host_start(folder, 1, "p0", TRAIN "%s", text);
    for (int i = 0; i < 2; i++) {
        char name[] = {'w', (char)('0' + i), 0};
        snprintf(text, sizeof text, "%s --task worker:%d", words, i);
        started.worker[i] = virtual_host_start(folder, 2 + i, name, TRAIN "%s", text);
    }
    snprintf(text, sizeof text, "%s --task ps:1", words);
    if (servers > 1)
        started.second = virtual_host_start(folder, 4, "p1", TRAIN "%s", text);
    process_await_step(&started.server, STRIKE);
    await_member(folder, "worker:1");
    return started;
}

/* Cut a host's link. The workers stand still meanwhile, so that no job is over before. */
static void cut(const job *running, int host)
{
    for (int i = 0; i < 2; i++)
        kill(running->worker[i].pid, SIGSTOP);
    virtual_host_cut(host);
    for (int i = 0; i < 2; i++)
        kill(running->worker[i].pid, SIGCONT);
}

static void end_well(process *task)
{
    if (task->pid)
        json_decref(process_end(task, 0));
}

/* The job has gone on; all of its tasks end by themselves, with all of its steps. */
static json_t *end_job(job *started, int steps)
{
    json_t *summary = process_end(&started->server, 0);
    end_well(&started->worker[0]);
    end_well(&started->worker[1]);
    end_well(&started->second);
    assert_int_equal(integer_of(summary, "steps"), steps);
    assert_true(number_of(summary, "test_accuracy") > ACCURATE);
    return summary;
}

static json_t *undisturbed(const char *folder, const char *words)
{
    process calm = process_start(folder, "calm", "train " SOFTMAX "--threads 1 --workers 2 --json --out calm %s", words);
    return process_end(&calm, 0);
}

static void expect_the_same_model(const char *folder, const json_t *disturbed, const char *words)
{
    json_t *calm = undisturbed(folder, words);
    assert_true(model_difference(folder, disturbed, calm) == 0);
    json_decref(calm);
}

/* No message is lost or applied twice: the model is the same, to the bit, as that of a job whose network held. */
static void sync_job_waits_for_a_worker_that_is_cut_off(void **state)
{
    virtual_hosts_need(4);
    job running = start_job(*state, 1, "--sync --steps 2400");
    cut(&running, 3);
    process_await(&running.server, "waits for worker:1, silent for");
    process_await(&running.worker[1], "ps:0 at 10.77.0.1:4000 has been silent for");
    virtual_host_mend(3);
    json_t *summary = end_job(&running, 2400);
    expect_the_same_model(*state, summary, "--sync --steps 2400");
    json_decref(summary);
}

static void async_job_continues_while_a_worker_is_cut_off(void **state)
{
    virtual_hosts_need(4);
    job running = start_job(*state, 1, "--async --steps 9600");
    cut(&running, 3);
    process_await(&running.server, "goes on without worker:1, silent for");
    process_await_step(&running.server, 2000);
    process_await(&running.worker[1], "ps:0 at 10.77.0.1:4000 has been silent for");
    assert_false(process_has_ended(&running.server));
    virtual_host_mend(3);
    process_await(&running.worker[1], "ps:0 is heard again");
    json_decref(end_job(&running, 9600));
}

/* The worker and its server each give the other up, and say so. */
static void a_worker_that_stays_cut_off_is_given_up(void **state)
{
    virtual_hosts_need(4);
    job running = start_job(*state, 1, "--sync --steps 2400 --timeout 5s");
    cut(&running, 3);
    process_await(&running.worker[1], "ps:0 at 10.77.0.1:4000 has been silent for 5 s (--timeout): is it stopped, or the network cut?");
    json_decref(process_end(&running.worker[1], 1));
    process_await(&running.server, "worker:1 has been silent for 5 s (--timeout): it takes no part any more");
    json_decref(end_job(&running, 2400));
}

static void a_server_that_is_cut_off_is_waited_for(const char *folder, const char *mode, int steps, bool same)
{
    char words[64];
    virtual_hosts_need(4);
    snprintf(words, sizeof words, "%s --steps %d", mode, steps);
    job running = start_job(folder, 2, words);
    cut(&running, 4);
    process_await(&running.server, "ps:1 at 10.77.0.4");
    process_await(&running.worker[0], "ps:1 at 10.77.0.4:4000 has been silent for");
    process_await(&running.second, "ps:0 at 10.77.0.1:4000 has been silent for");
    virtual_host_mend(4);
    json_t *summary = end_job(&running, steps);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    strcat(words, " --servers 2");
    if (same)
        expect_the_same_model(folder, summary, words);
    json_decref(summary);
}

static void sync_job_waits_for_a_server_that_is_cut_off(void **state)
{
    a_server_that_is_cut_off_is_waited_for(*state, "--sync", 2400, true);
}

static void async_job_waits_for_a_server_that_is_cut_off(void **state)
{
    a_server_that_is_cut_off_is_waited_for(*state, "--async", 9600, false);
}

/* There is no supervisor to restart it: all tasks name the server that they miss, and end. */
static void a_server_that_stays_cut_off_ends_the_job(void **state)
{
    virtual_hosts_need(4);
    job running = start_job(*state, 2, "--sync --steps 2400 --timeout 5s");
    cut(&running, 4);
    process_await(&running.server, "has been silent for 5 s (--timeout): is it stopped, or the network cut?");
    process_await(&running.second, "ps:0 at 10.77.0.1:4000 has been silent for 5 s (--timeout)");
    json_decref(process_end(&running.server, 1));
    json_decref(process_end(&running.second, 1));
    for (int i = 0; i < 2; i++) {
        process_await(&running.worker[i], "ps:1 at 10.77.0.4");
        json_decref(process_end(&running.worker[i], 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIRTUAL_HOSTS_TEST(sync_job_waits_for_a_worker_that_is_cut_off),  VIRTUAL_HOSTS_TEST(async_job_continues_while_a_worker_is_cut_off),
        VIRTUAL_HOSTS_TEST(a_worker_that_stays_cut_off_is_given_up),      VIRTUAL_HOSTS_TEST(sync_job_waits_for_a_server_that_is_cut_off),
        VIRTUAL_HOSTS_TEST(async_job_waits_for_a_server_that_is_cut_off), VIRTUAL_HOSTS_TEST(a_server_that_stays_cut_off_ends_the_job),
    };
    return cmocka_run_group_tests(tests, virtual_hosts_name, NULL);
}
