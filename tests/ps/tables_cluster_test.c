/* tables_cluster_test.c: sparse models in jobs whose tasks are started one by one: behind an identity, described by TF_CONFIG, over
 * connections that break and links that are cut, and with workers that join. Nothing is lost or applied twice: the model has the bits of a
 * calm job. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/cable.h"
#include "ps/model.h"
#include "ps/process.h"

#define DATA "--data clicks:5000:4000 --strategy ps --threads 1 "

typedef struct {
    process task[4]; /* worker:0, worker:1, ps:1, ps:0 */
    int ports[2];    /* of the servers */
} job;

static void write_cluster(const char *folder, const char *name, const int ports[2])
{
    char *path = test_path(folder, name), text[256];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]\nworker: [a, b]\n", ports[0], ports[1]);
    test_write(path, text, strlen(text));
    free(path);
}

static job start_servers(const char *folder, const char *words)
{
    job started = {.ports = {free_port(), free_port()}};
    write_cluster(folder, "c.yaml", started.ports);
    started.task[2] = process_start(folder, "p1", "train %s --cluster c.yaml --task ps:1", words);
    started.task[3] = process_start(
        folder, "p0", "train %s --cluster c.yaml --json --eval-every 100 --checkpoint-every end --out run --task ps:0", words);
    return started;
}

static void start_worker(const char *folder, job *started, int index, const char *cluster, const char *words)
{
    char name[16];
    snprintf(name, sizeof name, "w%d", index);
    started->task[index] = process_start(folder, name, "train %s --cluster %s --task worker:%d", words, cluster, index);
}

static void end_others(job *started)
{
    for (int i = 0; i < 3; i++)
        if (started->task[i].pid)
            json_decref(process_end(&started->task[i], 0));
}

static json_t *end_job(job *started)
{
    json_t *summary = process_end(&started->task[3], 0);
    end_others(started);
    expect_books(summary, NULL);
    return summary;
}

static void expect_calm_bits(const char *folder, const char *words, const json_t *disturbed)
{
    process calm = process_start(folder, "calm", "train %s --workers 2 --servers 2 --json --quiet --eval-every end --out calm", words);
    json_t *summary = process_end(&calm, 0);
    const double difference = model_difference(folder, summary, disturbed);
    if (difference != 0)
        fail_msg("%s: differs by %g", words, difference);
    json_decref(summary);
}

/* ---- behind an identity ---- */

static void expect_the_same_behind_an_identity(const char *folder, const char *model)
{
    char words[256], secret[320];
    process keygen = process_start(folder, "keygen", "keygen cluster.key");
    json_decref(process_end(&keygen, 0));
    snprintf(words, sizeof words, "%s " DATA "--batch 40 --sync --steps 60", model);
    snprintf(secret, sizeof secret, "%s --key cluster.key", words);
    job running = start_servers(folder, secret);
    start_worker(folder, &running, 0, "c.yaml", secret);
    start_worker(folder, &running, 1, "c.yaml", secret);
    json_t *summary = end_job(&running);
    expect_calm_bits(folder, words, summary);
    json_decref(summary);
}

static void a_regression_behind_an_identity_has_the_same_bits(void **state)
{
    expect_the_same_behind_an_identity(*state, "sparse-lr");
}

static void a_factorisation_machine_behind_an_identity_has_the_same_bits(void **state)
{
    expect_the_same_behind_an_identity(*state, "fm --rule adam --rate 0.001 --row-values fp16");
}

static void whole_tables_behind_an_identity_have_the_same_bits(void **state)
{
    expect_the_same_behind_an_identity(*state, "sparse-lr --gather dense");
}

static void dense_layers_with_tables_behind_an_identity_have_the_same_bits(void **state)
{
    expect_the_same_behind_an_identity(*state, "deep-click --clip 0.5");
}

/* ---- described by TF_CONFIG ---- */

static process start_listed(const char *folder, const int ports[4], const char *role, int index, const char *words)
{
    char text[512], name[16];
    snprintf(text, sizeof text,
             "{\"cluster\": {\"ps\": [\"127.0.0.1:%d\", \"127.0.0.1:%d\"], \"worker\": [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]}, "
             "\"task\": {\"type\": \"%s\", \"index\": %d}}",
             ports[0], ports[1], ports[2], ports[3], role, index);
    snprintf(name, sizeof name, "%s%d", role, index);
    assert_int_equal(setenv("TF_CONFIG", text, 1), 0);
    process started = process_start(folder, name, "train %s%s", words,
                                    strcmp(name, "ps0") ? "" : " --json --eval-every 100 --checkpoint-every end --out run");
    assert_int_equal(unsetenv("TF_CONFIG"), 0);
    return started;
}

static void tasks_that_tf_config_describes_train_tables(void **state)
{
    static const char words[] = "fm " DATA "--batch 40 --sync --steps 60";
    const int ports[4] = {free_port(), free_port(), free_port(), free_port()};
    job running = {.task = {start_listed(*state, ports, "worker", 0, words), start_listed(*state, ports, "worker", 1, words),
                            start_listed(*state, ports, "ps", 1, words), start_listed(*state, ports, "ps", 0, words)}};
    json_t *summary = end_job(&running);
    expect_calm_bits(*state, words, summary);
    json_decref(summary);
}

/* ---- a cable between worker:1 and the servers ---- */

static job start_beyond_a_cable(const char *folder, const char *words, cable **laid)
{
    job running = start_servers(folder, words);
    *laid = cable_lay(running.ports, 2);
    write_cluster(folder, "beyond.yaml", (int[2]){cable_port(*laid, 0), cable_port(*laid, 1)});
    start_worker(folder, &running, 0, "c.yaml", words);
    start_worker(folder, &running, 1, "beyond.yaml", words);
    process_await_step(&running.task[3], STRIKE);
    return running;
}

#define SYNC "deep-click --rule adagrad " DATA "--batch 100 --heartbeat 200ms --sync --steps 600"

static void sync_job_with_tables_has_the_same_bits_after_its_connections_broke(void **state)
{
    cable *laid;
    job running = start_beyond_a_cable(*state, SYNC, &laid);
    for (int i = 0; i < 3; i++) {
        cable_break(laid);
        process_await_step(&running.task[3], STRIKE * (i + 2));
    }
    json_t *summary = end_job(&running);
    cable_remove(laid);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    expect_calm_bits(*state, SYNC, summary);
    json_decref(summary);
}

static void sync_job_with_tables_waits_for_a_worker_that_is_cut_off(void **state)
{
    cable *laid;
    job running = start_beyond_a_cable(*state, SYNC, &laid);
    cable_cut(laid, true);
    process_await(&running.task[3], "waits for worker:1, silent for");
    cable_cut(laid, false);
    json_t *summary = end_job(&running);
    cable_remove(laid);
    expect_calm_bits(*state, SYNC, summary);
    json_decref(summary);
}

static void async_job_with_tables_goes_on_after_its_connections_broke(void **state)
{
    cable *laid;
    job running = start_beyond_a_cable(*state, "fm " DATA "--batch 100 --heartbeat 200ms --async " ENDLESS, &laid);
    for (int i = 0; i < 3; i++) {
        cable_break(laid);
        process_await_step(&running.task[3], process_step(&running.task[3]) + STRIKE);
    }
    kill(running.task[3].pid, SIGINT);
    json_t *summary = process_end(&running.task[3], 130);
    process_kill(&running.task[1]); /* whether it was connected at that moment is left to chance */
    end_others(&running);
    cable_remove(laid);
    assert_int_equal(integer_of(summary, "lost_updates"), 0);
    assert_true(number_of(summary, "test_auc") > 0.6);
    json_decref(summary);
}

/* ---- workers that join ---- */

#define JOINED "sparse-lr " DATA "--batch 200 " ENDLESS

static process start_joiner(const char *folder, const char *name, const char *words)
{
    char *address = job_address(folder);
    process joiner = process_start(folder, name, "train %s --join %s", words, address);
    free(address);
    return joiner;
}

static void expect_joins(const char *folder, const char *mode)
{
    process host = process_start(folder, "job", "train " JOINED "--json --out run --eval-every 100 --workers 2 --servers 2 %s", mode);
    process_await_step(&host, STRIKE);
    process other = start_joiner(folder, "other", "sparse-lr --data clicks:6000:4000 --strategy ps --threads 1 --batch 200 " ENDLESS);
    json_decref(process_end(&other, 2));
    process joiner = start_joiner(folder, "joiner", JOINED);
    await_member(folder, "worker:3"); /* worker:2 was turned away */
    process_await_step(&host, process_step(&host) + STRIKE);
    kill(host.pid, SIGINT);
    json_t *summary = process_end(&host, 130);
    json_decref(process_end(&joiner, 0));
    expect_books(summary, NULL);
    const json_t *workers = json_object_get(summary, "worker_stats"), *last = json_array_get(workers, json_array_size(workers) - 1);
    assert_string_equal(json_string_value(json_object_get(last, "task")), "worker:3");
    assert_true(integer_of(last, "steps") > 0);
    json_decref(summary);
}

static void a_worker_joins_a_sync_job_with_tables(void **state)
{
    expect_joins(*state, "--sync");
}

static void a_worker_joins_an_async_job_with_tables(void **state)
{
    expect_joins(*state, "--async");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_regression_behind_an_identity_has_the_same_bits),
        PROCESS_TEST(a_factorisation_machine_behind_an_identity_has_the_same_bits),
        PROCESS_TEST(dense_layers_with_tables_behind_an_identity_have_the_same_bits),
        PROCESS_TEST(whole_tables_behind_an_identity_have_the_same_bits),
        PROCESS_TEST(tasks_that_tf_config_describes_train_tables),
        PROCESS_TEST(sync_job_with_tables_has_the_same_bits_after_its_connections_broke),
        PROCESS_TEST(sync_job_with_tables_waits_for_a_worker_that_is_cut_off),
        PROCESS_TEST(async_job_with_tables_goes_on_after_its_connections_broke),
        PROCESS_TEST(a_worker_joins_a_sync_job_with_tables),
        PROCESS_TEST(a_worker_joins_an_async_job_with_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
