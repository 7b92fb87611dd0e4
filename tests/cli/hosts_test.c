/* hosts_test.c: ranks on virtual hosts: mpirun reaches them by `trireme cluster exec`, and sums travel over their links. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/ranks.h"

static char cluster[32]; /* the name of this test's own */

#define ON(host, ...)                                                                                                                      \
    (const char *[])                                                                                                                       \
    {                                                                                                                                      \
        TEST_BINARY, "cluster", "exec", cluster, host, __VA_ARGS__, NULL                                                                   \
    }
#define STEPS       50
#define LENET       "train", "lenet", "--data", "digits:500", "--batch", "32", "--steps", "50", "--eval-every", "end", "--strategy", "allreduce"
#define WIDE        "train", "wide.model", "--data", "digits:500", "--batch", "8", "--steps", "6", "--eval-every", "end", "--strategy", "allreduce"
#define LENET_BYTES (60074 * 4)

static test_result bring_up(const char *hosts)
{
    return test_run(NULL, (const char *[]){TEST_BINARY, "cluster", "up", cluster, "--rate", "1.8gbit", "--hosts", hosts, NULL});
}

static test_result take_down(void)
{
    return test_run(NULL, (const char *[]){TEST_BINARY, "cluster", "down", cluster, NULL});
}

static int set_up(void **state)
{
    expect(bring_up("3"), 0, "host3", "");
    *state = test_folder_create();
    return 0;
}

static int tear_down(void **state)
{
    test_folder_remove(*state);
    expect(take_down(), 0, "", "");
    return 0;
}

static long bytes_sent_by(const char *host)
{
    test_result result = test_run(NULL, ON(host, "awk", "$1 == \"eth0:\" { print $10 }", "/proc/net/dev"));
    assert_int_equal(result.status, 0);
    long bytes = atol(result.out);
    test_result_fini(&result);
    return bytes;
}

/* Of two ranks, each sends its gradient once a step: neither half of it stays in a memory that they share. */
static void assert_crossed(const long before[2])
{
    long least = (long)STEPS * LENET_BYTES;
    assert_true(bytes_sent_by("host1") - before[0] > least);
    assert_true(bytes_sent_by("host2") - before[1] > least);
}

static void ranks_on_two_hosts_give_the_result_of_ranks_on_one(void **state)
{
    const char *here = *state;
    long before[2] = {bytes_sent_by("host1"), bytes_sent_by("host2")};
    expect(RUN(here, LENET, "--workers", "2", "--out", "one"), 0, "", "");
    expect(test_run(here, ON("host1", "mpirun", "-n", "2", "--host", "10.77.0.1,10.77.0.2", "--mca", "mpi_yield_when_idle", "1",
                             TEST_BINARY, LENET, "--out", "two")),
           0, "2 workers", "ranks are on several hosts");
    assert_crossed(before);
    assert_true(ranks_distance(here, "one", "two") == 0);
}

/* mpirun as trireme starts it is told of hosts as any mpirun is: by its settings. */
static void trireme_starts_ranks_on_the_hosts_of_a_file(void **state)
{
    const char *here = *state;
    char *hosts = test_path(here, "hosts"), setting[300];
    static const char list[] = "10.77.0.1 slots=1\n10.77.0.2 slots=1\n";
    test_write(hosts, list, sizeof list - 1);
    snprintf(setting, sizeof setting, "OMPI_MCA_orte_default_hostfile=%s", hosts);
    long before[2] = {bytes_sent_by("host1"), bytes_sent_by("host2")};
    expect(test_run(here, ON("host1", "env", setting, TEST_BINARY, LENET, "--workers", "2", "--out", "two")), 0, "2 workers",
           "ranks are on several hosts");
    assert_crossed(before);
    free(hosts);
}

/* mpirun runs on the first host, and has its hosts from the name of the virtual cluster alone. */
static void ranks_are_placed_on_the_hosts_of_a_virtual_cluster(void **state)
{
    const char *here = *state;
    long before[2] = {bytes_sent_by("host1"), bytes_sent_by("host2")};
    expect(RUN(here, LENET, "--workers", "2", "--out", "one"), 0, "", "");
    expect(RUN(here, LENET, "--workers", "2", "--on", cluster, "--out", "two"), 0, "2 workers", "ranks are on several hosts");
    assert_crossed(before);
    assert_true(ranks_distance(here, "one", "two") == 0);
    expect(test_run(here, (const char *[]){"cat", "two/samples/worker-1.csv", NULL}), 0, "host2", "");
}

/* A cluster file says which of the hosts. */
static void ranks_are_placed_as_a_cluster_file_says(void **state)
{
    const char *here = *state;
    char *path = test_path(here, "c.yaml");
    static const char list[] = "worker: [host3, host2]\n", wrong[] = "ps: [\"host1:4000\"]\nworker: [host3, host2]\n",
                      absent[] = "worker: [host9]\n";
    long before = bytes_sent_by("host3");
    test_write(path, list, sizeof list - 1);
    expect(RUN(here, LENET, "--on", cluster, "--cluster", "c.yaml", "--out", "run"), 0, "2 workers", "ranks are on several hosts");
    assert_true(bytes_sent_by("host3") - before > (long)STEPS * LENET_BYTES);
    test_write(path, wrong, sizeof wrong - 1);
    expect(RUN(here, LENET, "--on", cluster, "--cluster", "c.yaml"), 1, "", "ranks have neither servers nor an evaluator");
    test_write(path, absent, sizeof absent - 1);
    expect(RUN(here, LENET, "--on", cluster, "--cluster", "c.yaml"), 2, "", "host9 is no host of the virtual cluster");
    free(path);
}

static void write_wide_model(const char *here)
{
    static const char model[] = "input(scale=1/255)\nflatten()\ndense(4501)\nrelu()\ndense(classes)\nsoftmax_loss()\n";
    char *path = test_path(here, "wide.model");
    test_write(path, model, sizeof model - 1);
    free(path);
}

/* 3,578,305 parameters are more than go around at once. The sums are added in another order than on one host, but always in the same
 * one. */
static void large_sums_over_three_hosts_give_the_same_result_each_time(void **state)
{
    const char *here = *state;
    write_wide_model(here);
    expect(RUN(here, WIDE, "--workers", "3", "--out", "here"), 0, "3 workers", "");
    for (int i = 0; i < 2; i++)
        expect(test_run(here, ON("host1", "mpirun", "-n", "3", "--host", "10.77.0.1,10.77.0.2,10.77.0.3", TEST_BINARY, WIDE, "--out",
                                 i ? "again" : "there")),
               0, "3 workers", "ranks are on several hosts");
    assert_true(ranks_distance(here, "here", "there") < 1e-6);
    assert_true(ranks_distance(here, "there", "again") == 0);
}

/* Sums go around a ring of ranks: each sends to the next one, and receives from the one before. On one host MPI adds them up in memory
 * that ranks share, and has no peers. */
static void bytes_of_large_sums_are_counted_by_peer(void **state)
{
    const char *here = *state;
    write_wide_model(here);
    expect(RUN(here, WIDE, "--workers", "3", "--on", cluster, "--out", "three"), 0, "3 workers", "ranks are on several hosts");
    assert_int_equal(ranks_pairs(here, "three"), 6);
    expect(test_run(here, (const char *[]){"cut", "-d,", "-f2", "three/peers/worker-1.csv", NULL}), 0, "worker:2", "");
    expect(RUN(here, "watch", "three"), 0, "\nmost bytes: worker:", "");
    expect(RUN(here, WIDE, "--workers", "3", "--out", "one"), 0, "3 workers", "");
    assert_int_equal(ranks_pairs(here, "one"), 0);
}

/* All that runs there is killed, and nothing can be started there again. */
static void lose_second_host(void)
{
    static const char gone[] = "ip netns pids trireme:$0:host2 | xargs -r kill -KILL; ip netns delete trireme:$0:host2";
    expect(test_run(NULL, (const char *[]){"sh", "-c", gone, cluster, NULL}), 0, "", "");
}

enum { EXAMPLES = 20000 };

/* Train without end on the hosts of a file. */
static pid_t start_endless(const char *here, const char *hosts)
{
    char setting[300], data[32];
    snprintf(setting, sizeof setting, "OMPI_MCA_orte_default_hostfile=%s", hosts);
    snprintf(data, sizeof data, "digits:%d", EXAMPLES);
    return ranks_start(here, ON("host1", "/usr/bin/env", setting, TEST_BINARY, "train", "lenet", "--data", data, "--batch", "50",
                                "--epochs", "1000000", "--eval-every", "end", "--strategy", "allreduce", "--workers", "2", "--restarts",
                                "5", "--min-workers", "1", "--checkpoint-every", "7steps", "--timeout", "20s", "--out", "run"));
}

/* One process takes it from there to the end of the epoch: no example was skipped, none seen twice, however many steps they were. */
static void end_epoch(const char *here)
{
    tri__checkpoint *reached = ranks_newest(here, "run");
    int epochs = (int)(reached->state.position / EXAMPLES) + 1;
    tri__checkpoint_close(reached);
    char wanted[16], told[48];
    snprintf(wanted, sizeof wanted, "%d", epochs);
    snprintf(told, sizeof told, "\"examples\":%d,", epochs * EXAMPLES);
    expect(RUN(here, "train", "--resume", "run", "--strategy", "local", "--epochs", wanted, "--json"), 0, told, "");
}

/* The second host is gone for good in the midst of an epoch; the run goes on with one rank, until it is asked to end. */
static void a_run_continues_without_a_host_that_is_gone(void **state)
{
    const char *here = *state;
    char *hosts = test_path(here, "hosts");
    static const char list[] = "10.77.0.1 slots=1\n10.77.0.2 slots=1\n";
    test_write(hosts, list, sizeof list - 1);
    pid_t run = start_endless(here, hosts);
    ranks_await_checkpoint(here, "run", -1);
    lose_second_host();
    ranks_await_said(here, "with 1 rank (");
    ranks_await_checkpoint(here, "run", ranks_await_checkpoint(here, "run", -1));
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 130);
    end_epoch(here);
    free(hosts);
}

/* Of three hosts the one in the middle is gone: the others keep their ranks. */
static void only_the_host_that_is_gone_is_left_out(void **state)
{
    const char *here = *state;
    char *hosts = test_path(here, "hosts"), *left = test_path(here, "run/hosts"), setting[300];
    static const char list[] = "10.77.0.1 slots=1\n10.77.0.2 slots=1\n10.77.0.3 slots=1\n";
    test_write(hosts, list, sizeof list - 1);
    snprintf(setting, sizeof setting, "OMPI_MCA_orte_default_hostfile=%s", hosts);
    lose_second_host();
    long before = bytes_sent_by("host3");
    expect(test_run(here, ON("host1", "/usr/bin/env", setting, TEST_BINARY, LENET, "--workers", "3", "--restarts", "1", "--min-workers",
                             "1", "--out", "run")),
           0, "2 workers", "no rank can be started on 10.77.0.2");
    assert_true(bytes_sent_by("host3") - before > (long)STEPS * LENET_BYTES);
    char *kept = test_read(left, NULL);
    assert_string_equal(kept, "10.77.0.1 slots=1\n10.77.0.3 slots=1\n");
    free(kept);
    free(left);
    free(hosts);
}

static test_result cut_second_host(void)
{
    return test_run(NULL, (const char *[]){TEST_BINARY, "cluster", "cut", cluster, "host2", NULL});
}

/* mpirun itself would wait for that host for ever. */
static void a_host_that_does_not_answer_ends_the_start_of_ranks(void **state)
{
    const char *here = *state;
    expect(cut_second_host(), 0, "", "");
    expect(RUN(here, LENET, "--workers", "2", "--on", cluster, "--timeout", "3s", "--out", "run"), 1, "",
           "mpirun has started no rank in 10 s (--timeout)");
}

static void a_run_begins_without_a_host_that_does_not_answer(void **state)
{
    const char *here = *state;
    expect(cut_second_host(), 0, "", "");
    expect(RUN(here, LENET, "--workers", "2", "--on", cluster, "--timeout", "10s", "--restarts", "1", "--min-workers", "1", "--out", "run"),
           0, "hosts        host1", "no rank can be started on 10.77.0.2");
}

/* Also gives this test's network a name of its own. */
static bool has_namespaces(void)
{
    snprintf(cluster, sizeof cluster, "hosts-%d", (int)getpid());
    test_result up = bring_up("1");
    bool made = up.status == 0;
    if (made)
        expect(take_down(), 0, "", "");
    else
        print_message("no virtual hosts can be made here, nothing is tested: %s", up.err);
    test_result_fini(&up);
    return made;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (!ranks_can_run() || !has_namespaces())
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(ranks_on_two_hosts_give_the_result_of_ranks_on_one),
        TEST(large_sums_over_three_hosts_give_the_same_result_each_time),
        TEST(bytes_of_large_sums_are_counted_by_peer),
        TEST(trireme_starts_ranks_on_the_hosts_of_a_file),
        TEST(ranks_are_placed_on_the_hosts_of_a_virtual_cluster),
        TEST(ranks_are_placed_as_a_cluster_file_says),
        TEST(a_run_continues_without_a_host_that_is_gone),
        TEST(only_the_host_that_is_gone_is_left_out),
        TEST(a_host_that_does_not_answer_ends_the_start_of_ranks),
        TEST(a_run_begins_without_a_host_that_does_not_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
