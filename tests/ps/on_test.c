/* on_test.c: jobs whose tasks are on the hosts of a virtual cluster, all started and watched from one place (train --on). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ps/model.h"
#include "ps/virtual_hosts.h"

#define JOB "train " SOFTMAX "--threads 1 --json --eval-every 100 --checkpoint-every 50steps "

static process start_on(const char *folder, const char *words)
{
    return process_start(folder, "job", JOB "--out run --on %s %s", virtual_hosts_cluster(), words);
}

static bool is_there(const char *folder, const char *name)
{
    char *path = test_path(folder, name);
    bool there = !access(path, F_OK);
    free(path);
    return there;
}

static void expect_in_file(const char *folder, const char *name, const char *text)
{
    char *path = test_path(folder, name);
    if (!file_says(path, text))
        fail_msg("%s does not say: %s", name, text);
    free(path);
}

/* The same bits as on one machine. Each task's samples say on which host it was. */
static void a_job_on_virtual_hosts_leaves_one_run_folder(void **state)
{
    virtual_hosts_need(3);
    process job = start_on(*state, "--workers 3 --servers 2 --sync --steps 1000 --sample-every 100ms"), /* much longer than a sample */
        calm = process_start(*state, "calm", JOB "--out calm --workers 3 --servers 2 --sync --steps 1000");
    json_t *summary = process_end(&job, 0), *here = process_end(&calm, 0);
    assert_true(model_difference(*state, summary, here) == 0);
    expect_books(summary, NULL);
    assert_int_equal(json_array_size(json_object_get(summary, "hosts")), 4); /* and the machine on which the supervisor is */
    static const char *const samples[][2] = {{"run/samples/ps-0.csv", "\"host1\""},     {"run/samples/ps-1.csv", "\"host2\""},
                                             {"run/samples/worker-0.csv", "\"host1\""}, {"run/samples/worker-2.csv", "\"host3\""},
                                             {"run/log/worker-2.txt", "worker:2 ends"}, {"run/log/supervisor.txt", "ps:0: "}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        expect_in_file(*state, samples[i][0], samples[i][1]);
    assert_false(is_there(*state, "run/cluster.key")); /* made for this job alone */
    json_decref(summary);
    json_decref(here);
}

/* ps:0 has a host of its own, and a port that the file says. */
static void a_cluster_file_places_tasks_on_virtual_hosts(void **state)
{
    static const char cluster[] = "ps: [\"host3:4000\"]\nworker: [host1, host2]\nevaluator: [host2]\n";
    char *path = test_path(*state, "c.yaml");
    test_write(path, cluster, sizeof cluster - 1);
    free(path);
    virtual_hosts_need(3);
    process job = start_on(*state, "--cluster c.yaml --async --steps 300");
    json_decref(process_end(&job, 0));
    expect_in_file(*state, "run/cluster.yaml", "\"host3:4000\"");
    expect_in_file(*state, "run/samples/ps-0.csv", "\"host3\"");
    expect_in_file(*state, "run/samples/evaluator-0.csv", "\"host2\"");
}

static void a_server_on_a_virtual_host_is_started_again(void **state)
{
    virtual_hosts_need(2);
    process job = start_on(*state, "--workers 2 --servers 2 --async --steps 2400");
    process_await_step(&job, STRIKE);
    pid_t before = process_task(&job, "ps:1", 0);
    kill(before, SIGKILL);
    process_task(&job, "ps:1", before);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 2400);
    expect_in_file(*state, "run/log/supervisor.txt", "ps:1 was killed by signal 9");
    json_decref(summary);
}

static void a_job_goes_on_without_a_worker_of_a_virtual_host(void **state)
{
    virtual_hosts_need(3);
    process job = start_on(*state, "--workers 3 --staleness 2 " ENDLESS);
    process_await_step(&job, STRIKE);
    kill(process_task(&job, "worker:2", 0), SIGKILL);
    process_await(&job, "worker:2 was killed by signal 9 (Killed); the others go on");
    json_decref(process_finish(&job));
}

/* With an identity of the user's own; and --insecure, which says so. */
static void the_users_own_key_is_taken(void **state)
{
    virtual_hosts_need(2);
    process job = start_on(*state, "--workers 2 --sync --steps 100 --key cluster.key");
    json_decref(process_end(&job, 0));
    assert_false(is_there(*state, "run/cluster.key"));
    process open =
        process_start(*state, "open", JOB "--out open --on %s --workers 2 --sync --steps 100 --insecure", virtual_hosts_cluster());
    process_await(&open, "--insecure: traffic goes in clear");
    json_decref(process_end(&open, 0));
}

static void replicas_train_on_the_first_host(void **state)
{
    virtual_hosts_need(2);
    process job =
        process_start(*state, "job", "train softmax --data digits:500 --steps 50 --strategy mirrored --workers 2 --out run --on %s",
                      virtual_hosts_cluster());
    json_decref(process_end(&job, 0));
    expect_in_file(*state, "run/samples/worker-0.csv", "\"host1\"");
}

static void tasks_and_replicas_train_on_the_hosts_that_were_chosen(void **state)
{
    virtual_hosts_need(3);
    process job = start_on(*state, "--hosts host3,host2 --workers 2 --sync --steps 100");
    json_decref(process_end(&job, 0));
    expect_in_file(*state, "run/samples/worker-0.csv", "\"host3\"");
    expect_in_file(*state, "run/samples/ps-0.csv", "\"host3\"");
    expect_in_file(*state, "run/samples/worker-1.csv", "\"host2\"");
    process alone = process_start(*state, "alone", "train softmax --data digits:500 --steps 50 --out alone --on %s --hosts host2",
                                  virtual_hosts_cluster());
    json_decref(process_end(&alone, 0));
    expect_in_file(*state, "alone/samples/worker-0.csv", "\"host2\"");
    process nobody = process_start(*state, "nobody", "train softmax --data digits:500 --out nobody --hosts host2");
    process_await(&nobody, "--hosts chooses hosts of a virtual cluster");
    json_decref(process_end(&nobody, 2));
}

static void a_cluster_that_is_not_up_is_refused(void **state)
{
    process job = process_start(*state, "job", "train softmax --data digits:500 --on nobodys --out run");
    process_await(&job, "no virtual cluster is called nobodys");
    json_decref(process_end(&job, 1));
    assert_false(is_there(*state, "run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VIRTUAL_HOSTS_TEST(a_job_on_virtual_hosts_leaves_one_run_folder),
        VIRTUAL_HOSTS_TEST(a_cluster_file_places_tasks_on_virtual_hosts),
        VIRTUAL_HOSTS_TEST(a_server_on_a_virtual_host_is_started_again),
        VIRTUAL_HOSTS_TEST(a_job_goes_on_without_a_worker_of_a_virtual_host),
        VIRTUAL_HOSTS_TEST(the_users_own_key_is_taken),
        VIRTUAL_HOSTS_TEST(replicas_train_on_the_first_host),
        VIRTUAL_HOSTS_TEST(tasks_and_replicas_train_on_the_hosts_that_were_chosen),
        VIRTUAL_HOSTS_TEST(a_cluster_that_is_not_up_is_refused),
    };
    return cmocka_run_group_tests(tests, virtual_hosts_name, NULL);
}
