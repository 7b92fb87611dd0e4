/* membership_test.c: the binary finds out who it is, by options and by surroundings, and says clearly what does not go together. */
#include <stdlib.h>

#include "cli/binary.h"

#define FILES                                                                                                                              \
    "printf 'ps: [\"127.0.0.1:4001\"]\\nworker: [a, b]\\n' >c.yaml; printf 'ps: [\"192.0.2.1:4001\"]\\nworker: [a, b]\\n' >far.yaml\n"
#define TRAIN FILES "\"$0\" train softmax --data digits:300 --strategy ps "
#define EXPECT(status, words, message)                                                                                                     \
    expect(test_run(*state, (const char *[]){"sh", "-c", TRAIN words, TEST_BINARY, NULL}), status, "", message)
#define EXPECT_IN(surroundings, status, words, message)                                                                                    \
    expect(test_run(*state, (const char *[]){"sh", "-c", "export " surroundings "\n" TRAIN words, TEST_BINARY, NULL}), status, "", message)

#define TF_CONFIG(task) "TF_CONFIG='{\"cluster\": {\"ps\": [\"192.0.2.1:1\"], \"worker\": [\"w:1\"]}, \"task\": " task "}'"
#define SLURM           "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=3 SLURM_STEP_NODELIST=n[1-3] SLURM_STEP_TASKS_PER_NODE=1'(x3)' SLURM_JOB_ID=7"

static void a_task_needs_a_cluster_that_has_it(void **state)
{
    EXPECT(2, "--cluster c.yaml --workers 3", "--workers: the cluster is described by --cluster");
    EXPECT(2, "--cluster c.yaml --task worker:0 --on study", "--on starts all processes of a run");
    EXPECT(2, "--cluster c.yaml --task worker:0 --ssh rsh", "--ssh reaches the hosts that --cluster FILE lists");
    EXPECT(2, "--task worker:0", "--task needs --cluster FILE");
    EXPECT(2, "--cluster c.yaml --task worker:2", "the last is worker:1");
    EXPECT(2, "--cluster c.yaml --task boss:0", "expected a role and a number");
    EXPECT(2, "--cluster c.yaml --task worker:0 --workers 2", "--workers: the cluster is described by --cluster");
    EXPECT(2, "--cluster c.yaml --task worker:0 --sync --backup 2", "with 2 workers at most 1");
    EXPECT(2, "--cluster c.yaml --task worker:0 --global-batch 31", "over 2 workers");
    EXPECT(1, "--cluster none.yaml --task worker:0", "none.yaml");
    EXPECT(2, "--join 127.0.0.1:1 --task worker:0", "leave out --cluster and --task");
    EXPECT(2, "--join nowhere", "--join nowhere");
    EXPECT(2, "--port 3000", "--port is for tasks that Slurm starts");
}

static void a_cluster_beyond_loopback_needs_an_identity(void **state)
{
    EXPECT(2, "--cluster far.yaml --task worker:0", "trireme keygen FILE");
    EXPECT(2, "--cluster far.yaml --task worker:0 --key a --insecure", "contradict");
    EXPECT(2, "--join 192.0.2.1:4001", "trireme keygen FILE");
}

static void tf_config_and_slurm_describe_clusters(void **state)
{
    EXPECT_IN(TF_CONFIG("{\"type\": \"worker\", \"index\": 0}"), 2, "", "trireme keygen FILE");
    EXPECT_IN(TF_CONFIG("{\"type\": \"worker\", \"index\": 4}"), 1, "", "TF_CONFIG: this is worker 4");
    EXPECT_IN(TF_CONFIG("{\"type\": \"worker\", \"index\": 0}"), 2, "--workers 3", "described by TF_CONFIG");
    EXPECT_IN(SLURM, 2, "--servers 3", "at least one more must be a worker");
    EXPECT_IN(SLURM, 2, "--servers 2 --port 3000", "trireme keygen FILE");
}

static void cluster_options_are_refused_for_a_local_run(void **state)
{
    static const char *const options[] = {"--cluster=c.yaml", "--task=worker:0", "--join=a:1", "--port=3", "--key=k", "--insecure"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        expect(test_run(*state, (const char *[]){TEST_BINARY, "train", "softmax", "--data", "digits:300", options[i], NULL}), 2, "",
               "belongs to --strategy ps");
    test_result listing = test_run(*state, (const char *[]){"sh", "-c", "ls -d run* 2>/dev/null", NULL});
    assert_string_equal(listing.out, ""); /* no mistake left a run folder behind */
    test_result_fini(&listing);
}

#define WORKERS(list) "export TF_CONFIG='{\"cluster\": {\"worker\": [" list "]}, \"task\": {\"type\": \"worker\", \"index\": 0}}'\n"
#define ALONE         "\"$0\" train softmax --data digits:300 --steps 1 --quiet --out \"$1\" --strategy \"$1\""

static void a_process_that_tf_config_lists_among_others_does_not_train_alone(void **state)
{
    static const char *const strategies[] = {"local", "mirrored", "allreduce"};
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        expect(test_run(*state, (const char *[]){"sh", "-c", WORKERS("\"a:1\", \"b:1\"") ALONE, TEST_BINARY, strategies[i], NULL}), 2, "",
               "TF_CONFIG lists 2 tasks");
    expect(test_run(*state, (const char *[]){"sh", "-c", WORKERS("\"a:1\"") ALONE, TEST_BINARY, "local", NULL}), 0, "", "");
}

#define TEST(name) FOLDER_TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_task_needs_a_cluster_that_has_it),
        TEST(a_cluster_beyond_loopback_needs_an_identity),
        TEST(tf_config_and_slurm_describe_clusters),
        TEST(cluster_options_are_refused_for_a_local_run),
        TEST(a_process_that_tf_config_lists_among_others_does_not_train_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
