/* slurm_test.c: a cluster out of Slurm's variables, as every rank of it sees it. */
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "train/cluster/slurm.h"

static const tri__slurm usual = {.procid = "0", .ntasks = "4", .nodelist = "n1", .tasks_per_node = "4", .job_id = "4711"};

/* The servers as "host:port host:port". */
static void expect_servers(const tri__slurm *slurm, int servers, int port, const char *wanted)
{
    tri__cluster cluster;
    tri__task task;
    char shown[512] = "";
    assert_ok(tri__cluster_from_slurm(slurm, servers, port, &cluster, &task));
    for (int i = 0; i < cluster.servers; i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s:%d", i ? " " : "", cluster.server[i].host,
                 cluster.server[i].port);
    assert_string_equal(shown, wanted);
    tri__cluster_fini(&cluster);
}

static void lists_of_slurm_nodes_are_expanded(void **state)
{
    (void)state;
    tri__slurm slurm = usual;
    slurm.ntasks = "100", slurm.tasks_per_node = NULL;
    slurm.nodelist = "node[01-03,07]";
    expect_servers(&slurm, 4, 5000, "node01:5000 node02:5000 node03:5000 node07:5000");
    slurm.nodelist = "login,r[1-2]n[9-10],z5";
    expect_servers(&slurm, 6, 5000, "login:5000 r1n9:5000 r1n10:5000 r2n9:5000 r2n10:5000 z5:5000");
}

static void slurm_ranks_fill_nodes_in_blocks_or_in_cycles(void **state)
{
    (void)state;
    tri__slurm slurm = usual;
    slurm.nodelist = "a,b,c", slurm.tasks_per_node = "2(x2),1", slurm.ntasks = "5";
    expect_servers(&slurm, 4, 7000, "a:7000 a:7001 b:7000 b:7001");
    slurm.distribution = "cyclic";
    expect_servers(&slurm, 4, 7000, "a:7000 b:7000 c:7000 a:7001");
    slurm.distribution = "block:cyclic";
    expect_servers(&slurm, 3, 0, "a:17110 a:17111 b:17110"); /* the job's number tells the port */
}

static void the_first_slurm_ranks_are_servers(void **state)
{
    (void)state;
    static const char *const names[] = {"ps:0", "ps:1", "worker:0", "worker:1"};
    for (int rank = 0; rank < 4; rank++) {
        tri__slurm slurm = usual;
        char procid[] = {(char)('0' + rank), 0}, name[TRI_TASK_SIZE];
        slurm.procid = procid;
        tri__cluster cluster;
        tri__task task;
        assert_ok(tri__cluster_from_slurm(&slurm, 2, 0, &cluster, &task));
        assert_string_equal(tri__task_name(task, name), names[rank]);
        assert_true(cluster.workers == 2 && !cluster.evaluator);
        tri__cluster_fini(&cluster);
    }
}

static void refuse(const tri__slurm *slurm, int servers, int port, const char *message)
{
    tri__cluster cluster;
    tri__task task;
    tri_status status = tri__cluster_from_slurm(slurm, servers, port, &cluster, &task);
    assert_non_null(status);
    if (!strstr(tri_status_message(status), message))
        fail_msg("expected '%s', got '%s'", message, tri_status_message(status));
    tri_status_free(status);
    assert_null(cluster.server);
}

static void invalid_slurm_variables_are_refused_with_a_reason(void **state)
{
    (void)state;
    tri__slurm slurm = usual;
    refuse(&slurm, 4, 0, "at least one more must be a worker");
    refuse(&slurm, 3, 65534, "--port 65534: too high");
    slurm.procid = "9";
    refuse(&slurm, 1, 0, "SLURM_PROCID is 9, and SLURM_STEP_NUM_TASKS 4");
    slurm.procid = NULL;
    refuse(&slurm, 1, 0, "SLURM_PROCID is 'not set'");
    slurm = usual, slurm.distribution = "plane=4";
    refuse(&slurm, 1, 0, "block and cyclic");
    slurm = usual, slurm.tasks_per_node = "two";
    refuse(&slurm, 1, 0, "SLURM_STEP_TASKS_PER_NODE");
    slurm = usual, slurm.tasks_per_node = "1";
    refuse(&slurm, 2, 0, "fewer tasks than there are servers");
    static const char *const lists[] = {"",       "a,,b",  "n[1-",     "n[1-3",         "n[3-1]", "n[]",
                                        "n[a-b]", "n[1]]", "n[1-2-3]", "n[1-99999999]", ",a",     "n[[1]]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        slurm = usual, slurm.nodelist = lists[i];
        refuse(&slurm, 1, 0, "SLURM_STEP_NODELIST");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_slurm_nodes_are_expanded),
        cmocka_unit_test(slurm_ranks_fill_nodes_in_blocks_or_in_cycles),
        cmocka_unit_test(the_first_slurm_ranks_are_servers),
        cmocka_unit_test(invalid_slurm_variables_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
