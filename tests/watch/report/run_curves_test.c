/* run_curves_test.c: the curves of a run, as its event files grow. */
#include "watch/report/run_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "support.h"
#include "watch/report/events.h"

/* A new event file of a task. */
static tri__events *begin(const char *run, const char *task)
{
    char *events = test_path(run, "events"), *folder = test_path(events, task);
    tri__events *writer;
    assert_ok(tri__folder_create(events));
    assert_ok(tri__events_create(folder, &writer));
    free(folder);
    free(events);
    return writer;
}

static void values_written_later_are_read_once(void **state)
{
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(*state, &curves)); /* there is no folder yet */
    assert_int_equal(tri__run_curves_count(curves), 0);
    tri__events *writer = begin(*state, "worker-3");
    tri__events_scalar(writer, "train/loss", 10, 0.5F);
    assert_ok(tri__events_flush(writer));
    assert_ok(tri__run_curves_poll(curves));
    assert_int_equal(tri__run_curves_count(curves), 1);
    const tri__curve *curve = tri__run_curves_get(curves, 0);
    assert_string_equal(curve->task, "worker:3");
    assert_string_equal(curve->tag, "train/loss");
    const int64_t version = tri__run_curves_version(curves);
    tri__events_scalar(writer, "train/loss", 20, 0.25F);
    assert_ok(tri__events_close(writer));
    assert_ok(tri__run_curves_poll(curves));
    assert_ok(tri__run_curves_poll(curves));
    assert_int_equal(curve->count, 2);
    assert_true(curve->point[1].step == 20 && curve->point[1].value == 0.25);
    assert_int_equal(tri__run_curves_version(curves), version);
    assert_ptr_equal(tri__run_curves_find(curves, "train/loss"), curve);
    assert_null(tri__run_curves_find(curves, "test/loss"));
    tri__run_curves_close(curves);
}

static void a_resumed_run_takes_back_the_steps_that_it_repeats(void **state)
{
    tri__events *writer = begin(*state, "worker-0");
    for (int step = 10; step <= 50; step += 10)
        tri__events_scalar(writer, "train/loss", step, (float)step);
    assert_ok(tri__events_close(writer));
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(*state, &curves));
    const tri__curve *curve = tri__run_curves_get(curves, 0);
    assert_int_equal(curve->count, 5);
    writer = begin(*state, "worker-0");
    tri__events_restart(writer, 31);
    tri__events_scalar(writer, "train/loss", 40, 4.0F);
    assert_ok(tri__events_close(writer));
    assert_ok(tri__run_curves_poll(curves));
    assert_int_equal(curve->count, 4);
    assert_true(curve->point[2].step == 30 && curve->point[3].step == 40 && curve->point[3].value == 4);
    tri__run_curves_close(curves);
}

static void long_curves_keep_a_bounded_number_of_points(void **state)
{
    const int values = 3 * TRI_CURVE_POINTS;
    tri__events *writer = begin(*state, "worker-0");
    for (int step = 1; step <= values; step++)
        tri__events_scalar(writer, "train/loss", step, (float)step);
    assert_ok(tri__events_close(writer));
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(*state, &curves));
    const tri__curve *curve = tri__run_curves_get(curves, 0);
    assert_int_equal(curve->stride, 4);
    assert_in_range(curve->count, TRI_CURVE_POINTS / 2, TRI_CURVE_POINTS);
    for (int i = 0; i < curve->count; i++)
        assert_true(curve->point[i].step == 4 * (i + 1) && curve->point[i].value == curve->point[i].step);
    assert_true(curve->last.step == values);
    tri__run_curves_close(curves);
}

static void a_value_that_is_not_finite_is_the_last_one_but_no_point(void **state)
{
    tri__events *writer = begin(*state, "worker-0");
    tri__events_scalar(writer, "train/loss", 1, 1.0F);
    tri__events_scalar(writer, "train/loss", 2, NAN);
    assert_ok(tri__events_close(writer));
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(*state, &curves));
    const tri__curve *curve = tri__run_curves_get(curves, 0);
    assert_int_equal(curve->count, 1);
    assert_true(curve->last.step == 2 && isnan(curve->last.value));
    tri__run_curves_close(curves);
}

static void a_damaged_file_is_read_up_to_the_damage(void **state)
{
    tri__events *writer = begin(*state, "worker-0");
    tri__events_scalar(writer, "train/loss", 1, 1.0F);
    assert_ok(tri__events_close(writer));
    char *events = test_path(*state, "events"), *folder = test_path(events, "worker-0"), **names;
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    char *path = test_path(folder, names[0]);
    FILE *file = fopen(path, "a");
    fputs("this is no frame of an event file", file);
    fclose(file);
    tri__run_curves *curves;
    assert_ok(tri__run_curves_open(*state, &curves));
    assert_ok(tri__run_curves_poll(curves));
    assert_int_equal(tri__run_curves_get(curves, 0)->count, 1);
    tri__run_curves_close(curves);
    tri__folder_free(names, count);
    free(path);
    free(folder);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(values_written_later_are_read_once),          FOLDER_TEST(a_resumed_run_takes_back_the_steps_that_it_repeats),
        FOLDER_TEST(long_curves_keep_a_bounded_number_of_points), FOLDER_TEST(a_value_that_is_not_finite_is_the_last_one_but_no_point),
        FOLDER_TEST(a_damaged_file_is_read_up_to_the_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
