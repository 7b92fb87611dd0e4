/* tfrecord_test.c: framing written and read back, bytes that TensorFlow wrote, and damage of every byte. */
#include "data/format/tfrecord.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/file/content.h"
#include "data/fixture.h"

/* What TensorFlow's TFRecordWriter makes of the record "hello". */
static const uint8_t from_tensorflow[] = {
    0x05, 0, 0, 0, 0, 0, 0, 0, 0xea, 0xb2, 0x04, 0x3e, 'h', 'e', 'l', 'l', 'o', 0xbb, 0x1f, 0x1c, 0x19,
};

/* Record i: i · 37 bytes. */
static size_t make_record(int i, uint8_t *out)
{
    for (int k = 0; k < i * 37; k++)
        out[k] = (uint8_t)(k * k + i);
    return (size_t)i * 37;
}

enum { RECORDS = 20 };

static void write_records(const char *path, tri__compression compression)
{
    tri__tfrecord_writer *writer;
    assert_ok(tri__tfrecord_writer_create(path, compression, &writer));
    uint8_t data[RECORDS * 37];
    for (int i = 0; i < RECORDS; i++) {
        size_t size = make_record(i, data);
        tri__tfrecord_write(writer, data, size);
    }
    assert_ok(tri__tfrecord_writer_commit(writer));
}

/* Go through all records; the first failure, if any, and how many were good before it. */
static tri_status read_records(const tri__tfrecord_file *file, int64_t *good)
{
    size_t offset = 0;
    for (*good = 0; offset < file->size; ++*good) {
        tri__record record;
        TRI_TRY(tri__tfrecord_at(file, offset, *good, &record));
        TRI_TRY(tri__tfrecord_check(file, &record));
        uint8_t expected[RECORDS * 37];
        assert_int_equal(record.size, make_record((int)*good, expected));
        assert_memory_equal(record.data, expected, record.size);
        offset = tri__record_end(&record);
    }
    return NULL;
}

static void written_tfrecords_are_read_back(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x.tfrecord");
    const tri__compression kinds[] = {TRI_UNCOMPRESSED, TRI_GZIP, TRI_ZLIB};
    for (int i = 0; i < 3; i++) {
        write_records(path, kinds[i]);
        tri__content content;
        assert_ok(tri__content_open(path, NULL, &content));
        int64_t good;
        assert_true(tri__tfrecord_is(content.data, content.size));
        assert_ok(read_records(&(tri__tfrecord_file){path, content.data, content.size}, &good));
        assert_int_equal(good, RECORDS);
        assert_int_equal(content.disk_bytes == (int64_t)content.size, kinds[i] == TRI_UNCOMPRESSED);
        tri__content_fini(&content);
    }
    free(path);
    test_folder_remove(folder);
}

static void tfrecord_bytes_are_those_of_tensorflow(void **state)
{
    (void)state;
    const tri__tfrecord_file file = {"x", from_tensorflow, sizeof from_tensorflow};
    tri__record record;
    assert_true(tri__tfrecord_is(from_tensorflow, sizeof from_tensorflow));
    assert_ok(tri__tfrecord_at(&file, 0, 0, &record));
    assert_ok(tri__tfrecord_check(&file, &record));
    assert_int_equal(record.size, 5);
    assert_ptr_equal(record.data, from_tensorflow + 12); /* nothing is copied */
    char *folder = test_folder_create(), *path = test_path(folder, "x");
    tri__tfrecord_writer *writer;
    assert_ok(tri__tfrecord_writer_create(path, TRI_UNCOMPRESSED, &writer));
    tri__tfrecord_write(writer, "hello", 5);
    assert_ok(tri__tfrecord_writer_commit(writer));
    size_t size;
    char *ours = test_read(path, &size);
    assert_int_equal(size, sizeof from_tensorflow);
    assert_memory_equal(ours, from_tensorflow, size);
    free(ours);
    free(path);
    test_folder_remove(folder);
}

/* Whichever byte is changed, the record that holds it is told, and all before it are good. */
static void a_changed_byte_of_a_tfrecord_file_is_reported_in_its_record(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x");
    write_records(path, TRI_UNCOMPRESSED);
    size_t size, begin = 0;
    char *bytes = test_read(path, &size);
    const tri__tfrecord_file file = {"x", (const uint8_t *)bytes, size};
    int64_t record = 0;
    for (size_t i = 0; i < size; i++) {
        if (i == begin + (size_t)record * 37 + 16) {
            begin = i;
            record++;
        }
        bytes[i] ^= 4;
        int64_t good;
        char place[64];
        snprintf(place, sizeof place, "x: record %" PRId64 " at byte %zu: ", record, begin);
        assert_fails(read_records(&file, &good), TRI_BAD_DATA, place);
        assert_int_equal(good, record);
        bytes[i] ^= 4;
    }
    free(bytes);
    free(path);
    test_folder_remove(folder);
}

static void a_tfrecord_file_cut_anywhere_is_reported(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x");
    write_records(path, TRI_UNCOMPRESSED);
    size_t size, end = 0;
    char *bytes = test_read(path, &size);
    int64_t whole = 0;
    for (size_t cut = 0; cut < size; cut++) {
        if (cut == end + (size_t)whole * 37 + 16) {
            end = cut;
            whole++;
        }
        int64_t good;
        tri_status status = read_records(&(tri__tfrecord_file){"x", (const uint8_t *)bytes, cut}, &good);
        assert_int_equal(good, whole);
        if (cut == end)
            assert_ok(status); /* between two records a file may end */
        else
            assert_fails(status, TRI_BAD_DATA, "cut short?");
    }
    free(bytes);
    free(path);
    test_folder_remove(folder);
}

static void an_abandoned_tfrecord_file_leaves_nothing(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x");
    for (int i = 0; i < 3; i++) {
        tri__tfrecord_writer *writer;
        assert_ok(tri__tfrecord_writer_create(path, (tri__compression)i, &writer));
        tri__tfrecord_write(writer, "hello", 5);
        assert_int_not_equal(access(path, F_OK), 0);
        tri__tfrecord_writer_abandon(writer);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    tri__tfrecord_writer_abandon(NULL);
    tri__tfrecord_writer *writer;
    assert_fails(tri__tfrecord_writer_create("/nowhere/x", TRI_GZIP, &writer), TRI_NOT_FOUND, "/nowhere/x");
    free(path);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_tfrecords_are_read_back),
        cmocka_unit_test(tfrecord_bytes_are_those_of_tensorflow),
        cmocka_unit_test(a_changed_byte_of_a_tfrecord_file_is_reported_in_its_record),
        cmocka_unit_test(a_tfrecord_file_cut_anywhere_is_reported),
        cmocka_unit_test(an_abandoned_tfrecord_file_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
