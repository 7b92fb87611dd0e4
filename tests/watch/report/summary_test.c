/* summary_test.c: summary.json has the published keys and no others; the table says what matters. */
#include "watch/report/summary.h"

#include <math.h>
#include <string.h>

#include "support.h"

static const tri__worker_summary worker = {
    .task = "worker:0",
    .steps = 9380,
    .examples = 600000,
    .seconds = 6.1,
    .test_accuracy = NAN,
    .cpu_percent = 190,
    .peak_rss_mb = 80,
    .phases = {[TRI_PHASE_COMPUTE] = 0.9, [TRI_PHASE_OTHER] = 0.1},
};

static const tri__summary summary = {
    .model = "lenet",
    .data = "fashion",
    .strategy = "local",
    .workers = 1,
    .batch = 64,
    .rule = "sgd",
    .rate = 0.1,
    .threads = 2,
    .seed = 1,
    .steps = 9380,
    .examples = 600000,
    .epochs = 10,
    .seconds = 6.1,
    .total_seconds = 7.3,
    .examples_per_second = 98360,
    .train_loss = 0.2512,
    .test_loss = 0.3,
    .test_accuracy = 0.8937,
    .stopped_by = "epochs",
    .until_step = -1,
    .peak_rss_mb = 80,
    .phases = {[TRI_PHASE_COMPUTE] = 0.9, [TRI_PHASE_OTHER] = 0.1},
    .verdict = "compute-bound: 90 % of the time in forward and backward; input waits 0 %",
    .worker_stats = &worker,
    .checkpoint = "runs/lenet/checkpoint",
};

/* The object has exactly these keys, in this order; they end in NULL. */
static void assert_keys(json_t *object, const char *const *keys)
{
    const char *key;
    json_t *value;
    size_t i = 0;
    json_object_foreach(object, key, value)
    {
        assert_non_null(keys[i]);
        assert_string_equal(key, keys[i]);
        i++;
    }
    assert_null(keys[i]);
}

static void the_summary_has_exactly_the_published_keys(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "model",         "data",
        "strategy",      "mode",
        "workers",       "servers",
        "batch",         "rule",
        "rate",          "threads",
        "seed",          "steps",
        "examples",      "examples_before",
        "epochs",        "seconds",
        "total_seconds", "examples_per_second",
        "train_loss",    "test_loss",
        "test_accuracy", "stopped_by",
        "until_step",    "peak_rss_mb",
        "bytes_sent",    "bytes_received",
        "dropped_stale", "re_leased",
        "lost_updates",  "damaged",
        "test_damaged",  "phases",
        "verdict",       "worker_stats",
        "checkpoint",    NULL,
    };
    static const char *const worker_keys[] = {"task",        "since_step",  "steps",         "examples",   "seconds",
                                              "began",       "ended",       "test_accuracy", "bytes_sent", "bytes_received",
                                              "cpu_percent", "peak_rss_mb", "phases",        NULL};
    static const char *const phase_keys[] = {"input", "compute", "send", "server", "peers", "update", "other", NULL};
    json_t *json;
    assert_ok(tri__summary_json(&summary, &json));
    assert_keys(json, keys);
    assert_keys(json_object_get(json, "phases"), phase_keys);
    json_t *workers = json_object_get(json, "worker_stats");
    assert_int_equal(json_array_size(workers), 1);
    assert_keys(json_array_get(workers, 0), worker_keys);
    assert_keys(json_object_get(json_array_get(workers, 0), "phases"), phase_keys);
    json_decref(json);
}

static void values_of_the_summary_have_their_types(void **state)
{
    (void)state;
    json_t *json;
    assert_ok(tri__summary_json(&summary, &json));
    assert_string_equal(json_string_value(json_object_get(json, "model")), "lenet");
    assert_true(json_is_null(json_object_get(json, "mode")));
    assert_true(json_is_null(json_object_get(json, "until_step")));
    assert_int_equal(json_integer_value(json_object_get(json, "steps")), 9380);
    assert_true(json_real_value(json_object_get(json, "test_accuracy")) == 0.8937);
    json_t *first = json_array_get(json_object_get(json, "worker_stats"), 0);
    assert_true(json_is_null(json_object_get(first, "test_accuracy")));
    assert_true(json_real_value(json_object_get(json_object_get(json, "phases"), "compute")) == 0.9);
    json_decref(json);
}

static void a_summary_with_text_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    tri__summary wrong = summary;
    json_t *json;
    wrong.data = "\xff";
    assert_fails(tri__summary_json(&wrong, &json), TRI_BAD_CALL, "'data'");
}

static void the_summary_table_is_for_people(void **state)
{
    (void)state;
    char table[TRI_SUMMARY_SIZE];
    assert_string_equal(tri__summary_table(&summary, table, sizeof table),
                        "model        lenet on fashion\n"
                        "strategy     local, batch 64, 2 threads\n"
                        "trained      9,380 steps, 600,000 examples, 10 epochs (stopped by epochs)\n"
                        "time         6.10 s of training, 7.30 s in all\n"
                        "speed        98,360 examples/s, 1.5k steps/s\n"
                        "training     loss 0.2512\n"
                        "test         loss 0.3000, accuracy 89.37 %\n"
                        "phases       compute 90 %, other 10 %\n"
                        "memory       80.0 MB at most\n"
                        "verdict      compute-bound: 90 % of the time in forward and backward; input waits 0 %\n"
                        "checkpoint   runs/lenet/checkpoint");
}

static void the_summary_table_leaves_out_what_did_not_happen(void **state)
{
    (void)state;
    char table[TRI_SUMMARY_SIZE];
    tri__summary bare = {.strategy = "ps",
                         .mode = "async",
                         .workers = 3,
                         .servers = 2,
                         .epochs = NAN,
                         .train_loss = NAN,
                         .test_loss = NAN,
                         .test_accuracy = NAN,
                         .bytes_sent = 31400,
                         .dropped_stale = 4};
    tri__summary_table(&bare, table, sizeof table);
    assert_null(strstr(table, "nan"));
    assert_null(strstr(table, "loss"));
    assert_null(strstr(table, "verdict"));
    assert_non_null(strstr(table, "ps async"));
    assert_non_null(strstr(table, "3 workers, 2 servers"));
    assert_non_null(strstr(table, "31.4 kB sent"));
    assert_non_null(strstr(table, "4 stale"));
}

static void the_summary_table_has_rows_for_tasks_and_hosts(void **state)
{
    (void)state;
    char table[TRI_SUMMARY_SIZE];
    tri__worker_summary workers[2] = {worker, worker};
    tri__consumer tasks[] = {{.name = "ps:0",
                              .cpu_percent = 31.4,
                              .memory_mb = 14.1,
                              .peak_mb = 15.92,
                              .sent = 72.4e6,
                              .received = 72.2e6,
                              .disk_read = 1000,
                              .disk_written = 537000},
                             {.name = "worker:0", .cpu_percent = 7}};
    tri__consumer hosts[10] = {{.name = "node0", .cpu_percent = 98.7, .memory_mb = 1961, .peak_mb = 2026.4, .disk_written = 6e6}};
    const tri__consumption consumption = {.task = tasks, .tasks = 2, .host = hosts, .hosts = 10};
    tri__summary job = summary;
    job.workers = 2;
    job.worker_stats = workers;
    job.consumption = &consumption;
    tri__summary_table(&job, table, sizeof table);
    assert_non_null(strstr(table, "\nworker:0     9,380 steps in 6.10 s, 190 % of a CPU, 80.0 MB at most\n"));
    assert_non_null(strstr(table, "\nps:0         31 % of a CPU, 14.1 MB, at most 15.9 MB, 72.4 MB sent, 72.2 MB received, "
                                  "disk 1.0 kB read, 537 kB written\n"));
    assert_non_null(strstr(table, "\nhosts        node0: 99 % of all its CPUs, 2.0 GB, at most 2.0 GB, 0 B sent, 0 B received, "
                                  "disk 0 B read, 6.0 MB written\n"));
    assert_non_null(strstr(table, "\n             2 more hosts in summary.json\n"));
}

static void rows_of_workers_say_since_which_step_they_count(void **state)
{
    (void)state;
    char table[TRI_SUMMARY_SIZE];
    tri__worker_summary workers[] = {worker, worker};
    tri__summary resumed = summary;
    resumed.workers = 2;
    resumed.worker_stats = workers;
    resumed.since_step = 12000;
    tri__summary_table(&resumed, table, sizeof table);
    assert_non_null(strstr(table, "\nworker:0     9,380 steps since step 12,000 in 6.10 s, "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_has_exactly_the_published_keys),
        cmocka_unit_test(values_of_the_summary_have_their_types),
        cmocka_unit_test(a_summary_with_text_that_is_not_utf8_is_refused),
        cmocka_unit_test(the_summary_table_is_for_people),
        cmocka_unit_test(the_summary_table_leaves_out_what_did_not_happen),
        cmocka_unit_test(the_summary_table_has_rows_for_tasks_and_hosts),
        cmocka_unit_test(rows_of_workers_say_since_which_step_they_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
