/* page_test.c: the live page of a run, asked for over real sockets. */
#include "watch/web/page.h"

#include <math.h>

#include "net/http/client.h"
#include "watch/report/events.h"
#include "watch/sample_file.h"
#include "watch/web/assets.h"

typedef struct {
    tri__loop *loop;
    tri__web_page *page;
    uint16_t port;
} fixture;

static bool goes_on(const char *folder, const tri__run_view *view)
{
    (void)folder, (void)view;
    return false;
}

static bool ends(const char *folder, const tri__run_view *view)
{
    (void)folder, (void)view;
    return true;
}

static void start(fixture *f, const char *run, bool (*has_ended)(const char *folder, const tri__run_view *view))
{
    assert_ok(tri__loop_create(&f->loop));
    tri__page_options options = {.folder = run, .has_ended = has_ended, .every = 10000000};
    options.fd = http_listen(&options.port);
    f->port = options.port;
    assert_ok(tri__web_page_create(f->loop, &options, &f->page));
}

static void stop(fixture *f)
{
    tri__web_page_destroy(f->page);
    tri__loop_destroy(f->loop);
}

static void add_curves(const char *run)
{
    char *events = test_path(run, "events"), *task = test_path(events, "worker-0");
    tri__events *writer;
    assert_ok(tri__folder_create(events));
    assert_ok(tri__events_create(task, &writer));
    tri__events_scalar(writer, "test/accuracy", 10, 0.5F);
    tri__events_scalar(writer, "test/accuracy", 20, 0.75F);
    assert_ok(tri__events_close(writer));
    free(task);
    free(events);
}

static json_t *body_of(char *answer)
{
    json_t *body = NULL;
    const char *text = strstr(answer, "\r\n\r\n");
    assert_non_null(text);
    assert_ok(tri__json_parse("answer", text + 4, strlen(text + 4), &body));
    free(answer);
    return body;
}

static void every_file_of_the_page_is_served_and_no_other(void **state)
{
    fixture f;
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, 1000, 1, 100);
    fclose(file);
    start(&f, *state, ends);
    int count = 0;
    for (const tri__web_asset *asset = tri__web_assets; asset->path; asset++, count++)
        http_expect(http_get(f.loop, f.port, asset->path, ""), 200, asset->type);
    assert_true(count >= 5);
    static const char *const others[] = {"/index.html", "/../samples/worker-0.csv", "/samples/worker-0.csv", "//etc/passwd", "/%2e%2e/x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        http_expect(http_get(f.loop, f.port, others[i], ""), 404, "no such page");
    stop(&f);
}

static void the_state_has_the_numbers_of_the_files(void **state)
{
    fixture f;
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, 1000, 1, 100);
    sample_file_add(file, 1001, 2, 120);
    fclose(file);
    add_curves(*state);
    start(&f, *state, ends);
    json_t *run = body_of(http_get(f.loop, f.port, "/run.json", ""));
    const json_t *task = json_array_get(json_object_get(run, "tasks"), 0), *points = json_object_get(task, "points");
    assert_string_equal(json_string_value(json_object_get(task, "task")), "worker:0");
    assert_string_equal(json_string_value(json_object_get(task, "state")), "ended");
    assert_int_equal(json_array_size(json_object_get(points, "wall")), 2);
    assert_true(json_number_value(json_array_get(json_object_get(points, "speed"), 1)) == 120);
    assert_true(json_number_value(json_array_get(json_object_get(json_object_get(task, "host_points"), "user"), 0)) == 40);
    const json_t *curve = json_array_get(json_object_get(run, "curves"), 0);
    assert_string_equal(json_string_value(json_object_get(curve, "tag")), "test/accuracy");
    assert_true(json_number_value(json_array_get(json_object_get(curve, "value"), 1)) == 0.75);
    json_decref(run);
    stop(&f);
}

static void metrics_name_tasks_hosts_and_the_last_evaluation(void **state)
{
    fixture f;
    FILE *file = sample_file_begin(*state, "worker-0.csv", "al\"pha");
    sample_file_add(file, 1000, 7, 100);
    fclose(file);
    add_curves(*state);
    start(&f, *state, ends);
    static const char *const lines[] = {
        "# TYPE trireme_examples_total counter\ntrireme_examples_total{task=\"worker:0\"} 700\n",
        "trireme_task_cpu_cores{task=\"worker:0\"} 1.5\n",
        "trireme_phase_ratio{task=\"worker:0\",phase=\"compute\"} 0.75\n",
        "trireme_task_state{task=\"worker:0\",state=\"ended\"} 1\n",
        "trireme_test_accuracy_ratio 0.75\n",
        "trireme_running 0\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        http_expect(http_get(f.loop, f.port, "/metrics", ""), 200, lines[i]);
    stop(&f);
}

static void a_value_that_is_not_finite_is_null_in_json_and_nan_in_metrics(void **state)
{
    fixture f;
    tri__events *writer;
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, 1000, 1, 100);
    fclose(file);
    add_curves(*state);
    char *task = test_path(*state, "events/worker-1");
    assert_ok(tri__events_create(task, &writer));
    tri__events_scalar(writer, "test/accuracy", 30, -NAN);
    assert_ok(tri__events_close(writer));
    free(task);
    start(&f, *state, ends);
    json_t *run = body_of(http_get(f.loop, f.port, "/run.json", ""));
    const json_t *last = json_object_get(json_array_get(json_object_get(run, "curves"), 1), "last");
    assert_true(json_number_value(json_object_get(last, "step")) == 30);
    assert_true(json_is_null(json_object_get(last, "value")));
    json_decref(run);
    http_expect(http_get(f.loop, f.port, "/metrics", ""), 200, "trireme_test_accuracy_ratio NaN\n");
    stop(&f);
}

static void a_stream_begins_with_all_and_goes_on_with_what_is_added(void **state)
{
    fixture f;
    http_client client;
    const double now = floor(tri__clock_wall());
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, now - 1, 1, 100);
    start(&f, *state, goes_on);
    char request[128];
    snprintf(request, sizeof request, "GET /events HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", (unsigned)f.port);
    http_connect(&client, f.port);
    http_say(&client, request, strlen(request));
    http_until(f.loop, &client, strstr(client.text, "event: whole\ndata: {\"running\":true"));
    sample_file_add(file, now, 2, 4321);
    http_until(f.loop, &client, strstr(client.text, "\"speed\":[4321]"));
    assert_non_null(strstr(client.text, "event: added\ndata: {"));
    FILE *other = sample_file_begin(*state, "worker-1.csv", "beta"); /* another task: all is told again */
    sample_file_add(other, now, 2, 99);
    const char *before = strstr(client.text, "event: added");
    const size_t at = (size_t)(before - client.text);
    http_until(f.loop, &client, strstr(client.text + at, "event: whole") && strstr(client.text + at, "worker:1"));
    fclose(file);
    fclose(other);
    http_close(&client);
    stop(&f);
}

static void a_folder_without_samples_is_refused(void **state)
{
    tri__loop *loop;
    tri__web_page *page;
    assert_ok(tri__loop_create(&loop));
    tri__page_options options = {.folder = *state, .has_ended = ends, .every = 10000000};
    options.fd = http_listen(&options.port);
    assert_fails(tri__web_page_create(loop, &options, &page), TRI_NOT_FOUND, "has no samples");
    tri__loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(every_file_of_the_page_is_served_and_no_other),
        FOLDER_TEST(the_state_has_the_numbers_of_the_files),
        FOLDER_TEST(metrics_name_tasks_hosts_and_the_last_evaluation),
        FOLDER_TEST(a_value_that_is_not_finite_is_null_in_json_and_nan_in_metrics),
        FOLDER_TEST(a_stream_begins_with_all_and_goes_on_with_what_is_added),
        FOLDER_TEST(a_folder_without_samples_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
