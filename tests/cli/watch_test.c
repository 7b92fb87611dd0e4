/* watch_test.c: trireme watch, of this host and of a run. */
#include <math.h>
#include <stdlib.h>

#include "base/file/json.h"
#include "cli/binary.h"
#include "watch/sample/consumption.h"

static int lines_of(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static void samples_of_this_host_are_printed_and_kept(void **state)
{
    expect(RUN(*state, "watch", "--every", "20ms", "--count", "3", "--csv", "host.csv"), 0, "usr sys idl wai", "");
    char *path = test_path(*state, "host.csv"), *text = test_read(path, NULL);
    assert_int_equal(lines_of(text), 6 + 3);
    assert_non_null(
        strstr(text, "\"epoch\",\"usr\",\"sys\",\"idl\",\"wai\",\"stl\",\"used\",\"free\",\"buff\",\"cach\",\"read\",\"writ\""));
    free(text);
    free(path);
    expect(RUN(*state, "watch", "--count", "1", "--csv", "host.csv"), 2, "", "is there already");
    expect(RUN(*state, "watch", "--every", "soon"), 2, "", "--every soon: should be a time such as 1s");
}

static void json_has_one_object_a_sample(void **state)
{
    test_result result = RUN(*state, "watch", "--every", "20ms", "--count", "2", "--json");
    assert_int_equal(result.status, 0);
    assert_int_equal(lines_of(result.out), 2);
    json_t *sample = NULL;
    assert_ok(tri__json_parse("sample", result.out, strcspn(result.out, "\n"), &sample));
    assert_true(json_number_value(json_object_get(json_object_get(sample, "memory"), "used")) > 0);
    json_decref(sample);
    test_result_fini(&result);
}

static bool has_mark(const json_t *marks, const char *kind, const char *task, int step)
{
    for (size_t i = 0; i < json_array_size(marks); i++) {
        const json_t *mark = json_array_get(marks, i);
        if (!strcmp(json_string_value(json_object_get(mark, "kind")), kind) &&
            !strcmp(json_string_value(json_object_get(mark, "task")), task) && json_integer_value(json_object_get(mark, "step")) == step)
            return true;
    }
    return false;
}

static void a_run_that_has_ended_is_shown_once(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "20", "--strategy", "ps", "--workers", "2", "--sync",
               "--sample-every", "50ms", "--out", "run", "--quiet"),
           0, "20 steps", "");
    test_result result = RUN(*state, "watch", "run", "--json", "--count", "1");
    assert_int_equal(result.status, 0);
    json_t *view = NULL;
    assert_ok(tri__json_parse("view", result.out, strlen(result.out), &view));
    const json_t *tasks = json_object_get(view, "tasks");
    static const char *const names[] = {"ps:0", "worker:0", "worker:1", "evaluator:0", "supervisor"};
    assert_int_equal(json_array_size(tasks), 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(tasks, i), "task")), names[i]);
    assert_int_equal(json_number_value(json_object_get(json_array_get(tasks, 1), "step")), 20);
    const json_t *most = json_array_get(json_object_get(view, "flows"), 0);
    assert_true(json_number_value(json_object_get(most, "bytes")) > sizeof(float) * 784 * 10);
    const json_t *marks = json_object_get(view, "marks");
    assert_true(has_mark(marks, "evaluation", "evaluator:0", 20) && has_mark(marks, "checkpoint", "ps:0", 20));
    json_decref(view);
    test_result_fini(&result);
    expect(RUN(*state, "watch", "run", "--count", "1"), 0, "evaluation of evaluator:0 at step 20", "");
    expect(RUN(*state, "watch", "run", "--count", "1"), 0, "\nmost bytes: ", "");
    expect(RUN(*state, "watch", "run", "--csv", "x.csv"), 2, "", "run/samples already");
}

/* 30 updates of 10 examples are an epoch, whoever makes them. ps:0 looks for the end of an epoch only now and then. */
static void a_job_marks_each_epoch_at_its_last_step_and_its_last_checkpoint_once(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--batch", "10", "--epochs", "4", "--strategy", "ps", "--workers", "2",
               "--servers", "2", "--checkpoint-every", "120steps", "--out", "run", "--quiet"),
           0, "120 steps", "");
    expect(SHELL(*state, "cut -d, -f2-4 run/marks.csv | grep epoch,ps"), 0, "epoch,ps:0,30\nepoch,ps:0,60\nepoch,ps:0,90\nepoch,ps:0,120\n",
           "");
    expect(SHELL(*state, "grep -c checkpoint,ps:0,120, run/marks.csv"), 0, "1\n", "");
}

static void the_summary_of_a_job_has_its_server_and_its_host(void **state)
{
    test_result result = RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "20", "--strategy", "ps", "--workers", "2",
                             "--sample-every", "50ms", "--out", "run", "--quiet", "--json");
    assert_int_equal(result.status, 0);
    json_t *summary = NULL;
    assert_ok(tri__json_parse("summary", result.out, strlen(result.out), &summary));
    const json_t *tasks = json_object_get(summary, "task_stats"), *hosts = json_object_get(summary, "hosts");
    assert_int_equal(json_array_size(hosts), 1);
    bool server = false;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *task = json_array_get(tasks, i);
        if (!strcmp(json_string_value(json_object_get(task, "task")), "ps:0"))
            server = json_number_value(json_object_get(task, "peak_memory_mb")) > 1;
    }
    assert_true(server);
    json_decref(summary);
    test_result_fini(&result);
}

/* From the peer that sent most; peers stand in the order in which they came. */
static double most_received(const json_t *peers)
{
    double most = 0;
    for (size_t i = 0; i < json_array_size(peers); i++)
        most = fmax(most, json_number_value(json_object_get(json_array_get(peers, i), "bytes_received")));
    return most;
}

/* No sample is due before the end: what ps:0 adds up are the samples that tasks take when they have done their part. In step, every worker
 * has one, however late it comes. */
static void the_summary_of_a_short_job_has_the_bytes_of_every_task(void **state)
{
    test_result result = RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "20", "--strategy", "ps", "--workers", "2",
                             "--sync", "--eval-every", "end", "--sample-every", "1h", "--out", "run", "--quiet", "--json");
    assert_int_equal(result.status, 0);
    json_t *summary = NULL;
    assert_ok(tri__json_parse("summary", result.out, strlen(result.out), &summary));
    static const char *const names[] = {"ps:0", "worker:0", "worker:1", "evaluator:0"};
    const json_t *tasks = json_object_get(summary, "task_stats");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *task = json_array_get(tasks, i);
        assert_string_equal(json_string_value(json_object_get(task, "task")), names[i]);
        assert_true(json_number_value(json_object_get(task, "bytes_received")) > 0);
        assert_true(most_received(json_object_get(task, "peers")) >= sizeof(float) * 784 * 10); /* the weights */
    }
    json_decref(summary);
    test_result_fini(&result);
}

static const tri__consumer *consumer_of(const tri__consumption *all, const char *task)
{
    for (int i = 0; i < all->tasks; i++)
        if (!strcmp(all->task[i].name, task))
            return &all->task[i];
    fail_msg("no samples of %s", task);
    return NULL;
}

/* A very short sample's bytes are known to its length's last digit only: so half of them is enough. */
static void what_workers_send_and_receive_is_counted_by_the_server_too(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "20", "--strategy", "ps", "--workers", "2", "--out", "run",
               "--quiet"),
           0, "", "");
    char *samples = test_path(*state, "run/samples");
    tri__consumption all;
    assert_ok(tri__consumption_read(samples, 0, &all));
    const tri__consumer *server = consumer_of(&all, "ps:0"), *evaluator = consumer_of(&all, "evaluator:0");
    const tri__consumer *one = consumer_of(&all, "worker:0"), *other = consumer_of(&all, "worker:1");
    assert_true(one->sent + other->sent > 0 && server->received >= 0.5 * (one->sent + other->sent));
    assert_true(server->sent >= 0.5 * (one->received + other->received));
    assert_true(evaluator->received >= 0.5 * sizeof(float) * 784 * 10); /* a snapshot's weights */
    tri__consumption_fini(&all);
    free(samples);
}

static double exchanged(const tri__consumer *task, const char *peer, bool sent)
{
    for (int i = 0; i < task->peers; i++)
        if (!strcmp(task->peer[i].name, peer))
            return sent ? task->peer[i].sent : task->peer[i].received;
    fail_msg("%s exchanged nothing with %s", task->name, peer);
    return 0;
}

/* Both ends count the same bytes, but the last goodbye may not be read any more. All of a worker's bytes have a peer. */
static void bytes_are_counted_by_peer_on_both_ends(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "20", "--strategy", "ps", "--workers", "2", "--servers", "2",
               "--out", "run", "--quiet"),
           0, "", "");
    char *samples = test_path(*state, "run/samples");
    tri__consumption all;
    assert_ok(tri__consumption_read(samples, 0, &all));
    static const char *const workers[] = {"worker:0", "worker:1"}, *const servers[] = {"ps:0", "ps:1"};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const tri__consumer *worker = consumer_of(&all, workers[i]), *server = consumer_of(&all, servers[j]);
            const double sent = exchanged(worker, servers[j], true), answered = exchanged(server, workers[i], true);
            assert_true(sent > 0 && exchanged(server, workers[i], false) <= sent && exchanged(server, workers[i], false) >= 0.9 * sent);
            assert_true(exchanged(worker, servers[j], false) <= answered && exchanged(worker, servers[j], false) >= 0.9 * answered);
            assert_int_equal(worker->peers, 2);
        }
    assert_true(exchanged(consumer_of(&all, "ps:0"), "ps:1", true) > 0 && exchanged(consumer_of(&all, "ps:1"), "ps:0", true) > 0);
    assert_true(exchanged(consumer_of(&all, "evaluator:0"), "ps:0", false) >= sizeof(float) * 784 * 10);
    assert_true(exchanged(consumer_of(&all, "ps:0"), "evaluator:0", true) >= sizeof(float) * 784 * 10);
    tri__consumption_fini(&all);
    free(samples);
    expect(SHELL(*state, "grep -q '\"peers\"' run/summary.json && echo there"), 0, "there", "");
}

/* With --replicas 2 a primary streams its updates to another process, which may run several servers: each counts for its process. */
static void bytes_to_standbys_are_counted_by_peer_on_both_ends(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "50", "--strategy", "ps", "--workers", "1", "--servers", "3",
               "--replicas", "2", "--sync", "--out", "run", "--quiet"),
           0, "", "");
    char *samples = test_path(*state, "run/samples");
    tri__consumption all;
    assert_ok(tri__consumption_read(samples, 0, &all));
    static const char *const streams[][2] = {{"ps:0", "ps:1"}, {"ps:1", "ps:2"}, {"ps:2", "ps:1"}};
    for (int i = 0; i < 3; i++) {
        const double sent = exchanged(consumer_of(&all, streams[i][0]), streams[i][1], true);
        const double received = exchanged(consumer_of(&all, streams[i][1]), streams[i][0], false);
        assert_true(sent > sizeof(float) * 784 * 10 && received >= 0.9 * sent && sent >= 0.9 * received);
    }
    for (int i = 0; i < all.tasks; i++)
        for (int j = 0; j < all.task[i].peers; j++)
            assert_string_not_equal(all.task[i].name, all.task[i].peer[j].name);
    tri__consumption_fini(&all);
    free(samples);
}

static void a_run_that_has_ended_is_shown_with_its_means_and_its_verdict(void **state)
{
    test_result result = RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "200", "--strategy", "ps", "--workers", "2",
                             "--out", "run", "--quiet", "--json");
    json_t *summary = NULL, *view = NULL;
    assert_ok(tri__json_parse("summary", result.out, strlen(result.out), &summary));
    test_result_fini(&result);
    result = RUN(*state, "watch", "run", "--json");
    assert_ok(tri__json_parse("view", result.out, strlen(result.out), &view));
    test_result_fini(&result);
    const json_t *worker = json_array_get(json_object_get(summary, "worker_stats"), 1);
    const json_t *row = json_array_get(json_object_get(view, "tasks"), 2);
    assert_string_equal(json_string_value(json_object_get(row, "task")), "worker:1");
    const double speed = tri__json_number_of(worker, "examples") / tri__json_number_of(worker, "seconds");
    assert_float_equal(tri__json_number_of(row, "examples_per_second"), speed, 1e-6 * speed);
    assert_true(json_equal(json_object_get(row, "phases"), json_object_get(worker, "phases")));
    assert_true(json_equal(json_object_get(view, "verdict"), json_object_get(summary, "verdict")));
    expect(RUN(*state, "watch", "run"), 0, json_string_value(json_object_get(summary, "verdict")), "");
    json_decref(view);
    json_decref(summary);
}

/* The last evaluation comes after the last step, and takes a while. Times of marks are rounded. */
static void a_worker_has_ended_before_the_last_evaluation_begins(void **state)
{
    expect(RUN(*state, "train", "lenet", "--data", "digits:3000", "--steps", "5", "--eval-every", "end", "--out", "run", "--quiet"), 0, "",
           "");
    char *path = test_path(*state, "run/summary.json"); /* --json prints fewer digits */
    json_t *summary = NULL, *view = NULL;
    assert_ok(tri__json_read(path, &summary));
    free(path);
    test_result result = RUN(*state, "watch", "run", "--json");
    assert_ok(tri__json_parse("view", result.out, strlen(result.out), &view));
    test_result_fini(&result);
    const json_t *worker = json_array_get(json_object_get(summary, "worker_stats"), 0), *mark;
    size_t at, evaluations = 0;
    json_array_foreach(json_object_get(view, "marks"), at, mark)
    {
        if (strcmp(json_string_value(json_object_get(mark, "kind")), "evaluation") != 0)
            continue;
        assert_true(1000 * tri__json_number_of(worker, "ended") <= tri__json_number_of(mark, "time_ms") + 1);
        evaluations++;
    }
    assert_int_equal(evaluations, 1);
    assert_true(tri__json_number_of(worker, "ended") > tri__json_number_of(worker, "began"));
    json_decref(view);
    json_decref(summary);
}

static void lines_that_go_to_a_pipe_are_whole(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "2000", "--eval-every", "end", "--out", "run", "--quiet"), 0,
           "", "");
    test_result result = RUN(*state, "watch", "run");
    const char *evaluation = strstr(result.out, "evaluation of worker:0 at step 2,000");
    assert_non_null(evaluation);
    const char *end = strchr(evaluation, '\n');
    assert_true(end && end[-1] == '%'); /* "test accuracy 91.20 %" */
    assert_non_null(strstr(result.out, "phases: "));
    test_result_fini(&result);
}

static void a_run_without_samples_is_refused_in_words(void **state)
{
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--steps", "2", "--sample-every", "never", "--out", "run", "--quiet"), 0,
           "2 steps", "");
    expect(RUN(*state, "watch", "run"), 1, "", "--sample-every never");
    expect(RUN(*state, "watch", "nowhere"), 1, "", "no such run folder");
    expect(RUN(*state, "train", "softmax", "--data", "digits:300", "--sample-every", "1"), 2, "",
           "--sample-every 1: should be a time such as 1s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(samples_of_this_host_are_printed_and_kept),
        FOLDER_TEST(json_has_one_object_a_sample),
        FOLDER_TEST(a_run_that_has_ended_is_shown_once),
        FOLDER_TEST(a_job_marks_each_epoch_at_its_last_step_and_its_last_checkpoint_once),
        FOLDER_TEST(the_summary_of_a_job_has_its_server_and_its_host),
        FOLDER_TEST(the_summary_of_a_short_job_has_the_bytes_of_every_task),
        FOLDER_TEST(a_worker_has_ended_before_the_last_evaluation_begins),
        FOLDER_TEST(lines_that_go_to_a_pipe_are_whole),
        FOLDER_TEST(a_run_without_samples_is_refused_in_words),
        FOLDER_TEST(what_workers_send_and_receive_is_counted_by_the_server_too),
        FOLDER_TEST(bytes_are_counted_by_peer_on_both_ends),
        FOLDER_TEST(bytes_to_standbys_are_counted_by_peer_on_both_ends),
        FOLDER_TEST(a_run_that_has_ended_is_shown_with_its_means_and_its_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
