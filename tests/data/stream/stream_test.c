/* stream_test.c: examples that come through a pipe, in pieces of any size, whole or damaged. */
#include "data/stream/stream.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/crc32c.h"
#include "data/format/tf_example.h"
#include "data/stream/input.h"
#include "data/text/criteo.h"
#include "support.h"

/* Somebody who writes text into a pipe, some bytes at a time, and closes it. */
typedef struct {
    int fd[2];
    pthread_t thread;
    const char *text;
    size_t size, piece;
} writer;

static void *write_all(void *argument)
{
    const writer *self = argument;
    for (size_t at = 0; at < self->size;) {
        const size_t left = self->size - at, count = left < self->piece ? left : self->piece;
        const ssize_t written = write(self->fd[1], self->text + at, count);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    close(self->fd[1]);
    return NULL;
}

static writer *start(const char *text, size_t size, size_t piece)
{
    writer *self = calloc(1, sizeof *self);
    assert_non_null(self);
    assert_int_equal(pipe(self->fd), 0);
    self->text = text;
    self->size = size;
    self->piece = piece;
    assert_int_equal(pthread_create(&self->thread, NULL, write_all, self), 0);
    return self;
}

static void finish(writer *self)
{
    pthread_join(self->thread, NULL);
    close(self->fd[0]);
    free(self);
}

enum { ROOM = 4096 };

typedef struct {
    int32_t keys[ROOM], label;
    float values[ROOM];
    int64_t count;
} example;

/* The next example, or what is wrong with it. *end: there is none. */
static tri_status next(tri_source *source, example *out, bool *end)
{
    tri__awaited awaited;
    do
        TRI_TRY(source->kind->await(source, 10000000, &awaited));
    while (awaited == TRI_AWAITED_NOTHING);
    *end = awaited == TRI_AWAITED_END;
    if (*end)
        return NULL;
    tri__reader *reader;
    assert_ok(tri__reader_create(source, &reader));
    tri_status status = source->kind->read(
        reader, 0, &(tri__example_target){.keys = out->keys, .values = out->values, .count = &out->count, .label = &out->label});
    tri__reader_destroy(reader);
    return status;
}

static tri_source *open_pipe(writer *from, int64_t features)
{
    tri_source *source;
    assert_ok(tri__stream_open(from->fd[0], "the pipe", &(tri_source_options){.features = features, .classes = 2}, &source));
    return source;
}

static const size_t pieces[] = {1, 3, 17, 4096};

static void lines_are_whole_whatever_the_pieces(void **state)
{
    (void)state;
    static const char text[] = "# a comment\n+1 1:0.5 3:2\n\n-1 2:1\r\n0 # nothing\n1 4:-1";
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        writer *from = start(text, strlen(text), pieces[i]);
        tri_source *source = open_pipe(from, 4);
        assert_string_equal(source->info.format, "libsvm");
        assert_true(source->info.stream);
        static const int labels[] = {1, 0, 0, 1}, counts[] = {2, 1, 0, 1};
        example one;
        bool end;
        for (int row = 0; row < 4; row++) {
            assert_ok(next(source, &one, &end));
            assert_false(end);
            assert_int_equal(one.label, labels[row]);
            assert_int_equal(one.count, counts[row]);
        }
        assert_int_equal(one.keys[0], 3);
        assert_true(one.values[0] == -1);
        assert_ok(next(source, &one, &end));
        assert_true(end);
        tri_source_destroy(source);
        finish(from);
    }
}

static void a_byte_order_mark_before_the_first_line_is_skipped(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "1 2:0.5\n0 2:x\n";
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        writer *from = start(text, strlen(text), pieces[i]);
        tri_source *source = open_pipe(from, 4);
        example one;
        bool end;
        assert_ok(next(source, &one, &end));
        assert_int_equal(one.label, 1);
        assert_int_equal(one.keys[0], 1);
        assert_fails(next(source, &one, &end), TRI_BAD_DATA, "the pipe: line 2, column 5 (record 1 at byte 15)");
        tri_source_destroy(source);
        finish(from);
    }
}

static void an_index_0_in_the_first_line_counts_from_0(void **state)
{
    (void)state;
    static const char text[] = "1 0:1 3:1\n0 4:1\n0 1:1 5:1 6:1\n";
    writer *from = start(text, strlen(text), 7);
    tri_source *source = open_pipe(from, 5);
    example one;
    bool end;
    assert_ok(next(source, &one, &end));
    assert_int_equal(one.keys[1], 3);
    assert_ok(next(source, &one, &end));
    assert_fails(next(source, &one, &end), TRI_BAD_DATA,
                 "the pipe: line 3, column 7 (record 2 at byte 22): feature index 5 where indices are 0 to 4");
    tri_source_destroy(source);
    finish(from);
}

static void damaged_lines_are_told_by_line_and_column(void **state)
{
    (void)state;
    static const char text[] = "1 1:1\n# here\n1 1:1 9:1\n7 1:1\n1 1:nan\n1 1:1 -2:1\n0.5 1:1\n0 2:1\n";
    static const char *const messages[] = {NULL,
                                           "the pipe: line 3, column 7 (record 1 at byte 19): feature index 9 where indices are 1 to 4",
                                           "the pipe: line 4, column 1 (record 2 at byte 23): label 7 where classes are 0 to 1",
                                           "line 5, column 5 (record 3",
                                           "line 6, column 7 (record 4",
                                           "line 7, column 1 (record 5",
                                           NULL};
    writer *from = start(text, strlen(text), 5);
    tri_source *source = open_pipe(from, 4);
    example one;
    bool end;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (messages[i])
            assert_fails(next(source, &one, &end), TRI_BAD_DATA, messages[i]);
        else
            assert_ok(next(source, &one, &end));
    assert_int_equal(one.keys[0], 1);
    tri_source_destroy(source);
    finish(from);
}

static void a_line_beyond_all_bounds_is_one_damaged_record(void **state)
{
    (void)state;
    const size_t size = TRI_INPUT_MOST + (5 << 20);
    char *text = malloc(size + 64);
    assert_non_null(text);
    const int head = sprintf(text, "1 1:1\n");
    memset(text + head, '1', size);
    const int tail = sprintf(text + (size_t)head + size, "\n0 2:1\n");
    writer *from = start(text, (size_t)head + size + (size_t)tail, 1 << 20);
    tri_source *source = open_pipe(from, 4);
    example one;
    bool end;
    assert_ok(next(source, &one, &end));
    assert_fails(next(source, &one, &end), TRI_BAD_DATA, "the pipe: line 2, column 1 (record 1 at byte 6): the line is longer than 64 MB");
    assert_ok(next(source, &one, &end));
    assert_int_equal(one.label, 0);
    assert_int_equal(one.keys[0], 1);
    tri_source_destroy(source);
    finish(from);
    free(text);
}

static void criteo_text_is_hashed_as_files_are(void **state)
{
    (void)state;
    char text[512] = "1";
    for (int i = 0; i < TRI_CRITEO_FIELDS; i++)
        sprintf(text + strlen(text), "\t%d", i);
    strcat(text, "\n\n0\tthis is none\n");
    writer *from = start(text, strlen(text), 11);
    tri_source *source = open_pipe(from, 1000);
    example one;
    bool end;
    assert_ok(next(source, &one, &end));
    const char *at = text;
    int32_t keys[TRI_CRITEO_FIELDS], label;
    assert_null(tri__criteo_parse(&at, text + strlen(text), 1000, keys, &label));
    assert_int_equal(one.count, TRI_CRITEO_FIELDS);
    assert_memory_equal(one.keys, keys, sizeof keys);
    assert_fails(next(source, &one, &end), TRI_BAD_DATA, "the pipe: line 3, column 3 (record 1 at byte");
    tri_source_destroy(source);
    finish(from);
}

/* A record of TFRecord's framing: its bytes. */
static size_t put_record(uint8_t *to, const int64_t *keys, size_t count, int64_t label)
{
    tri__tf_example_writer made = {0};
    const uint8_t *data;
    size_t size;
    tri__tf_example_begin(&made);
    tri__tf_example_add_integers(&made, "index", keys, count);
    tri__tf_example_add_integers(&made, "label", &label, 1);
    assert_ok(tri__tf_example_finish(&made, &data, &size));
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)((uint64_t)size >> (8 * i));
    const uint32_t length_check = tri__crc32c_masked(to, 8), check = tri__crc32c_masked(data, size);
    memcpy(to + 8, &length_check, 4);
    memcpy(to + 12, data, size);
    memcpy(to + 12 + size, &check, 4);
    tri__tf_example_fini(&made);
    return size + 16;
}

static void records_are_read_until_one_cannot_be_found(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    size_t size = 0, second, third;
    size += put_record(bytes, (int64_t[]){1, 2, 7}, 3, 1);
    second = size;
    size += put_record(bytes + size, (int64_t[]){0, 8}, 2, 0);
    third = size;
    size += put_record(bytes + size, (int64_t[]){0}, 1, 3);
    size += put_record(bytes + size, (int64_t[]){5}, 1, 0);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        writer *from = start((const char *)bytes, size - 2, pieces[i]);
        tri_source *source = open_pipe(from, 8);
        example one;
        bool end;
        char place[96];
        assert_ok(next(source, &one, &end));
        assert_int_equal(one.count, 3);
        assert_int_equal(one.keys[2], 7);
        assert_int_equal(one.label, 1);
        snprintf(place, sizeof place, "the pipe: record 1 at byte %zu: index 8 where features are 0 to 7", second);
        assert_fails(next(source, &one, &end), TRI_BAD_DATA, place);
        snprintf(place, sizeof place, "the pipe: record 2 at byte %zu: has label 3 where classes are 0 to 1", third);
        assert_fails(next(source, &one, &end), TRI_BAD_DATA, place);
        assert_fails(next(source, &one, &end), TRI_BAD_DATA, "the input ends within it");
        assert_ok(next(source, &one, &end));
        assert_true(end);
        tri_source_destroy(source);
        finish(from);
    }
}

static void what_is_no_stream_of_examples_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        tri_code code;
    } cases[] = {
        {"", "there are no examples in it", TRI_BAD_DATA},
        {"# only\n\n", "there are no examples in it", TRI_BAD_DATA},
        {"hello world, this is a text\n", "neither Criteo's nor LIBSVM's", TRI_BAD_DATA},
        {"\x1f\x8b\x08 compressed bytes\n", "let zcat inflate it first", TRI_BAD_DATA},
        {"1 1:1\n", "give --features N", TRI_BAD_CALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        writer *from = start(cases[i].text, strlen(cases[i].text), 100);
        tri_source *source;
        assert_fails(tri__stream_open(from->fd[0], "the pipe", &(tri_source_options){0}, &source), cases[i].code, cases[i].message);
        finish(from);
    }
}

/* A line that was begun is no example when the reader is asked to end. */
static void a_stop_ends_the_stream_between_two_lines(void **state)
{
    (void)state;
    int fd[2];
    volatile sig_atomic_t stop = 0;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "1 1:1\n0 2:1\n1 3", 15), 15);
    tri_source *source;
    assert_ok(tri__stream_open(fd[0], "the pipe", &(tri_source_options){.features = 4, .stop = &stop}, &source));
    example one;
    bool end;
    assert_ok(next(source, &one, &end));
    stop = 1;
    assert_ok(next(source, &one, &end)); /* it has come already */
    assert_int_equal(one.keys[0], 1);
    assert_ok(next(source, &one, &end));
    assert_true(end);
    tri_source_destroy(source);
    assert_fails(tri__stream_open(fd[0], "the pipe", &(tri_source_options){.features = 4, .stop = &stop}, &source), TRI_STOPPED,
                 "stopped before");
    close(fd[0]);
    close(fd[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_whole_whatever_the_pieces),
        cmocka_unit_test(a_byte_order_mark_before_the_first_line_is_skipped),
        cmocka_unit_test(an_index_0_in_the_first_line_counts_from_0),
        cmocka_unit_test(damaged_lines_are_told_by_line_and_column),
        cmocka_unit_test(a_line_beyond_all_bounds_is_one_damaged_record),
        cmocka_unit_test(criteo_text_is_hashed_as_files_are),
        cmocka_unit_test(records_are_read_until_one_cannot_be_found),
        cmocka_unit_test(what_is_no_stream_of_examples_is_refused),
        cmocka_unit_test(a_stop_ends_the_stream_between_two_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
