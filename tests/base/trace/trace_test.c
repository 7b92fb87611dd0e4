/* trace_test.c: what a process traces is in its part, in order; a part has an end; nothing traced costs nothing. */
#include "base/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/trace/trace_file.h"
#include "support.h"
#include "watch/report/trace_part.h"

enum { MOST = 500000 };

static void spans_names_lanes_and_messages_are_read_back(void **state)
{
    char *path = test_path(*state, "worker-1.part");
    tri__trace *trace;
    assert_ok(tri__trace_create(path, "worker:1", &trace));
    tri__trace_lane *first = tri__trace_lane_add(trace, "worker"), *second = tri__trace_lane_add(trace, "network");
    const int layer = tri__trace_name(trace, "conv1");
    assert_int_equal(tri__trace_name(trace, "conv1"), layer);
    assert_int_equal(tri__trace_name(trace, "update"), TRI_SPAN_UPDATE);
    tri__trace_add(first, layer, 100, 150, 7, TRI_FLOW_NONE, 0);
    tri__trace_add(second, TRI_SPAN_PUSH, 120, 130, 7, TRI_FLOW_SENDS, 99);
    tri__trace_flush(trace);
    tri__trace_close(trace);

    tri__trace_part *part;
    assert_ok(tri__trace_part_open(path, &part));
    const tri__trace_event *event = tri__trace_part_next(part);
    assert_non_null(event);
    assert_true(event->begin == 100 && event->duration == 50 && event->step == 7 && event->message == 0);
    assert_string_equal(tri__trace_part_task(part)->task, "worker:1");
    assert_string_equal(tri__trace_part_name(part), "conv1");
    event = tri__trace_part_next(part);
    assert_non_null(event);
    assert_true(event->message == 99 && event->flow == TRI_FLOW_SENDS);
    assert_string_equal(tri__trace_part_lane(part, event->lane), "network");
    assert_null(tri__trace_part_next(part));
    assert_int_equal(tri__trace_part_left_out(part), 0);
    tri__trace_part_close(part);
    free(path);
}

static void a_part_is_bounded_and_says_what_it_leaves_out(void **state)
{
    char *path = test_path(*state, "worker-0.part");
    tri__trace *trace;
    assert_ok(tri__trace_create(path, "worker:0", &trace));
    tri__trace_lane *lane = tri__trace_lane_add(trace, "worker");
    for (int i = 0; i < MOST + 10000; i++)
        tri__trace_add(lane, TRI_SPAN_STEP, i, i + 1, i, TRI_FLOW_NONE, 0);
    tri__trace_flush(trace);
    tri__trace_close(trace);
    tri__trace_part *part;
    assert_ok(tri__trace_part_open(path, &part));
    int64_t count = 0;
    while (tri__trace_part_next(part))
        count++;
    const int64_t left_out = tri__trace_part_left_out(part);
    assert_true(left_out >= 10000 && left_out < 20000);
    assert_int_equal(count + left_out, MOST + 10000);
    tri__trace_part_close(part);
    free(path);
}

static void add_steps(const char *path, int steps)
{
    tri__trace *trace;
    assert_ok(tri__trace_create(path, "worker:0", &trace));
    tri__trace_lane *lane = tri__trace_lane_add(trace, "worker");
    for (int i = 0; i < steps; i++)
        tri__trace_add(lane, TRI_SPAN_STEP, i, i + 1, i, TRI_FLOW_NONE, 0);
    tri__trace_flush(trace);
    tri__trace_close(trace);
}

static int count_events(const char *path, int64_t *left_out)
{
    tri__trace_part *part;
    int count = 0;
    assert_ok(tri__trace_part_open(path, &part));
    while (tri__trace_part_next(part))
        count++;
    *left_out = tri__trace_part_left_out(part);
    tri__trace_part_close(part);
    return count;
}

static void a_task_that_was_killed_and_started_again_writes_behind_its_last_whole_block(void **state)
{
    const tri__trace_block half = {.kind = TRI_BLOCK_EVENTS, .bytes = 10 * sizeof(tri__trace_event)};
    char *path = test_path(*state, "worker-0.part");
    int64_t left_out;
    for (size_t kept = 1; kept <= sizeof half; kept++) {
        add_steps(path, 3);
        FILE *file = fopen(path, "ae");
        assert_int_equal(fwrite(&half, 1, kept, file), kept);
        assert_int_equal(fclose(file), 0);
    }
    add_steps(path, 4);
    assert_int_equal(count_events(path, &left_out), 3 * (int)sizeof half + 4);
    assert_int_equal(left_out, 0);
    free(path);
}

static void a_block_that_does_not_fit_is_left_out_and_hides_none_behind_it(void **state)
{
    char *path = test_path(*state, "worker-0.part");
    tri__trace *trace;
    struct stat about;
    int64_t left_out;
    assert_ok(tri__trace_create(path, "worker:0", &trace));
    tri__trace_lane *lane = tri__trace_lane_add(trace, "worker");
    assert_int_equal(stat(path, &about), 0);
    test_limit_files(about.st_size + 100);
    for (int i = 0; i < 50; i++)
        tri__trace_add(lane, TRI_SPAN_STEP, i, i + 1, i, TRI_FLOW_NONE, 0);
    tri__trace_flush(trace);
    test_limit_files(-1);
    tri__trace_add(lane, TRI_SPAN_STEP, 50, 51, 50, TRI_FLOW_NONE, 0);
    tri__trace_flush(trace);
    tri__trace_close(trace);
    assert_int_equal(count_events(path, &left_out), 1);
    assert_int_equal(left_out, 50);
    free(path);
}

static void a_message_has_one_number_at_both_ends_and_others_have_others(void **state)
{
    (void)state;
    const uint64_t push = tri__trace_message(TRI_SPAN_PUSH, 1, 2, 3);
    assert_true(push && push == tri__trace_message(TRI_SPAN_PUSH, 1, 2, 3));
    assert_true(push != tri__trace_message(TRI_SPAN_ANSWER, 1, 2, 3) && push != tri__trace_message(TRI_SPAN_PUSH, 2, 1, 3));
    assert_true(push != tri__trace_message(TRI_SPAN_PUSH, 1, 3, 2));
}

static void where_nothing_is_traced_there_are_no_lanes(void **state)
{
    (void)state;
    assert_null(tri__trace_lane_add(NULL, "worker"));
    assert_int_equal(tri__trace_begin(NULL), 0);
    tri__trace_end(NULL, TRI_SPAN_STEP, 0, 0);
    tri__trace_flush(NULL);
    tri__trace_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(spans_names_lanes_and_messages_are_read_back),
        FOLDER_TEST(a_part_is_bounded_and_says_what_it_leaves_out),
        FOLDER_TEST(a_task_that_was_killed_and_started_again_writes_behind_its_last_whole_block),
        FOLDER_TEST(a_block_that_does_not_fit_is_left_out_and_hides_none_behind_it),
        cmocka_unit_test(a_message_has_one_number_at_both_ends_and_others_have_others),
        cmocka_unit_test(where_nothing_is_traced_there_are_no_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
