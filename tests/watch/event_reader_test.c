/* event_reader_test.c: files of other writers, files cut short and damaged files. */
#include "watch/event_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "support.h"

typedef struct {
    uint8_t data[512];
    size_t size;
} stream;

static void append(stream *to, const void *data, size_t size)
{
    assert_true(to->size + size <= sizeof to->data);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void append_frame(stream *to, const void *data, size_t size)
{
    uint64_t length = size;
    uint32_t length_crc = tri__crc32c_masked(&length, 8), data_crc = tri__crc32c_masked(data, size);
    append(to, &length, 8);
    append(to, &length_crc, 4);
    append(to, data, size);
    append(to, &data_crc, 4);
}

#define FRAME(to, ...) append_frame(to, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static tri_status next(tri__event_reader *reader, tri__event *event)
{
    bool more;
    tri_status status = tri__event_next(reader, event, &more);
    if (!status)
        assert_true(more);
    return status;
}

static void assert_end(tri__event_reader *reader)
{
    tri__event event;
    bool more;
    assert_ok(tri__event_next(reader, &event, &more));
    assert_false(more);
}

/* TensorFlow 2 writes scalars as float tensors: value {tag "a", tensor {dtype 1, float_val 1.5}}, packed, plain, or as content. */
static void tensors_of_one_float_are_scalars(void **state)
{
    (void)state;
    stream s = {.size = 0};
    tri__event_reader reader;
    tri__event event;
    FRAME(&s, 0x2a, 15, 0x0a, 13, 0x0a, 1, 'a', 0x42, 8, 0x08, 1, 0x2a, 4, 0, 0, 0xc0, 0x3f);
    FRAME(&s, 0x2a, 14, 0x0a, 12, 0x0a, 1, 'a', 0x42, 7, 0x08, 1, 0x2d, 0, 0, 0xc0, 0x3f);
    FRAME(&s, 0x2a, 15, 0x0a, 13, 0x0a, 1, 'a', 0x42, 8, 0x08, 1, 0x22, 4, 0, 0, 0xc0, 0x3f);
    tri__event_reader_init(&reader, "tf", s.data, s.size);
    for (int i = 0; i < 3; i++) {
        assert_ok(next(&reader, &event));
        assert_int_equal(event.kind, TRI_EVENT_SCALAR);
        assert_true(tri__span_equal(event.tag, "a"));
        assert_true(event.value == 1.5F);
    }
    assert_end(&reader);
}

static void one_summary_may_hold_many_values(void **state)
{
    (void)state;
    stream s = {.size = 0};
    tri__event_reader reader;
    tri__event event;
    /* the step comes behind the summary here, and counts for its values all the same; the second value is of an unknown kind */
    FRAME(&s, 0x2a, 15, 0x0a, 8, 0x0a, 1, 'a', 0x15, 0, 0, 0, 0x40, 0x0a, 3, 0x0a, 1, 'b', 0x10, 7);
    tri__event_reader_init(&reader, "two", s.data, s.size);
    assert_ok(next(&reader, &event));
    assert_true(event.kind == TRI_EVENT_SCALAR && event.value == 2 && event.step == 7);
    assert_ok(next(&reader, &event));
    assert_true(event.kind == TRI_EVENT_OTHER && tri__span_equal(event.tag, "b") && event.step == 7);
    assert_end(&reader);
}

static void a_file_cut_anywhere_ends_there(void **state)
{
    (void)state;
    stream s = {.size = 0};
    tri__event_reader reader;
    tri__event event;
    FRAME(&s, 0x1a, 1, 'v');
    size_t first = s.size;
    FRAME(&s, 0x1a, 1, 'w');
    for (size_t cut = first; cut < s.size; cut++) {
        tri__event_reader_init(&reader, "cut", s.data, cut);
        assert_ok(next(&reader, &event));
        assert_end(&reader);
        assert_int_equal(reader.cut_short, cut > first);
    }
    tri__event_reader_init(&reader, "empty", NULL, 0);
    assert_end(&reader);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    stream s = {.size = 0};
    FRAME(&s, 0x10, 5, 0x1a, 1, 'v');
    for (size_t i = 0; i < s.size; i++) {
        tri__event_reader reader;
        tri__event event;
        s.data[i] ^= 0x10;
        tri__event_reader_init(&reader, "bad", s.data, s.size);
        assert_fails(next(&reader, &event), TRI_BAD_DATA, "bad: record at byte 0");
        s.data[i] ^= 0x10;
    }
}

static void broken_messages_are_told(void **state)
{
    (void)state;
    static const uint8_t broken[][8] = {
        {0x2a, 100},                          /* a summary longer than its event */
        {0x2a, 3, 0x0a, 100, 0},              /* a value longer than its summary */
        {0x2a, 4, 0x0a, 2, 0x0a, 100},        /* a tag longer than its value */
        {0x2a, 6, 0x0a, 4, 0x42, 2, 0x0a, 9}, /* a field longer than its tensor */
    };
    static const size_t sizes[] = {2, 5, 6, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        stream s = {.size = 0};
        tri__event_reader reader;
        tri__event event;
        append_frame(&s, broken[i], sizes[i]);
        tri__event_reader_init(&reader, "bad", s.data, s.size);
        assert_fails(next(&reader, &event), TRI_BAD_DATA, "broken");
    }
}

static void a_file_that_is_not_there_is_told(void **state)
{
    (void)state;
    tri__scalar *scalars;
    size_t count;
    assert_fails(tri__event_scalars("/nonexistent/events", "loss", &scalars, &count), TRI_NOT_FOUND, "/nonexistent/events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_of_one_float_are_scalars), cmocka_unit_test(one_summary_may_hold_many_values),
        cmocka_unit_test(a_file_cut_anywhere_ends_there),   cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(broken_messages_are_told),         cmocka_unit_test(a_file_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
