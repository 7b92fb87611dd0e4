/* cluster_test.c: clusters from a file, from TF_CONFIG and from an address to join; the mistakes in each. */
#include "train/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static tri_status parse(const char *text, tri__cluster *out)
{
    return tri__cluster_parse("c.yaml", text, strlen(text), out);
}

static void expect_server(const tri__cluster *cluster, int index, const char *host, int port)
{
    assert_true(index < cluster->servers);
    assert_string_equal(cluster->server[index].host, host);
    assert_int_equal(cluster->server[index].port, port);
}

static void expect_task(tri__task task, const char *name)
{
    char buffer[TRI_TASK_SIZE];
    assert_string_equal(tri__task_name(task, buffer), name);
}

static void a_cluster_file_lists_tasks_by_role(void **state)
{
    (void)state;
    tri__cluster cluster;
    assert_ok(parse("ps: [\"10.0.0.1:2222\", \"[fd00::2]:2223\"]\nworker:\n  - big:2222\n  - big\n  - big\nevaluator: [last]\n", &cluster));
    assert_true(cluster.servers == 2 && cluster.workers == 3 && cluster.evaluator);
    expect_server(&cluster, 0, "10.0.0.1", 2222);
    expect_server(&cluster, 1, "fd00::2", 2223);
    assert_false(tri__cluster_is_loopback(&cluster));
    assert_ok(tri__cluster_check(&cluster, (tri__task){TRI_ROLE_WORKER, 2}));
    assert_fails(tri__cluster_check(&cluster, (tri__task){TRI_ROLE_WORKER, 3}), TRI_BAD_CALL, "the last is worker:2 (--join");
    assert_fails(tri__cluster_check(&cluster, (tri__task){TRI_ROLE_SERVER, 2}), TRI_BAD_CALL, "the last is ps:1");
    assert_fails(tri__cluster_check(&cluster, (tri__task){TRI_ROLE_EVALUATOR, 1}), TRI_BAD_CALL, "evaluator");
    tri__cluster_fini(&cluster);
}

static void a_cluster_file_that_was_written_can_be_read(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "cluster.yaml");
    tri__cluster cluster, again;
    assert_ok(parse("ps: [\"127.0.0.1:4001\", \"[::1]:4002\"]\nworker: [a, b]\nevaluator: [c]\n", &cluster));
    assert_true(tri__cluster_is_loopback(&cluster));
    assert_ok(tri__cluster_write(path, &cluster));
    assert_ok(tri__cluster_read(path, &again));
    expect_server(&again, 0, "127.0.0.1", 4001);
    expect_server(&again, 1, "::1", 4002);
    assert_true(again.workers == 2 && again.evaluator);
    tri__cluster_fini(&cluster);
    tri__cluster_fini(&again);
    free(path);
    test_folder_remove(folder);
}

static void mistakes_in_a_cluster_file_are_refused_with_a_reason(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"worker: [a]", "no server"},
        {"ps: [\"a:1\"]", "no worker"},
        {"ps: []\nworker: [a]", "no server"},
        {"ps: [\"a:1\"]\nworkers: [b]", "there is no role 'workers' (did you mean 'worker'?)"},
        {"ps: [\"a:1\"]\nchief: [b]", "no worker is special"},
        {"ps: \"a:1\"\nworker: [b]", "'ps' must be a list"},
        {"ps: [[a]]\nworker: [b]", "entry 0 of 'ps'"},
        {"ps: [\"a:1\", \"a:1\"]\nworker: [b]", "a:1 is the address of ps:1"},
        {"ps: [\"a:1\"]\nworker: [\"a:1\"]", "each task needs its own port"},
        {"ps: [a]\nworker: [b]", "ps:0"},
        {"ps: [\"a:99999\"]\nworker: [b]", "ps:0"},
        {"ps: [\"a:0\"]\nworker: [b]", "ps:0"},
        {"ps: [\"a:1\"]\nworker: [\"b:x\"]", "worker:0"},
        {"ps: [\"a:1\"]\nworker: [\"\"]", "worker:0: the address is empty"},
        {"ps: [\"a:1\"]\nworker: [b]\nevaluator: [c, d]", "one at most"},
        {"[a, b]", "lists of addresses by role"},
        {"ps: [\"a:1\"\nworker: [b]", "c.yaml: line 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__cluster cluster;
        tri_status status = parse(cases[i].text, &cluster);
        assert_non_null(status);
        if (!strstr(tri_status_message(status), cases[i].message))
            fail_msg("'%s': %s", cases[i].text, tri_status_message(status));
        tri_status_free(status);
        assert_null(cluster.server);
    }
    assert_fails(tri__cluster_read("/nowhere/c.yaml", &(tri__cluster){0}), TRI_NOT_FOUND, "--cluster");
}

static void tasks_are_named_by_role_and_number(void **state)
{
    (void)state;
    tri__task task;
    assert_ok(tri__task_parse("worker:12", &task));
    expect_task(task, "worker:12");
    assert_ok(tri__task_parse("chief:0", &task));
    expect_task(task, "worker:0");
    assert_ok(tri__task_parse("ps:0", &task));
    expect_task(task, "ps:0");
    assert_ok(tri__task_parse("evaluator:0", &task));
    expect_task(task, "evaluator:0");
    static const char *const wrong[] = {"",          "worker",    "worker:",      "worker1", "worker:-1",
                                        "worker:+1", "worker:1x", "worker:99999", "boss:0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri__task_parse(wrong[i], &task), TRI_BAD_CALL, "ps:0, worker:1, evaluator:0");
    assert_fails(tri__task_parse("master:1", &task), TRI_BAD_CALL, "one master");
}

#define CLUSTER "\"cluster\": {\"chief\": [\"c:1\"], \"worker\": [\"w:1\", \"w:2\"], \"ps\": [\"p:1\"]}"

static void tf_config_is_read_as_kubernetes_operators_set_it(void **state)
{
    (void)state;
    const struct {
        const char *task, *name;
        bool evaluator;
    } cases[] = {
        {"\"chief\", \"index\": 0", "worker:0", false},       {"\"worker\", \"index\": 0", "worker:1", false},
        {"\"worker\", \"index\": 1", "worker:2", false},      {"\"ps\", \"index\": 0", "ps:0", false},
        {"\"evaluator\", \"index\": 0", "evaluator:0", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "{" CLUSTER ", \"task\": {\"type\": %s}, \"environment\": \"cloud\"}", cases[i].task);
        tri__cluster cluster;
        tri__task task;
        assert_ok(tri__cluster_from_tf_config(text, &cluster, &task));
        assert_true(cluster.servers == 1 && cluster.workers == 3);
        assert_true(cluster.evaluator == cases[i].evaluator);
        expect_task(task, cases[i].name);
        tri__cluster_fini(&cluster);
    }
}

static void mistakes_in_tf_config_are_refused_with_a_reason(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "not JSON"},
        {"{}", "no 'cluster'"},
        {"{" CLUSTER "}", "'task' must say"},
        {"{" CLUSTER ", \"task\": {\"type\": \"worker\", \"index\": 2}}", "worker 2, and its 'cluster' has 2"},
        {"{" CLUSTER ", \"task\": {\"type\": \"worker\", \"index\": -1}}", "worker -1"},
        {"{" CLUSTER ", \"task\": {\"type\": \"boss\", \"index\": 0}}", "no task type 'boss'"},
        {"{\"cluster\": {\"worker\": [\"w:1\"]}, \"task\": {\"type\": \"worker\", \"index\": 0}}", "no server"},
        {"{\"cluster\": {\"ps\": [\"p:1\"], \"chief\": [\"a:1\", \"b:1\"]}, \"task\": {\"type\": \"ps\", \"index\": 0}}", "one chief"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__cluster cluster;
        tri__task task;
        assert_fails(tri__cluster_from_tf_config(cases[i].text, &cluster, &task), TRI_BAD_DATA, cases[i].message);
        assert_null(cluster.server);
    }
}

static void joining_needs_only_the_address_of_ps_0(void **state)
{
    (void)state;
    tri__cluster cluster;
    tri__task task;
    assert_ok(tri__cluster_from_join("localhost:4001", &cluster, &task));
    expect_server(&cluster, 0, "localhost", 4001);
    assert_true(task.role == TRI_ROLE_WORKER && task.index == -1 && cluster.workers == 0);
    assert_ok(tri__cluster_check(&cluster, task));
    tri__cluster_fini(&cluster);
    assert_fails(tri__cluster_from_join("localhost", &cluster, &task), TRI_BAD_CALL, "--join localhost");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_file_lists_tasks_by_role),
        cmocka_unit_test(a_cluster_file_that_was_written_can_be_read),
        cmocka_unit_test(mistakes_in_a_cluster_file_are_refused_with_a_reason),
        cmocka_unit_test(tasks_are_named_by_role_and_number),
        cmocka_unit_test(tf_config_is_read_as_kubernetes_operators_set_it),
        cmocka_unit_test(mistakes_in_tf_config_are_refused_with_a_reason),
        cmocka_unit_test(joining_needs_only_the_address_of_ps_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
