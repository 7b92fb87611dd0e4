/* npy_test.c: NumPy's arrays, written by hand as NumPy writes them (tests/interop has those of NumPy itself). */
#include "data/format/npy.h"

#include <stdio.h>
#include <zlib.h>

#include "data/fixture.h"

enum { HEADER = 128 };

/* A file of the array; elements: bytes of them. */
static size_t make_array(uint8_t *out, const char *about, const void *elements, size_t bytes)
{
    memset(out, ' ', HEADER);
    memcpy(out, TRI_NPY_MAGIC "\1\0", 8);
    out[8] = HEADER - 10;
    out[9] = 0;
    memcpy(out + 10, about, strlen(about));
    out[HEADER - 1] = '\n';
    memcpy(out + HEADER, elements, bytes);
    return HEADER + bytes;
}

static void put_array(const char *folder, const char *name, const char *about, const void *elements, size_t bytes)
{
    uint8_t file[512];
    fixture_write(folder, name, file, make_array(file, about, elements, bytes));
}

static void elements_of_every_type_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        union {
            int8_t i1;
            uint8_t u1;
            int16_t i2;
            uint16_t u2;
            int32_t i4;
            uint32_t u4;
            int64_t i8;
            uint64_t u8;
            float f4;
            double f8;
        } value;
        size_t size;
        double expected;
    } cases[] = {
        {"|i1", {.i1 = -3}, 1, -3},          {"|u1", {.u1 = 250}, 1, 250},     {"|b1", {.u1 = 1}, 1, 1},
        {"<i2", {.i2 = -300}, 2, -300},      {"<u2", {.u2 = 65000}, 2, 65000}, {"<i4", {.i4 = -70000}, 4, -70000},
        {"<u4", {.u4 = 4000000000}, 4, 4e9}, {"<i8", {.i8 = -1}, 8, -1},       {"<u8", {.u8 = 5}, 8, 5},
        {"<f4", {.f4 = 0.5F}, 4, 0.5},       {"<f8", {.f8 = -0.25}, 8, -0.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char about[96];
        uint8_t file[512];
        tri__npy array;
        snprintf(about, sizeof about, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", cases[i].type);
        assert_ok(tri__npy_parse("x", file, make_array(file, about, &cases[i].value, cases[i].size), &array));
        assert_true(array.rank == 1 && array.count == 1);
        assert_float_equal(tri__npy_at(&array, 0), cases[i].expected, 0);
    }
}

static void arrays_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *about, *message;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", "Fortran's order"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "its elements are '>f4': save them as float32"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", "its elements are '<c16': save them as float32"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "its elements are '|O': save them as float32"},
        {"{'descr': '<U1234567890123456789",
         "its elements are '<U12345678901234': save them as float32, float64, uint8 or integers (numpy.unique(y, "},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "no plain type"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }", "ends before its last element"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "makes no sense"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "no array"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (x), }", "makes no sense"},
        {"{'descr': '<f4', 'shape': (2,), }", "in which order"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "has 144 bytes, and its shape needs 140"},
        {"nothing", "no plain type"},
    };
    const float elements[4] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t file[512];
        tri__npy array;
        const size_t size = make_array(file, cases[i].about, elements, sizeof elements);
        tri_status status = tri__npy_parse("x", file, size, &array);
        if (!status || !strstr(tri_status_message(status), cases[i].message))
            fail_msg("%s: %s", cases[i].about, status ? tri_status_message(status) : "read");
        tri_status_free(status);
    }
}

static void a_folder_of_x_and_y_is_a_source(void **state)
{
    const char *here = *state;
    const float x[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    const double y[3] = {0.5, -1, 2.25};
    put_array(here, "x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", x, sizeof x);
    put_array(here, "y.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", y, sizeof y);
    char *beside = test_path(here, "x.npy");
    for (int i = 0; i < 2; i++) {
        tri_source *source;
        float row[3][2], targets[3];
        assert_ok(tri_source_open(i ? beside : here, TRI_PART_TRAIN, &(tri_source_options){.labels = TRI_LABEL_NUMBERS}, &source));
        const tri_source_info *info = tri_source_describe(source);
        assert_true(info->examples == 3 && info->outputs == 1 && info->files == 2 && tri_shape_equal(info->shape, TRI_SHAPE(2)));
        assert_ok(tri_source_read_targets(source, (int64_t[]){0, 1, 2}, 3, row, targets));
        assert_memory_equal(row, x, sizeof x);
        assert_true(targets[0] == 0.5F && targets[1] == -1 && targets[2] == 2.25F);
        tri_source_destroy(source);
    }
    free(beside);
    put_array(here, "y.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", y, 2 * sizeof *y);
    tri_source *source;
    assert_fails(tri_source_open(here, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "x has 3 examples; y has 2");
    put_array(here, "x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }", x, 0);
    assert_fails(tri_source_open(here, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "x has no examples");
}

static void whole_labels_are_classes_and_bytes_stay_bytes(void **state)
{
    const char *here = *state;
    const uint8_t x[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    const int64_t y[2] = {-1, 1};
    put_array(here, "X_train.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }", x, sizeof x);
    put_array(here, "y_train.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", y, sizeof y);
    tri_source *source;
    uint8_t row[4];
    int32_t label;
    assert_ok(tri_source_open(here, TRI_PART_TRAIN, NULL, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_true(info->type == TRI_U8 && info->classes == 2 && tri_shape_equal(info->shape, TRI_SHAPE(2, 2, 1)));
    assert_ok(tri_source_read(source, &(int64_t){1}, 1, row, &label));
    assert_memory_equal(row, x[1], sizeof row);
    assert_int_equal(label, 1);
    tri_source_destroy(source);
    put_array(here, "y_train.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", (int64_t[]){-1, 0}, sizeof y);
    assert_fails(tri_source_open(here, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA,
                 "label 1 is 0 where labels are -1 and +1 (number the classes from 0 on)");
}

static uint8_t *put_number(uint8_t *at, uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (uint8_t)(number >> 8 * i);
    return at;
}

/* An archive of one file, x.npy; says: the size that its directory tells. Where its bytes begin: 30 + 5. */
static size_t make_archive(uint8_t *out, const uint8_t *plain, size_t size, bool deflated, size_t says)
{
    enum { LOCAL = 35 };
    uint8_t *at = out + LOCAL;
    memset(out, 0, LOCAL);
    memcpy(out, TRI_ZIP_MAGIC, 4);
    put_number(out + 26, 5, 2);
    memcpy(out + 30, "x.npy", 5);
    z_stream stream = {.next_in = (Bytef *)plain, .avail_in = (uInt)size, .next_out = at, .avail_out = 4096};
    if (deflated) {
        assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        deflateEnd(&stream);
    } else {
        memcpy(at, plain, size);
    }
    const size_t stored = deflated ? stream.total_out : size, directory = LOCAL + stored;
    at += stored;
    memset(at, 0, 46);
    memcpy(at, "PK\1\2", 4);
    put_number(at + 10, deflated ? 8 : 0, 2);
    put_number(at + 16, (uint32_t)crc32(0, plain, (uInt)size), 4);
    put_number(at + 20, (uint32_t)stored, 4);
    put_number(at + 24, (uint32_t)says, 4);
    put_number(at + 28, 5, 2);
    memcpy(at + 46, "x.npy", 5);
    at += 51;
    memset(at, 0, 22);
    memcpy(at, "PK\5\6", 4);
    put_number(at + 10, 1, 2);
    put_number(at + 16, (uint32_t)directory, 4);
    return (size_t)(at + 22 - out);
}

static void damage_in_an_archive_is_found(void **state)
{
    const char *here = *state;
    const float x[2][2] = {{1, 2}, {3, 4}};
    uint8_t plain[4096] = {0}, archive[8192];
    char *path = test_path(here, "some.npz");
    for (int deflated = 0; deflated < 2; deflated++) {
        tri_source *source;
        float row[2];
        int32_t label;
        const size_t size = make_array(plain, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", x, sizeof x);
        size_t bytes = make_archive(archive, plain, size, deflated, size);
        fixture_write(here, "some.npz", archive, bytes);
        assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
        assert_ok(tri_source_read(source, &(int64_t){1}, 1, row, &label));
        assert_true(row[0] == 3 && row[1] == 4);
        tri_source_destroy(source);
        archive[bytes - 22 - 51 + 16] ^= 1; /* of the checksum */
        fixture_write(here, "some.npz", archive, bytes);
        assert_fails(tri_source_open(path, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "the checksum of an array in it does not match");
        bytes = make_archive(archive, plain, 4000, deflated, 4000); /* far more than the shape needs */
        fixture_write(here, "some.npz", archive, bytes);
        assert_fails(tri_source_open(path, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "has 4000 bytes, and its shape needs 144");
        bytes = make_archive(archive, plain, 4000, deflated, size); /* … and the directory does not tell */
        fixture_write(here, "some.npz", archive, bytes);
        assert_fails(tri_source_open(path, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, deflated ? "is damaged" : "is cut");
    }
    free(path);
}

/* An array of an archive that is not compressed. */
typedef struct {
    const char *name;
    uint8_t plain[256];
    size_t size, offset;
} member;

static size_t make_members(uint8_t *out, member *members, int count)
{
    uint8_t *at = out;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(members[i].name);
        members[i].offset = (size_t)(at - out);
        memset(at, 0, 30);
        memcpy(at, TRI_ZIP_MAGIC, 4);
        put_number(at + 26, (uint32_t)length, 2);
        memcpy(at + 30, members[i].name, length);
        memcpy(at + 30 + length, members[i].plain, members[i].size);
        at += 30 + length + members[i].size;
    }
    const size_t directory = (size_t)(at - out);
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(members[i].name);
        memset(at, 0, 46);
        memcpy(at, "PK\1\2", 4);
        put_number(at + 16, (uint32_t)crc32(0, members[i].plain, (uInt)members[i].size), 4);
        put_number(at + 20, (uint32_t)members[i].size, 4);
        put_number(at + 24, (uint32_t)members[i].size, 4);
        put_number(at + 28, (uint32_t)length, 2);
        put_number(at + 42, (uint32_t)members[i].offset, 4);
        memcpy(at + 46, members[i].name, length);
        at += 46 + length;
    }
    memset(at, 0, 22);
    memcpy(at, "PK\5\6", 4);
    put_number(at + 10, (uint32_t)count, 2);
    put_number(at + 16, (uint32_t)directory, 4);
    return (size_t)(at + 22 - out);
}

/* As Keras keeps its sets: the parts of one archive are those of the source. */
static void an_archive_may_hold_several_parts(void **state)
{
    const char *here = *state;
    static const char x[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
                      y[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
    member members[] = {{.name = "x_train.npy"}, {.name = "y_train.npy"}, {.name = "x_test.npy"}, {.name = "y_test.npy"}};
    for (int i = 0; i < 4; i++)
        members[i].size = i % 2 ? make_array(members[i].plain, y, (uint8_t[]){i / 2, 1}, 2)
                                : make_array(members[i].plain, x, (float[]){(float)i, 7}, 2 * sizeof(float));
    uint8_t archive[2048];
    char *path = test_path(here, "mnist.npz");
    tri_source *source;
    for (int count = 4; count >= 2; count -= 2) {
        fixture_write(here, "mnist.npz", archive, make_members(archive, members, count));
        for (int part = 0; part < count / 2; part++) {
            float row;
            int32_t label;
            assert_ok(tri_source_open(path, part ? TRI_PART_TEST : TRI_PART_TRAIN, NULL, &source));
            assert_ok(tri_source_read(source, &(int64_t){0}, 1, &row, &label));
            assert_true(row == 2.0F * (float)part);
            tri_source_destroy(source);
        }
        assert_fails(tri_source_open(path, TRI_PART_VALIDATION, NULL, &source), TRI_NOT_FOUND, "has no array called");
    }
    assert_fails(tri_source_open(path, TRI_PART_TEST, NULL, &source), TRI_NOT_FOUND,
                 "mnist.npz: has no array called x_test, X_test, x_val or X_val (numpy.savez(file, x=…, y=…) names them)");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_every_type_are_read), cmocka_unit_test(arrays_that_cannot_be_read_are_refused),
        FOLDER_TEST(a_folder_of_x_and_y_is_a_source),      FOLDER_TEST(whole_labels_are_classes_and_bytes_stay_bytes),
        FOLDER_TEST(damage_in_an_archive_is_found),        FOLDER_TEST(an_archive_may_hold_several_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
