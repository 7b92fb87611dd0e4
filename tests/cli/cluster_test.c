/* cluster_test.c: jobs of real processes by the binary: supervised, and task by task as a cluster file,
 * TF_CONFIG or Slurm describes them. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/json.h"
#include "cli/binary.h"
#include "net/address/address.h"

/* Run script, in which `train` is the binary with $model and its data, and $port a port that was free a moment ago, for descriptions that
 * must name one. */
static test_result run(const char *folder, const char *script)
{
    static const char prologue[] =
        "port=$1 model='softmax --data digits:300'\ntrain() { \"$0\" train $model --strategy ps --quiet --timeout 30s \"$@\"; }\n";
    tri__address any = {.host = (char[]){"127.0.0.1"}};
    char whole[2048], text[8];
    uint16_t port = 0;
    int fd = -1;
    assert_ok(tri__address_listen(&any, &fd, &port));
    close(fd);
    snprintf(whole, sizeof whole, "%s%s", prologue, script);
    snprintf(text, sizeof text, "%d", port);
    return test_run(folder, (const char *[]){"sh", "-ec", whole, TEST_BINARY, text, NULL});
}

static void a_supervised_job_leaves_one_run_folder(void **state)
{
    test_result result = run(*state, "train --workers 2 --servers 2 --sync --steps 30 --out run --json");
    assert_int_equal(result.status, 0);
    json_t *summary = NULL;
    assert_ok(tri__json_parse("summary", result.out, strlen(result.out), &summary));
    assert_int_equal(json_integer_value(json_object_get(summary, "steps")), 30);
    assert_int_equal(json_integer_value(json_object_get(summary, "workers")), 2);
    assert_int_equal(json_integer_value(json_object_get(summary, "servers")), 2);
    assert_string_equal(json_string_value(json_object_get(summary, "mode")), "sync");
    json_decref(summary);
    test_result_fini(&result);
    expect(run(*state, "ls run run/log; cat run/command"), 0, "supervisor.txt", "");
    expect(run(*state, "cat run/log/worker-0.txt"), 0, "worker:0 ends after 30 steps", "");
    expect(run(*state, "cat run/log/evaluator-0.txt"), 0, "step 30: test loss", "");
    expect(run(*state, "\"$0\" train --resume run --strategy local --steps 40 --quiet"), 0, "40 steps", ""); /* a checkpoint is whole */
}

static void tasks_of_a_cluster_file_may_start_in_any_order(void **state)
{
    expect(run(*state, "printf 'ps: [\"127.0.0.1:%s\"]\\nworker: [a, b]\\n' $port >c.yaml\n"
                       "train --cluster c.yaml --task worker:1 --steps 50 & one=$!\n"
                       "train --cluster c.yaml --task worker:0 --steps 50 & two=$!\n"
                       "train --cluster c.yaml --task ps:0 --steps 50 --out run\n"
                       "wait $one; wait $two; echo all ended well"),
           0, "all ended well", "");
}

static void tasks_described_by_tf_config_train_with_a_key(void **state)
{
    expect(run(*state, "\"$0\" keygen key.pem >keygen.txt\n"
                       "task() { TF_CONFIG=\"{\\\"cluster\\\": {\\\"chief\\\": [\\\"c:1\\\"], \\\"worker\\\": [\\\"w:1\\\"],"
                       " \\\"ps\\\": [\\\"127.0.0.1:$port\\\"]}, \\\"task\\\": {\\\"type\\\": \\\"$1\\\", \\\"index\\\": 0}}\""
                       " train --key key.pem --steps 50 --out run; }\n"
                       "task worker & one=$!; task chief & two=$!; task ps; wait $one; wait $two; echo all ended well"),
           0, "all ended well", "");
}

static void tasks_described_by_slurm_train_together(void **state)
{
    expect(run(*state, "export SLURM_STEP_NUM_TASKS=3 SLURM_STEP_NODELIST=localhost SLURM_STEP_TASKS_PER_NODE=3 SLURM_JOB_ID=1\n"
                       "rank() { SLURM_PROCID=$1 train --servers 1 --port $port --steps 50 --out run; }\n"
                       "rank 2 & one=$!; rank 1 & two=$!; rank 0; wait $one; wait $two; echo all ended well"),
           0, "all ended well", "");
}

#define TABLES "model='fm --data clicks:5000:600'\n"

static void tasks_with_tables_described_by_tf_config_train_with_a_key(void **state)
{
    expect(run(*state, TABLES "\"$0\" keygen key.pem >keygen.txt\n"
                              "task() { TF_CONFIG=\"{\\\"cluster\\\": {\\\"worker\\\": [\\\"w:1\\\", \\\"w:2\\\"],"
                              " \\\"ps\\\": [\\\"127.0.0.1:$port\\\"]}, \\\"task\\\": {\\\"type\\\": \\\"$1\\\", \\\"index\\\": $2}}\""
                              " train --key key.pem --sync --steps 50 --out run; }\n"
                              "task worker 0 & one=$!; task worker 1 & two=$!; task ps 0; wait $one; wait $two; echo all ended well"),
           0, "all ended well", "");
    expect(run(*state, "\"$0\" eval run"), 0, "calibration", "");
}

static void tasks_with_tables_described_by_slurm_train_together(void **state)
{
    expect(run(*state, TABLES
               "export SLURM_STEP_NUM_TASKS=4 SLURM_STEP_NODELIST=localhost SLURM_STEP_TASKS_PER_NODE=4 SLURM_JOB_ID=1\n"
               "rank() { SLURM_PROCID=$1 train --servers 1 --port $port --staleness 1 --steps 50 --out run; }\n"
               "rank 3 & three=$!; rank 2 & one=$!; rank 1 & two=$!; rank 0; wait $one; wait $two; wait $three; echo all ended well"),
           0, "all ended well", "");
}

#define TEST(name) FOLDER_TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_supervised_job_leaves_one_run_folder),
        TEST(tasks_of_a_cluster_file_may_start_in_any_order),
        TEST(tasks_described_by_tf_config_train_with_a_key),
        TEST(tasks_described_by_slurm_train_together),
        TEST(tasks_with_tables_described_by_tf_config_train_with_a_key),
        TEST(tasks_with_tables_described_by_slurm_train_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
