/* idx_test.c: the parser on good bytes and on damaged ones, and sources over pairs of files. */
#include "data/format/idx.h"

#include "data/fixture.h"

static void an_idx_file_is_parsed(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 10, 20, 30, 40, 50, 60};
    tri__idx idx;
    assert_ok(tri__idx_parse("x", bytes, sizeof bytes, &idx));
    assert_true(tri_shape_equal(idx.shape, TRI_SHAPE(2, 1, 3)));
    assert_ptr_equal(idx.elements, bytes + 16);
    assert_int_equal(tri__idx_rank(bytes, sizeof bytes), 3);
    assert_int_equal(tri__idx_rank(bytes, 3), 0);
}

static void an_idx_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *data = fixture_idx(3, (uint32_t[]){2, 3, 4}, 256, 0, &size);
    tri__idx idx;
    for (size_t cut = 0; cut < size; cut++)
        assert_fails(tri__idx_parse("x", data, cut, &idx), TRI_BAD_DATA, "cut short?");
    free(data);
}

static void a_damaged_idx_header_is_reported(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        tri_code code;
        const char *message;
    } cases[] = {
        {0, 1, TRI_BAD_DATA, "byte 0: 01 00 08 03 is not the magic number"},
        {2, 7, TRI_BAD_DATA, "not the magic number"},
        {2, 0x0d, TRI_UNSUPPORTED, "byte 2: holds 32-bit floats"},
        {3, 0, TRI_BAD_DATA, "not the magic number"},
        {3, 9, TRI_UNSUPPORTED, "byte 3: has 9 dimensions"},
        {7, 3, TRI_BAD_DATA, "ends at byte 40, but 3x3x4 elements need 52"},
        {7, 1, TRI_BAD_DATA, "byte 28: 12 more bytes than 1x3x4 elements need"},
        {4, 255, TRI_BAD_DATA, "cut short?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        uint8_t *data = fixture_idx(3, (uint32_t[]){2, 3, 4}, 256, 0, &size);
        data[cases[i].at] = cases[i].value;
        tri__idx idx;
        assert_fails(tri__idx_parse("x", data, size, &idx), cases[i].code, cases[i].message);
        free(data);
    }
}

static void idx_dimensions_that_overflow_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[64] = {0, 0, 8, 4};
    memset(bytes + 4, 0xff, 16);
    tri__idx idx;
    assert_fails(tri__idx_parse("x", bytes, sizeof bytes, &idx), TRI_BAD_DATA, "larger than any file");
    memset(bytes + 4, 0, 4); /* 0 × too much × … is nothing, and then all the rest is too much */
    assert_fails(tri__idx_parse("x", bytes, sizeof bytes, &idx), TRI_BAD_DATA, NULL);
}

static tri_status open_pair(const char *folder, const char *images_name, const char *labels_name, int64_t classes, tri_source **out)
{
    char *images = test_path(folder, images_name), *labels = test_path(folder, labels_name);
    tri_status status = tri__idx_open(images, labels, classes, NULL, out);
    free(images);
    free(labels);
    return status;
}

static void an_idx_source_gives_images_with_their_labels(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    for (int gzip = 0; gzip < 2; gzip++) {
        fixture_pair(folder, "images", "labels", 10, 5, gzip);
        tri_source *source;
        assert_ok(open_pair(folder, "images", "labels", 0, &source));
        assert_int_equal(source->info.examples, 10);
        assert_int_equal(source->info.classes, 5);
        assert_int_equal(source->info.files, 2);
        assert_true(tri_shape_equal(source->info.shape, TRI_SHAPE(4, 3, 1)));
        uint8_t x[24];
        int32_t labels[2];
        assert_ok(tri_source_read(source, (int64_t[]){9, 2}, 2, x, labels));
        assert_int_equal(x[0], (9 * 12 * 7 + 1) % 251);
        assert_int_equal(x[12 + 5], ((2 * 12 + 5) * 7 + 1) % 251);
        assert_int_equal(labels[0], 63 % 5);
        assert_int_equal(labels[1], 14 % 5);
        assert_fails(tri_source_read(source, (int64_t[]){10}, 1, x, labels), TRI_BAD_CALL, "no record 10");
        assert_fails(tri_source_read(source, (int64_t[]){-1}, 1, x, labels), TRI_BAD_CALL, "no record -1");
        tri_source_destroy(source);
    }
    test_folder_remove(folder);
}

static void idx_images_and_labels_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    fixture_pair(folder, "images", "labels", 10, 5, false);
    fixture_pair(folder, "images9", "labels9", 9, 5, false);
    tri_source *source;
    assert_fails(open_pair(folder, "images", "labels9", 0, &source), TRI_BAD_DATA, "holds 10 images but");
    assert_fails(open_pair(folder, "labels", "images", 0, &source), TRI_BAD_DATA, "mixed up?");
    assert_fails(open_pair(folder, "images", "images", 0, &source), TRI_BAD_DATA, "where labels have one");
    assert_fails(open_pair(folder, "images", "missing", 0, &source), TRI_NOT_FOUND, "missing");
    assert_fails(open_pair(folder, "images", "labels", 4, &source), TRI_BAD_DATA, "record 2 at byte 10: label 4 where classes are 0 to 3");
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idx_file_is_parsed),
        cmocka_unit_test(an_idx_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_damaged_idx_header_is_reported),
        cmocka_unit_test(idx_dimensions_that_overflow_are_refused),
        cmocka_unit_test(an_idx_source_gives_images_with_their_labels),
        cmocka_unit_test(idx_images_and_labels_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
