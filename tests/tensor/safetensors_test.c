/* safetensors_test.c: files written and read back, their bytes, and damaged files of every kind. */
#include "tensor/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static float weights[6] = {1, 2, 3, 4, 5, -6};
static int64_t steps[1] = {1234567890123};
static uint8_t labels[3] = {7, 8, 255};
static int32_t sizes[2] = {-1, 2};

static const tri__named_tensor tensors[] = {
    {"labels", {TRI_U8, {1, {3}}, labels}, 0, NULL, {0}}, {"dense.weight", {TRI_F32, {2, {2, 3}}, weights}, 0, NULL, {0}},
    {"step", {TRI_I64, {0, {0}}, steps}, 0, NULL, {0}},   {"nothing", {TRI_F32, {2, {0, 5}}, weights}, 0, NULL, {0}},
    {"größen", {TRI_I32, {1, {2}}, sizes}, 0, NULL, {0}},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };

static const tri__metadata metadata[] = {{"model", "x = input()\n\"quoted\"\n"}, {"format", "pt"}};

typedef struct {
    char *folder, *path;
} fixture;

static int make_folder(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->folder = test_folder_create();
    f->path = test_path(f->folder, "model.safetensors");
    *state = f;
    return 0;
}

static int remove_folder(void **state)
{
    fixture *f = *state;
    test_folder_remove(f->folder);
    free(f->path);
    free(f);
    return 0;
}

static void written_tensors_are_read_back(void **state)
{
    fixture *f = *state;
    tri__safetensors *file;
    assert_ok(tri__safetensors_write(f->path, tensors, TENSORS, metadata, 2));
    assert_ok(tri__safetensors_open(f->path, &file));
    assert_int_equal(tri__safetensors_count(file), TENSORS);
    for (int i = 0; i < TENSORS; i++) {
        tri_tensor back;
        const tri_tensor *there = &tensors[i].tensor;
        assert_ok(tri__safetensors_find(file, tensors[i].name, there->type, there->shape, &back));
        assert_int_equal((uintptr_t)back.data % tri_type_size(back.type), 0);
        assert_memory_equal(back.data, there->data, (size_t)tri_shape_count(there->shape) * tri_type_size(there->type));
    }
    assert_string_equal(tri__safetensors_metadata(file, "model"), metadata[0].value);
    assert_string_equal(tri__safetensors_metadata(file, "format"), "pt");
    assert_null(tri__safetensors_metadata(file, "absent"));
    tri__safetensors_close(file);
    tri__safetensors_close(NULL);
}

static void a_safetensors_file_is_byte_by_byte_as_the_format_says(void **state)
{
    fixture *f = *state;
    static const char header[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                                 "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[24,27]}}";
    const tri__named_tensor two[] = {{"b", tensors[0].tensor, 0, NULL, {0}}, {"a", tensors[1].tensor, 0, NULL, {0}}};
    size_t size;
    assert_ok(tri__safetensors_write(f->path, two, 2, NULL, 0));
    char *bytes = test_read(f->path, &size);
    uint64_t length;
    memcpy(&length, bytes, 8);
    assert_int_equal(length % 8, 0);
    assert_true(length >= strlen(header) && length < strlen(header) + 8);
    assert_memory_equal(bytes + 8, header, strlen(header));
    for (size_t i = strlen(header); i < length; i++)
        assert_int_equal(bytes[8 + i], ' ');
    assert_memory_equal(bytes + 8 + length, weights, 24);
    assert_memory_equal(bytes + 8 + length + 24, labels, 3);
    assert_int_equal(size, 8 + length + 27);
    free(bytes);
}

static void a_safetensors_file_may_have_no_tensors(void **state)
{
    fixture *f = *state;
    tri__safetensors *file;
    assert_ok(tri__safetensors_write(f->path, NULL, 0, NULL, 0));
    assert_ok(tri__safetensors_open(f->path, &file));
    assert_int_equal(tri__safetensors_count(file), 0);
    tri__safetensors_close(file);
}

static void invalid_tensor_names_are_refused_and_leave_no_file(void **state)
{
    fixture *f = *state;
    const tri__named_tensor twice[] = {{"a", tensors[0].tensor, 0, NULL, {0}}, {"a", tensors[1].tensor, 0, NULL, {0}}};
    const tri__named_tensor reserved[] = {{"__metadata__", tensors[0].tensor, 0, NULL, {0}}};
    const tri__named_tensor not_utf8[] = {{"\xff", tensors[0].tensor, 0, NULL, {0}}};
    const tri__named_tensor negative[] = {{"a", {TRI_F32, {1, {-1}}, weights}, 0, NULL, {0}}};
    assert_fails(tri__safetensors_write(f->path, twice, 2, NULL, 0), TRI_BAD_CALL, "'a' is given twice");
    assert_fails(tri__safetensors_write(f->path, reserved, 1, NULL, 0), TRI_BAD_CALL, "__metadata__");
    assert_fails(tri__safetensors_write(f->path, not_utf8, 1, NULL, 0), TRI_BAD_CALL, "UTF-8");
    assert_fails(tri__safetensors_write(f->path, negative, 1, NULL, 0), TRI_BAD_CALL, "'a'");
    assert_fails(tri__safetensors_open(f->path, &(tri__safetensors *){NULL}), TRI_NOT_FOUND, f->path);
}

/* What lies in memory with gaps, as the rows of a table do, is written without them. */
static void rows_with_a_pitch_are_written_one_after_another(void **state)
{
    (void)state;
    enum { ROWS = 30000, WIDTH = 3, STRIDE = 8 }; /* more than a buffer holds */
    char *folder = test_folder_create(), *path = test_path(folder, "table.safetensors");
    float *rows = calloc(ROWS, STRIDE * sizeof *rows);
    assert_non_null(rows);
    for (int i = 0; i < ROWS * STRIDE; i++)
        rows[i] = (float)i;
    const tri__named_tensor table = {"table", {TRI_F32, TRI_SHAPE(ROWS, WIDTH), rows + 2}, STRIDE * sizeof *rows, NULL, {0}};
    assert_ok(tri__safetensors_write(path, &table, 1, NULL, 0));
    tri__safetensors *file;
    tri_tensor read;
    assert_ok(tri__safetensors_open(path, &file));
    assert_ok(tri__safetensors_find(file, "table", TRI_F32, TRI_SHAPE(ROWS, WIDTH), &read));
    for (int i = 0; i < ROWS * WIDTH; i++)
        assert_true(((const float *)read.data)[i] == (float)(i / WIDTH * STRIDE + 2 + i % WIDTH));
    tri__safetensors_close(file);
    free(rows);
    free(path);
    test_folder_remove(folder);
}

/* Of rows that are chosen by their bits, those are written, and their numbers where no data are given. */
static void chosen_rows_are_written_with_their_numbers(void **state)
{
    (void)state;
    enum { ROWS = 100000, WIDTH = 2, STRIDE = 4, EVERY = 3, CHOSEN = (ROWS + EVERY - 1) / EVERY };
    char *folder = test_folder_create(), *path = test_path(folder, "chosen.safetensors");
    float *rows = calloc(ROWS, STRIDE * sizeof *rows);
    uint64_t *bits = calloc(ROWS / 64 + 1, sizeof *bits);
    assert_true(rows && bits);
    for (int i = 0; i < ROWS * STRIDE; i++)
        rows[i] = (float)i;
    for (int i = 0; i < ROWS; i += EVERY)
        bits[i / 64] |= UINT64_C(1) << i % 64;
    const tri__named_tensor two[] = {{"rows", {TRI_F32, TRI_SHAPE(CHOSEN, WIDTH), rows + 1}, STRIDE * sizeof *rows, bits, {0}},
                                     {"numbers", {TRI_I32, TRI_SHAPE(CHOSEN), NULL}, 0, bits, {0}}};
    assert_ok(tri__safetensors_write(path, two, 2, NULL, 0));
    tri__safetensors *file;
    tri_tensor read, numbers;
    assert_ok(tri__safetensors_open(path, &file));
    assert_ok(tri__safetensors_find(file, "rows", TRI_F32, TRI_SHAPE(CHOSEN, WIDTH), &read));
    assert_ok(tri__safetensors_find(file, "numbers", TRI_I32, TRI_SHAPE(CHOSEN), &numbers));
    for (int i = 0; i < CHOSEN; i++) {
        assert_int_equal(((const int32_t *)numbers.data)[i], i * EVERY);
        for (int k = 0; k < WIDTH; k++)
            assert_true(((const float *)read.data)[i * WIDTH + k] == (float)(i * EVERY * STRIDE + 1 + k));
    }
    tri__safetensors_close(file);
    free(rows);
    free(bits);
    free(path);
    test_folder_remove(folder);
}

static void a_missing_or_different_tensor_is_reported_by_name(void **state)
{
    fixture *f = *state;
    tri__safetensors *file;
    tri_tensor out;
    assert_ok(tri__safetensors_write(f->path, tensors, TENSORS, NULL, 0));
    assert_ok(tri__safetensors_open(f->path, &file));
    assert_fails(tri__safetensors_find(file, "conv1.weight", TRI_F32, TRI_SHAPE(2, 3), &out), TRI_NOT_FOUND, "no tensor 'conv1.weight'");
    assert_fails(tri__safetensors_find(file, "dense.weight", TRI_F32, TRI_SHAPE(3, 2), &out), TRI_BAD_DATA,
                 "'dense.weight' is f32 2x3, expected f32 3x2");
    assert_fails(tri__safetensors_find(file, "dense.weight", TRI_I32, TRI_SHAPE(2, 3), &out), TRI_BAD_DATA, "expected i32");
    tri__safetensors_close(file);
}

/* Parse header followed by data bytes of zeros; the length in front is the header's own unless length says otherwise. */
static tri_status parse(const char *header, size_t data, uint64_t length, tri__safetensors **out)
{
    static uint8_t bytes[4096];
    size_t text = strlen(header);
    if (length == 0)
        length = text;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, text);
    return tri__safetensors_parse("x.safetensors", bytes, 8 + text + data, out);
}

#define A(dtype, shape, offsets) "\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define B(dtype, shape, offsets) "\"b\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void damaged_safetensors_headers_are_refused(void **state)
{
    static const struct {
        const char *header;
        size_t data;
        uint64_t length;
        tri_code code;
        const char *why;
    } cases[] = {
        {"{}", 0, 100, TRI_BAD_DATA, "truncated: the header has 100 bytes, only 2"},
        {"{}", 0, UINT64_MAX, TRI_BAD_DATA, "not a safetensors file"},
        {"{}", 0, 100000001, TRI_BAD_DATA, "more than the format allows"},
        {"{}", 0, UINT64_C(0x159504d554e93), TRI_BAD_DATA, "not a safetensors file, but a NumPy array"},
        {"{}", 0, UINT64_C(0x1404034b50), TRI_BAD_DATA, "not a safetensors file, but a ZIP archive"},
        {"{}", 0, UINT64_C(0xa1a0a0d46444889), TRI_BAD_DATA, "not a safetensors file, but an HDF5 file"},
        {"{", 0, 0, TRI_BAD_DATA, "not a safetensors file"},
        {"[]", 0, 0, TRI_BAD_DATA, "not a JSON object"},
        {"{}", 5, 0, TRI_BAD_DATA, "5 bytes behind the last tensor"},
        {"{\"a\":3}", 0, 0, TRI_BAD_DATA, "tensor 'a'"},
        {"{\"a\":{}}", 0, 0, TRI_UNSUPPORTED, "type is missing"},
        {"{\"__metadata__\":[]}", 0, 0, TRI_BAD_DATA, "__metadata__ is not a map"},
        {"{\"__metadata__\":{\"k\":1}}", 0, 0, TRI_BAD_DATA, "'k' is not a text"},
        {"{" A("BF16", "[1]", "[0,2]") "}", 2, 0, TRI_UNSUPPORTED, "type BF16"},
        {"{" A("F32", "3", "[0,4]") "}", 4, 0, TRI_BAD_DATA, "no shape"},
        {"{" A("F32", "[1.5]", "[0,4]") "}", 4, 0, TRI_BAD_DATA, "dimension 0 is not a whole number"},
        {"{" A("F32", "[-1]", "[0,4]") "}", 4, 0, TRI_BAD_DATA, "negative or too large"},
        {"{" A("F32", "[4294967296,4294967296]", "[0,0]") "}", 0, 0, TRI_BAD_DATA, "negative or too large"},
        {"{" A("F32", "[1,1,1,1,1,1]", "[0,4]") "}", 4, 0, TRI_UNSUPPORTED, "6 dimensions"},
        {"{" A("F32", "[1]", "[0]") "}", 4, 0, TRI_BAD_DATA, "data_offsets"},
        {"{" A("F32", "[1]", "[4,0]") "}", 4, 0, TRI_BAD_DATA, "data_offsets"},
        {"{" A("F32", "[1]", "[-4,0]") "}", 4, 0, TRI_BAD_DATA, "data_offsets"},
        {"{" A("F32", "[2]", "[0,4]") "}", 4, 0, TRI_BAD_DATA, "f32 2 is 8 bytes, data_offsets say 4"},
        {"{" A("F32", "[1]", "[0,4]") "," A("F32", "[1]", "[4,8]") "}", 8, 0, TRI_BAD_DATA, "not JSON"},
        {"{" A("F32", "[2]", "[0,8]") "}", 7, 0, TRI_BAD_DATA, "truncated: tensor 'a' ends at byte 8 of the data, only 7"},
        {"{" A("U8", "[8]", "[0,8]") "," B("U8", "[8]", "[4,12]") "}", 12, 0, TRI_BAD_DATA, "they overlap"},
        {"{" A("U8", "[8]", "[0,8]") "," B("U8", "[8]", "[10,18]") "}", 18, 0, TRI_BAD_DATA, "a hole"},
        {"{" A("U8", "[8]", "[1,9]") "}", 9, 0, TRI_BAD_DATA, "a hole"},
        {"{" A("U8", "[9223372036854775807]", "[0,9223372036854775807]") "}", 8, 0, TRI_BAD_DATA, "too large"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__safetensors *file;
        tri_status status = parse(cases[i].header, cases[i].data, cases[i].length, &file);
        assert_non_null(status);
        assert_non_null(strstr(tri_status_message(status), "x.safetensors: "));
        assert_fails(status, cases[i].code, cases[i].why);
    }
}

static void every_shortened_safetensors_file_is_called_truncated(void **state)
{
    fixture *f = *state;
    size_t size;
    uint64_t header;
    assert_ok(tri__safetensors_write(f->path, tensors, TENSORS, metadata, 2));
    char *bytes = test_read(f->path, &size);
    memcpy(&header, bytes, 8);
    for (size_t cut = 0; cut < size; cut++) {
        tri__safetensors *file;
        assert_fails(tri__safetensors_parse("cut", (uint8_t *)bytes, cut, &file), TRI_BAD_DATA, "cut: truncated");
    }
    free(bytes);
}

static void tensors_at_unaligned_offsets_are_read(void **state)
{
    (void)state;
    static const char header[] = "{" A("U8", "[3]", "[0,3]") "," B("F32", "[2]", "[3,11]") "}";
    uint8_t bytes[256] = {sizeof header - 1};
    float values[2] = {1.5F, -2};
    tri__safetensors *file;
    tri_tensor b;
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + 8 + sizeof header - 1 + 3, values, sizeof values);
    assert_ok(tri__safetensors_parse("odd", bytes, 8 + sizeof header - 1 + 11, &file));
    assert_string_equal(tri__safetensors_at(file, 1)->name, "b");
    assert_ok(tri__safetensors_find(file, "b", TRI_F32, TRI_SHAPE(2), &b));
    assert_int_equal((uintptr_t)b.data % 4, 0);
    assert_memory_equal(b.data, values, sizeof values);
    tri__safetensors_close(file);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(written_tensors_are_read_back),
        IN_FOLDER(a_safetensors_file_is_byte_by_byte_as_the_format_says),
        IN_FOLDER(a_safetensors_file_may_have_no_tensors),
        IN_FOLDER(invalid_tensor_names_are_refused_and_leave_no_file),
        IN_FOLDER(a_missing_or_different_tensor_is_reported_by_name),
        cmocka_unit_test(rows_with_a_pitch_are_written_one_after_another),
        cmocka_unit_test(chosen_rows_are_written_with_their_numbers),
        cmocka_unit_test(damaged_safetensors_headers_are_refused),
        IN_FOLDER(every_shortened_safetensors_file_is_called_truncated),
        cmocka_unit_test(tensors_at_unaligned_offsets_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
