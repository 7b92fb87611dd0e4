/* source_test.c: sources found by name and by path, and what is said where there are none. */
#include "data/source/source.h"

#include <sys/stat.h>

#include "data/fixture.h"

static tri_status open_in(const char *folder, const char *name, tri_part part, tri_source **out)
{
    char *path = test_path(folder, name);
    tri_status status = tri_source_open(path, part, NULL, out);
    free(path);
    return status;
}

static void an_unknown_source_name_is_refused_with_all_known_ones(void **state)
{
    (void)state;
    tri_source *source;
    assert_fails(tri_source_open("nonsense", TRI_PART_TRAIN, NULL, &source), TRI_NOT_FOUND,
                 "give fashion, mnist, cifar10, digits[:N], fake:HxWxC:CLASSES[:N], clicks:FEATURES[:N], or the path");
    assert_fails(tri_source_open("mnist", TRI_PART_TRAIN, NULL, &source), TRI_BAD_CALL, "cache folder");
    tri_source_options nowhere = {.cache_folder = "/nowhere", .data_folder = "/nowhere"};
    assert_fails(tri_source_open("mnist", TRI_PART_TRAIN, &nowhere, &source), TRI_NOT_FOUND, "`trireme data get mnist`");
    assert_fails(tri_source_open("cifar10", TRI_PART_TRAIN, &nowhere, &source), TRI_NOT_FOUND, "`trireme data get cifar10`");
    assert_fails(tri_source_open("fashion", TRI_PART_TRAIN, &nowhere, &source), TRI_NOT_FOUND, "`apt install dataset-fashion-mnist`");
    tri_source_destroy(NULL);
}

static void a_known_data_set_is_opened_by_name(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *set = test_path(folder, "fashion-mnist");
    assert_int_equal(mkdir(set, 0777), 0);
    fixture_pair(set, "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", 20, 10, true);
    tri_source_options options = {.data_folder = folder};
    tri_source *source;
    assert_ok(tri_source_open("fashion", TRI_PART_TRAIN, &options, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_string_equal(info->spec, "fashion");
    assert_string_equal(info->format, "idx");
    assert_int_equal(info->classes, 10);
    assert_string_equal(info->class_names[9], "Ankle boot");
    tri_source_destroy(source);
    assert_fails(tri_source_open("fashion", TRI_PART_TEST, &options, &source), TRI_NOT_FOUND, "has no test part");
    fixture_pair(set, "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", 20, 11, true);
    assert_fails(tri_source_open("fashion", TRI_PART_TRAIN, &options, &source), TRI_BAD_DATA, "label 10 where classes are 0 to 9");
    free(set);
    test_folder_remove(folder);
}

static void an_idx_folder_is_opened_whatever_its_files_are_called(void **state)
{
    (void)state;
    static const char *const spellings[][4] = {
        {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"},
        {"train-images.idx3-ubyte", "train-labels.idx1-ubyte", "t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"},
        {"letters-train-pictures", "letters-train-classes", "letters-test-pictures", "letters-test-classes"},
    };
    for (int i = 0; i < 6; i++) {
        char *folder = test_folder_create();
        const char *const *names = spellings[i / 2];
        fixture_pair(folder, names[0], names[1], 20, 3, i % 2);
        fixture_pair(folder, names[2], names[3], 9, 8, i % 2);
        fixture_write(folder, "readme.txt", (const uint8_t *)"hello", 5);
        tri_source *source;
        assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source));
        assert_int_equal(tri_source_describe(source)->examples, 20);
        assert_int_equal(tri_source_describe(source)->classes, 8); /* of both parts */
        tri_source_destroy(source);
        assert_ok(tri_source_open(folder, TRI_PART_TEST, NULL, &source));
        assert_int_equal(tri_source_describe(source)->examples, 9);
        assert_int_equal(tri_source_describe(source)->classes, 8);
        tri_source_destroy(source);
        test_folder_remove(folder);
    }
}

static void a_folder_without_a_data_set_is_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    tri_source *source;
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "no data files of a known format");
    fixture_pair(folder, "train-images-idx3-ubyte", "elsewhere", 20, 3, false);
    fixture_write(folder, "elsewhere", (const uint8_t *)"text", 4);
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "has no labels beside it");
    fixture_pair(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", 20, 3, false);
    fixture_pair(folder, "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", 20, 3, true);
    assert_ok(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source)); /* plain and compressed twins are one */
    tri_source_destroy(source);
    fixture_pair(folder, "more-images", "more-labels", 20, 3, false);
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "which is meant?");
    assert_ok(open_in(folder, "more-images", TRI_PART_TRAIN, &source));
    tri_source_destroy(source);
    test_folder_remove(folder);
}

/* A file whose magic number is gone is still known by its name, and its damage is told. */
static void an_idx_file_with_a_damaged_magic_is_known_by_its_name(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    fixture_pair(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte", 20, 3, false);
    fixture_write(folder, "train-images-idx3-ubyte", (const uint8_t *)"<html>not found</html>", 22);
    tri_source *source;
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "train-images-idx3-ubyte: byte 0: 3c 68 74 6d");
    fixture_write(folder, "train-images-idx3-ubyte", (const uint8_t *)"", 0);
    assert_fails(tri_source_open(folder, TRI_PART_TRAIN, NULL, &source), TRI_BAD_DATA, "only 0 bytes long");
    test_folder_remove(folder);
}

static void idx_labels_are_found_beside_the_images(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    fixture_pair(folder, "images", "labels", 20, 3, false);
    tri_source *source;
    assert_ok(open_in(folder, "images", TRI_PART_TRAIN, &source));
    assert_int_equal(tri_source_describe(source)->examples, 20);
    tri_source_destroy(source);
    assert_fails(open_in(folder, "images", TRI_PART_TEST, &source), TRI_NOT_FOUND, "one file has no test part");
    assert_fails(open_in(folder, "labels", TRI_PART_TRAIN, &source), TRI_BAD_CALL, "give the images file");
    fixture_pair(folder, "a-images-idx3-ubyte.gz", "a-labels-idx1-ubyte.gz", 20, 3, true);
    fixture_pair(folder, "b-images-idx3-ubyte", "a-labels-idx1-ubyte.gz", 20, 3, false);
    assert_ok(open_in(folder, "a-images-idx3-ubyte.gz", TRI_PART_TRAIN, &source));
    tri_source_destroy(source);
    assert_fails(open_in(folder, "b-images-idx3-ubyte", TRI_PART_TRAIN, &source), TRI_NOT_FOUND, "b-labels-idx1-ubyte)");
    fixture_pair(folder, "pictures", "labels", 20, 3, false);
    assert_fails(open_in(folder, "pictures", TRI_PART_TRAIN, &source), TRI_NOT_FOUND, "its labels are not beside it");
    fixture_write(folder, "text", (const uint8_t *)"hello", 5);
    assert_fails(open_in(folder, "text", TRI_PART_TRAIN, &source), TRI_BAD_DATA, "not a file of a known format");
    test_folder_remove(folder);
}

static void the_count_in_a_source_name_has_a_limit(void **state)
{
    (void)state;
    int64_t count;
    const char *text = "12x";
    assert_true(tri__source_parse_count(&text, 100, &count));
    assert_int_equal(count, 12);
    assert_string_equal(text, "x");
    static const char *const wrong[] = {"", "x", "-1", "0", "101", "99999999999999999999", " 5", "+5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        text = wrong[i];
        assert_false(tri__source_parse_count(&text, 100, &count));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_source_name_is_refused_with_all_known_ones),
        cmocka_unit_test(a_known_data_set_is_opened_by_name),
        cmocka_unit_test(an_idx_folder_is_opened_whatever_its_files_are_called),
        cmocka_unit_test(a_folder_without_a_data_set_is_refused),
        cmocka_unit_test(an_idx_file_with_a_damaged_magic_is_known_by_its_name),
        cmocka_unit_test(idx_labels_are_found_beside_the_images),
        cmocka_unit_test(the_count_in_a_source_name_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
