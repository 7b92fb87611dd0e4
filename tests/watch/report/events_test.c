/* events_test.c: event files written and read back, their frames byte by byte, and disks that are full. */
#define _GNU_SOURCE /* memmem */
#include "watch/report/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "base/file/folder.h"
#include "support.h"
#include "watch/report/event_reader.h"

/* The bytes of the folder's one event file; free() them. */
static char *read_events(const char *folder, size_t *size)
{
    char **names;
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(strstr(names[0], "events.out.tfevents."), names[0]);
    char *path = test_path(folder, names[0]), *bytes = test_read(path, size);
    free(path);
    tri__folder_free(names, count);
    return bytes;
}

/* Close the writer and give the file's bytes; free() them. */
static char *close_and_read(const char *folder, tri__events *events, size_t *size)
{
    assert_ok(tri__events_close(events));
    return read_events(folder, size);
}

static tri__event next(tri__event_reader *reader)
{
    tri__event event;
    bool more;
    assert_ok(tri__event_next(reader, &event, &more));
    assert_true(more);
    return event;
}

static void assert_end(tri__event_reader *reader)
{
    tri__event event;
    bool more;
    assert_ok(tri__event_next(reader, &event, &more));
    assert_false(more);
}

static void the_first_frame_of_an_event_file_is_byte_by_byte_as_the_format_says(void **state)
{
    tri__events *events;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    uint8_t *bytes = (uint8_t *)close_and_read(*state, events, &size);
    /* wall_time: tag 0x09 and 8 bytes; file_version: tag 0x1a, length 13 and the text */
    enum { DATA = 9 + 2 + 13 };
    assert_int_equal(size, 8 + 4 + DATA + 4);
    static const uint8_t length[8] = {DATA};
    uint32_t length_crc = tri__crc32c_masked(length, 8), data_crc = tri__crc32c_masked(bytes + 12, DATA);
    assert_memory_equal(bytes, length, 8);
    assert_memory_equal(bytes + 8, &length_crc, 4);
    assert_int_equal(bytes[12], 0x09);
    assert_memory_equal(bytes + 12 + 9,
                        "\x1a\x0d"
                        "brain.Event:2",
                        15);
    assert_memory_equal(bytes + 12 + DATA, &data_crc, 4);
    free(bytes);
}

/* Event{step=2: 5, summary=5: {value=1: {tag=1: "loss", simple_value=2: 1.5}}} behind the 9 bytes of the time. */
static void a_scalar_event_is_a_simple_value(void **state)
{
    static const uint8_t expected[] = {0x10, 5, 0x2a, 13, 0x0a, 11, 0x0a, 4, 'l', 'o', 's', 's', 0x15, 0, 0, 0xc0, 0x3f};
    tri__events *events;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    tri__events_scalar(events, "loss", 5, 1.5F);
    char *bytes = close_and_read(*state, events, &size);
    assert_memory_equal(bytes + size - 4 - sizeof expected, expected, sizeof expected);
    free(bytes);
}

/* HistogramProto{min=1, max=2, num=3, sum=4, sum_squares=5, bucket_limit=6, bucket=7}: bins in a row that are empty are one. */
static void a_histogram_event_has_the_bins_between_its_least_and_its_largest_value(void **state)
{
    static const double lists[2][3] = {{1.25, 2, 2.5}, {1, 0, 2}};
    const float values[] = {1, 2, 2};
    tri__histogram histogram = {0}, empty = {0};
    tri__events *events;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    tri__histogram_add(&histogram, values, 3, 1);
    tri__events_histogram(events, "empty", 1, &empty);
    tri__events_histogram(events, "weights", 7, &histogram);
    char *bytes = close_and_read(*state, events, &size);
    for (int i = 0; i < 2; i++) {
        const uint8_t head[] = {(uint8_t)(6 + i) << 3 | 2, sizeof lists[i]};
        const char *at = bytes + size - 4 - (2 - (size_t)i) * (sizeof head + sizeof lists[i]);
        assert_memory_equal(at, head, sizeof head);
        assert_memory_equal(at + sizeof head, lists[i], sizeof lists[i]);
    }
    assert_null(memmem(bytes, size, "empty", 5));
    free(bytes);
}

/* Event{step=2: 8, session_log=7: {status=1: START}} */
static void event_files_of_a_resumed_run_say_at_which_step_it_resumes(void **state)
{
    static const uint8_t expected[] = {0x10, 8, 0x3a, 2, 0x08, 1};
    tri__events *events;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    tri__events_restart(events, 8);
    char *bytes = close_and_read(*state, events, &size);
    assert_memory_equal(bytes + size - 4 - sizeof expected, expected, sizeof expected);
    free(bytes);
}

static void written_events_are_read_back(void **state)
{
    tri__events *events;
    tri__event_reader reader;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    tri__events_text(events, "hyperparameters", 0, "| rate | 0.1 |");
    tri__events_scalar(events, "loss", 0, 2.25F);
    tri__events_scalar(events, "loss", 3000000000, -1);
    char *bytes = close_and_read(*state, events, &size);
    tri__event_reader_init(&reader, "events", bytes, size);
    tri__event version = next(&reader), text = next(&reader), first = next(&reader), second = next(&reader);
    assert_int_equal(version.kind, TRI_EVENT_VERSION);
    assert_true(tri__span_equal(version.body, "brain.Event:2"));
    assert_true(version.wall > 1.6e9);
    assert_int_equal(text.kind, TRI_EVENT_TEXT);
    assert_true(tri__span_equal(text.tag, "hyperparameters"));
    assert_true(tri__span_equal(text.body, "| rate | 0.1 |"));
    assert_int_equal(first.kind, TRI_EVENT_SCALAR);
    assert_int_equal(first.step, 0);
    assert_true(first.value == 2.25F);
    assert_int_equal(second.step, 3000000000);
    assert_true(second.value == -1);
    assert_true(second.wall >= version.wall);
    assert_end(&reader);
    assert_false(reader.cut_short);
    free(bytes);
}

static void the_graph_event_has_names_operators_inputs_places_and_shapes(void **state)
{
    tri_graph *graph;
    tri_node *x, *y;
    tri__events *events;
    tri__event_reader reader;
    size_t size;
    assert_ok(tri_graph_create(4, &graph));
    assert_ok(tri_graph_input(graph, "x", TRI_F32, TRI_SHAPE(300), &x));
    assert_ok(tri_graph_add(graph, "relu", "act.ve", &x, 1, NULL, &y));
    assert_ok(tri_node_place(graph, y, "/job:worker/task:2"));
    assert_ok(tri__events_create(*state, &events));
    tri__events_graph(events, graph);
    char *bytes = close_and_read(*state, events, &size);
    tri__event_reader_init(&reader, "events", bytes, size);
    next(&reader);
    tri__event event = next(&reader);
    assert_int_equal(event.kind, TRI_EVENT_GRAPH);
    /* The second node: name, op, input, device, then the attributes, of which the first has the shape [4, 300]. */
    static const char node[] = "\x0a\x06"
                               "act/ve" /* a group and a name in it */
                               "\x12\x04"
                               "relu"
                               "\x1a\x01"
                               "x"
                               "\x22\x12"
                               "/job:worker/task:2";
    static const char shape[] = "\x0a\x0e"
                                "_output_shapes"
                                "\x12\x0d\x0a\x0b\x3a\x09\x12\x02\x08\x04\x12\x03\x08\xac\x02";
    assert_non_null(memmem(event.body.data, event.body.size, node, sizeof node - 1));
    assert_non_null(memmem(event.body.data, event.body.size, shape, sizeof shape - 1));
    free(bytes);
    tri_graph_destroy(graph);
}

static void two_event_writers_never_share_a_file(void **state)
{
    tri__events *one, *other;
    char **names;
    size_t count;
    assert_ok(tri__events_create(*state, &one));
    assert_ok(tri__events_create(*state, &other));
    assert_ok(tri__events_close(one));
    assert_ok(tri__events_close(other));
    assert_ok(tri__folder_list(*state, &names, &count));
    assert_int_equal(count, 2);
    tri__folder_free(names, count);
    assert_ok(tri__events_close(NULL));
}

static void flushed_events_are_readable_while_the_run_goes_on(void **state)
{
    tri__events *events;
    tri__event_reader reader;
    size_t size;
    assert_ok(tri__events_create(*state, &events));
    for (int i = 0; i < 100; i++)
        tri__events_scalar(events, "loss", i, (float)i / 2);
    assert_ok(tri__events_flush(events));
    char *bytes = read_events(*state, &size);
    tri__event_reader_init(&reader, "events", bytes, size);
    assert_int_equal(next(&reader).kind, TRI_EVENT_VERSION);
    for (int i = 0; i < 100; i++) {
        tri__event event = next(&reader);
        assert_int_equal(event.step, i);
        assert_true(event.value == (float)i / 2);
    }
    assert_end(&reader);
    free(bytes);
    assert_ok(tri__events_close(events));
}

static void event_files_report_a_full_disk_once(void **state)
{
    tri__events *events;
    assert_ok(tri__events_create(*state, &events));
    assert_ok(tri__events_flush(events));
    test_limit_files(100);
    for (int i = 0; i < 10; i++)
        tri__events_scalar(events, "loss", i, 1);
    tri_status failure = tri__events_flush(events);
    test_limit_files(-1);
    assert_fails(failure, TRI_IO, "the run goes on");
    tri__events_scalar(events, "loss", 11, 1);
    assert_ok(tri__events_flush(events));
    assert_ok(tri__events_close(events));
}

static void an_event_folder_that_cannot_be_made_is_reported(void **state)
{
    tri__events *events;
    char *file = test_path(*state, "file");
    test_write(file, "x", 1);
    tri_status status = tri__events_create(file, &events);
    assert_non_null(status);
    assert_non_null(strstr(tri_status_message(status), file));
    tri_status_free(status);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_first_frame_of_an_event_file_is_byte_by_byte_as_the_format_says),
        FOLDER_TEST(a_scalar_event_is_a_simple_value),
        FOLDER_TEST(a_histogram_event_has_the_bins_between_its_least_and_its_largest_value),
        FOLDER_TEST(event_files_of_a_resumed_run_say_at_which_step_it_resumes),
        FOLDER_TEST(written_events_are_read_back),
        FOLDER_TEST(the_graph_event_has_names_operators_inputs_places_and_shapes),
        FOLDER_TEST(two_event_writers_never_share_a_file),
        FOLDER_TEST(flushed_events_are_readable_while_the_run_goes_on),
        FOLDER_TEST(event_files_report_a_full_disk_once),
        FOLDER_TEST(an_event_folder_that_cannot_be_made_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
