/* run_history_test.c: tasks over time, as their files grow. */
#include "watch/sample/run_history.h"

#include <math.h>

#include "base/thread/clock.h"
#include "watch/sample_file.h"

static void samples_written_later_are_read_once(void **state)
{
    const double now = floor(tri__clock_wall());
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, now - 2, 1, 100);
    tri__run_history *history;
    assert_ok(tri__run_history_open(*state, &history));
    const tri__run_series *series = tri__run_history_series(history, 0);
    assert_string_equal(series->task, "worker:0");
    assert_string_equal(series->host, "alpha");
    assert_true(series->tells_host);
    assert_int_equal(series->count, 1);
    const int64_t version = tri__run_history_version(history);
    sample_file_add(file, now - 1, 2, 100);
    fputs("1794902367.601,40,10,100", file); /* half of a line */
    fflush(file);
    assert_ok(tri__run_history_poll(history));
    assert_int_equal(series->count, 2);
    assert_int_equal(tri__run_history_version(history), version);
    fputs("0000,300,200,150,5003,3,300,100,0.25,75,25\n", file);
    fclose(file);
    assert_ok(tri__run_history_poll(history));
    assert_int_equal(series->count, 3);
    assert_true(series->point[2].step == 3 && series->point[2].host.used == 1000000 && series->point[2].share[TRI_PHASE_COMPUTE] == 0.75);
    tri__run_history_close(history);
}

static void a_task_whose_file_has_no_whole_head_yet_makes_a_new_version_when_it_has(void **state)
{
    FILE *whole = sample_file_begin(*state, "worker-1.csv", "alpha");
    sample_file_add(whole, 1000, 1, 100);
    fclose(whole);
    char *path = test_path(*state, "samples/worker-0.csv");
    FILE *begun = fopen(path, "w");
    assert_non_null(begun);
    fclose(begun);
    tri__run_history *history;
    assert_ok(tri__run_history_open(*state, &history));
    assert_int_equal(tri__run_history_view(history)->count, 1);
    const int64_t version = tri__run_history_version(history);
    fclose(sample_file_begin(*state, "worker-0.csv", "beta"));
    assert_ok(tri__run_history_poll(history));
    assert_int_equal(tri__run_history_view(history)->count, 2);
    assert_true(tri__run_history_version(history) > version);
    tri__run_history_close(history);
    free(path);
}

static void long_runs_keep_a_bounded_number_of_points(void **state)
{
    const int samples = 5 * TRI_HISTORY_POINTS;
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    for (int i = 0; i < samples; i++)
        sample_file_add(file, 1000 + i, i, i);
    fclose(file);
    tri__run_history *history;
    assert_ok(tri__run_history_open(*state, &history));
    const tri__run_series *series = tri__run_history_series(history, 0);
    assert_true(series->count <= TRI_HISTORY_POINTS && series->count >= TRI_HISTORY_POINTS / 2);
    assert_int_equal(series->stride, 8);
    for (int i = 0; i < series->count; i++) {
        assert_true(series->point[i].step == 8 * i + 7);                  /* the last of eight … */
        assert_true(fabs(series->point[i].speed - (8 * i + 3.5)) < 1e-9); /* … and their mean */
    }
    assert_true(tri__run_history_view(history)->row[0].step == samples - 1);
    tri__run_history_close(history);
}

static void one_task_tells_of_its_host_and_another_when_it_falls_silent(void **state)
{
    const double now = floor(tri__clock_wall());
    FILE *first = sample_file_begin(*state, "worker-0.csv", "alpha"), *second = sample_file_begin(*state, "worker-1.csv", "alpha");
    for (int i = 0; i < 3; i++) {
        sample_file_add(first, now + i, i, 100);
        sample_file_add(second, now + i, i, 100);
    }
    tri__run_history *history;
    assert_ok(tri__run_history_open(*state, &history));
    assert_true(tri__run_history_series(history, 0)->tells_host);
    assert_false(tri__run_history_series(history, 1)->tells_host);
    const int64_t version = tri__run_history_version(history);
    for (int i = 3; i < 8; i++)
        sample_file_add(second, now + i, i, 100);
    assert_ok(tri__run_history_poll(history));
    assert_false(tri__run_history_series(history, 0)->tells_host);
    assert_true(tri__run_history_series(history, 1)->tells_host);
    assert_true(tri__run_history_version(history) > version);
    assert_int_equal(tri__run_history_view(history)->row[0].state, TRI_TASK_SILENT);
    fclose(first);
    fclose(second);
    tri__run_history_close(history);
}

static void a_task_that_moved_to_another_host_is_read_on(void **state)
{
    FILE *file = sample_file_begin(*state, "worker-0.csv", "alpha");
    sample_file_add(file, 1000, 1, 100);
    fclose(file);
    tri__run_history *history;
    assert_ok(tri__run_history_open(*state, &history));
    char *samples = test_path(*state, "samples"), *old = test_path(samples, "worker-0.csv"), *aside = test_path(samples, "worker-0.csv.1");
    assert_int_equal(rename(old, aside), 0);
    file = sample_file_begin(*state, "worker-0.csv", "beta");
    sample_file_add(file, 1001, 2, 100);
    fclose(file);
    assert_ok(tri__run_history_poll(history));
    assert_int_equal(tri__run_history_count(history), 1);
    assert_string_equal(tri__run_history_series(history, 0)->host, "beta");
    assert_int_equal(tri__run_history_series(history, 0)->count, 2);
    free(samples);
    free(old);
    free(aside);
    tri__run_history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(samples_written_later_are_read_once),
        FOLDER_TEST(a_task_whose_file_has_no_whole_head_yet_makes_a_new_version_when_it_has),
        FOLDER_TEST(long_runs_keep_a_bounded_number_of_points),
        FOLDER_TEST(one_task_tells_of_its_host_and_another_when_it_falls_silent),
        FOLDER_TEST(a_task_that_moved_to_another_host_is_read_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
