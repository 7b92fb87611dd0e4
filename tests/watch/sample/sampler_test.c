/* sampler_test.c: what a sampler writes is read back as the rows of a run. */
#include "watch/sample/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "support.h"
#include "watch/sample/run_view.h"
#include "watch/sample/sample_file.h"
#include "watch/sample/sample_read.h"

#define HOUR INT64_C(3600000000000)

static char *samples_of(const char *folder, const char *task)
{
    char name[64];
    char *samples = test_path(folder, "samples");
    mkdir(samples, 0755);
    free(samples);
    snprintf(name, sizeof name, "samples/%s.csv", task);
    return test_path(folder, name);
}

/* One sample, at the end, of a task that did this. */
static void sample_once(const char *path, tri__task_counters *counters, int64_t step, int64_t examples)
{
    tri__sampler *sampler;
    const tri__sampler_options options = {.path = path, .command = "train \"x\"", .every = HOUR, .counters = counters};
    assert_ok(tri__sampler_start(&options, &sampler));
    counters->step = step;
    counters->examples += examples;
    counters->loss = 0.5;
    counters->phase[TRI_PHASE_COMPUTE] += 750;
    counters->phase[TRI_PHASE_INPUT] += 250;
    tri__sampler_stop(sampler);
}

static void a_row_shows_the_last_sample_of_a_task(void **state)
{
    tri__task_counters counters = {0};
    char *path = samples_of(*state, "worker-1"), line[256];
    tri__run_view view;
    sample_once(path, &counters, 12, 480);
    assert_ok(tri__run_view_read(*state, &view));
    assert_int_equal(view.count, 1);
    const tri__run_row *row = &view.row[0];
    assert_string_equal(row->task, "worker:1");
    assert_true(view.running && row->state == TRI_TASK_ACTIVE);
    assert_true(row->step == 12 && row->examples == 480 && row->speed > 0 && row->loss == 0.5);
    assert_float_equal(row->share[TRI_PHASE_COMPUTE], 0.75, 1e-9);
    assert_true(fabs(row->wall - tri__clock_wall()) < 100 && row->resident > 0);
    assert_non_null(strstr(tri__run_view_line(row, 120, line, sizeof line), " iiiiiccccccccccccccc"));
    tri__run_view_fini(&view);
    free(path);
}

static int lines_of(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static void samples_that_a_task_keeps_are_added_to_its_file_once(void **state)
{
    tri__task_counters counters = {.step = 7};
    char *path = samples_of(*state, "worker-1");
    tri__sampler *sampler;
    const tri__sampler_options options = {.command = "train \"x\"", .every = HOUR, .counters = &counters};
    assert_ok(tri__sampler_start(&options, &sampler));
    assert_null(tri__sampler_kept(sampler));
    tri__sampler_take(sampler);
    char *text = tri__sampler_kept(sampler);
    assert_int_equal(lines_of(text), TRI_SAMPLE_HEADER_LINES + 1);
    assert_null(tri__sampler_kept(sampler));
    tri__sampler_stop(sampler);
    assert_ok(tri__sample_file_add(path, text));
    assert_ok(tri__sample_file_add(path, text));               /* as a report that comes twice */
    text[strlen(text) - strlen(strrchr(text, '"')) + 2] = '9'; /* the first digit after the header: a sample of a later year */
    assert_ok(tri__sample_file_add(path, text));
    char *all = test_read(path, NULL);
    assert_int_equal(lines_of(all), TRI_SAMPLE_HEADER_LINES + 2);
    tri__run_view view;
    assert_ok(tri__run_view_read(*state, &view));
    assert_true(view.count == 1 && view.row[0].step == 7);
    tri__run_view_fini(&view);
    assert_fails(tri__sample_file_add(path, "1,2,3\n"), TRI_BAD_DATA, "no header");
    free(all);
    free(text);
    free(path);
}

static void a_task_that_is_started_again_goes_on_in_its_file(void **state)
{
    tri__task_counters counters = {0};
    char *path = samples_of(*state, "worker-0");
    sample_once(path, &counters, 1, 10);
    sample_once(path, &counters, 2, 10);
    char *text = test_read(path, NULL);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 6 + 2); /* one header */
    assert_non_null(strstr(text, "\"train \"\"x\"\"\""));
    free(text);
    free(path);
}

static void a_file_of_another_host_is_set_aside(void **state)
{
    tri__task_counters counters = {0};
    char *path = samples_of(*state, "worker-0"), *aside = samples_of(*state, "worker-0.csv.1");
    *strrchr(aside, '.') = 0; /* samples/worker-0.csv.1 */
    sample_once(path, &counters, 1, 10);
    char *text = test_read(path, NULL), *host = strstr(text, "\"Host:\",\"");
    assert_non_null(host);
    host[9] = host[9] == 'x' ? 'y' : 'x';
    test_write(path, text, strlen(text));
    sample_once(path, &counters, 2, 10);
    char *old = test_read(aside, NULL);
    assert_string_equal(old, text);
    free(old);
    free(text);
    free(aside);
    free(path);
}

/* With a slow pace, minutes pass until the first sample. */
static void a_task_without_a_sample_yet_is_active(void **state)
{
    static const char header[] =
        "\"a\"\n\"Layout:\",\"dstat\",,,,\"Every:\",\"60.000\"\n\"Host:\",\"one\"\n\"d\"\n\"epoch\",\n\"epoch\",\"training:step\"\n";
    char *path = samples_of(*state, "worker-0");
    tri__run_view view;
    test_write(path, header, sizeof header - 1);
    assert_ok(tri__run_view_read(*state, &view));
    assert_true(view.running && view.count == 1 && view.row[0].state == TRI_TASK_ACTIVE && isnan(view.row[0].step));
    tri__run_view_fini(&view);
    free(path);
}

/* Header and one line of a task whose speed is given, sampled at `wall`. */
static void write_samples(const char *folder, const char *task, double wall, double speed)
{
    char text[512], *path = samples_of(folder, task);
    snprintf(
        text, sizeof text,
        "\"a\"\n\"b\"\n\"c\"\n\"d\"\n\"epoch\",\"training\",,\n\"epoch\",\"training:examples\",\"training:examples/s\",\"process:cpu\"\n"
        "%.3f,100,%f,50\n%.3f,100,%f,50\n%.3f,1",
        wall - 1, speed, wall, speed, wall + 1);
    test_write(path, text, strlen(text));
    free(path);
}

static void a_slow_worker_and_a_silent_task_are_marked(void **state)
{
    const double now = tri__clock_wall();
    tri__run_view view;
    write_samples(*state, "worker-0", now, 1000);
    write_samples(*state, "worker-10", now, 100);
    write_samples(*state, "worker-2", now, 900);
    write_samples(*state, "ps-0", now - 60, 0);
    assert_ok(tri__run_view_read(*state, &view));
    assert_int_equal(view.count, 4);
    const tri__task_state expected[] = {TRI_TASK_SILENT, TRI_TASK_ACTIVE, TRI_TASK_ACTIVE, TRI_TASK_SLOW};
    const char *const tasks[] = {"ps:0", "worker:0", "worker:2", "worker:10"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(view.row[i].task, tasks[i]);
        assert_int_equal(view.row[i].state, expected[i]);
    }
    assert_true(view.running);
    tri__run_view_fini(&view);
}

static void tasks_of_a_run_without_new_samples_have_ended(void **state)
{
    tri__run_view view;
    write_samples(*state, "worker-0", tri__clock_wall() - 60, 1000);
    assert_ok(tri__run_view_read(*state, &view));
    assert_true(!view.running && view.row[0].state == TRI_TASK_ENDED);
    tri__run_view_fini(&view);
}

static void a_folder_without_samples_is_refused_in_words(void **state)
{
    tri__run_view view;
    char *missing = test_path(*state, "missing");
    assert_fails(tri__run_view_read(*state, &view), TRI_NOT_FOUND, "it is not a run folder");
    assert_fails(tri__run_view_read(missing, &view), TRI_NOT_FOUND, "no such run folder");
    free(missing);
}

/* Counted in CPU time of the thread, so that other programs' load does not matter. At a sample a second 5 ms are 0.5 % of a CPU. */
static void a_sample_takes_less_than_half_a_percent_of_a_cpu(void **state)
{
    enum { SAMPLES = 50 };
    tri__task_counters counters = {0};
    char *path = samples_of(*state, "worker-0");
    tri__sampler *sampler;
    const tri__sampler_options options = {.path = path, .command = "", .every = INT64_C(10000000), .counters = &counters};
    assert_ok(tri__sampler_start(&options, &sampler));
    int lines = 0;
    while (lines < SAMPLES + 6) {
        char *text = test_read(path, NULL);
        lines = 0;
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            lines++;
        free(text);
        usleep(50000);
    }
    const double cost = tri__sampler_cost(sampler);
    tri__sampler_stop(sampler);
    assert_true(cost > 0);
    if (cost / SAMPLES > 0.005)
        fail_msg("%.1f ms a sample", cost / SAMPLES * 1e3);
    free(path);
}

static void a_full_disk_is_told_with_advice(void **state)
{
    tri__task_counters counters = {0};
    char *path = samples_of(*state, "worker-0");
    tri__sampler *sampler;
    const tri__sampler_options options = {.path = path, .command = "", .every = INT64_C(1000000000), .counters = &counters};
    test_limit_files(0);
    tri_status failure = tri__sampler_start(&options, &sampler);
    test_limit_files(-1);
    assert_fails(failure, TRI_IO, "worker-0.csv: cannot write: File too large (the system limits the size of files");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_sample_takes_less_than_half_a_percent_of_a_cpu),
        FOLDER_TEST(a_row_shows_the_last_sample_of_a_task),
        FOLDER_TEST(a_task_that_is_started_again_goes_on_in_its_file),
        FOLDER_TEST(samples_that_a_task_keeps_are_added_to_its_file_once),
        FOLDER_TEST(a_file_of_another_host_is_set_aside),
        FOLDER_TEST(a_task_without_a_sample_yet_is_active),
        FOLDER_TEST(a_slow_worker_and_a_silent_task_are_marked),
        FOLDER_TEST(tasks_of_a_run_without_new_samples_have_ended),
        FOLDER_TEST(a_folder_without_samples_is_refused_in_words),
        FOLDER_TEST(a_full_disk_is_told_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
