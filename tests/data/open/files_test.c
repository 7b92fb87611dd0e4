/* files_test.c: files found by path, folder and glob, told apart by content, and divided into parts by name. */
#include "data/open/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "data/fixture.h"
#include "data/format/cifar.h"

static tri_status open_in(const char *folder, const char *name, tri_part part, tri_source **out)
{
    char *path = test_path(folder, name);
    tri_status status = tri__files_open(path, part, 0, &(tri_source_options){0}, out);
    free(path);
    return status;
}

/* A CIFAR-10 batch of as many records as its name has letters, so that the files can be told apart by their sizes. */
static void write_batch(const char *folder, const char *name)
{
    size_t size = strlen(name) * TRI_CIFAR_RECORD;
    uint8_t *data = calloc(1, size);
    assert_non_null(data);
    fixture_write(folder, name, data, size);
    free(data);
}

static void make_folder(const char *folder, const char *name)
{
    char *path = test_path(folder, name);
    assert_int_equal(mkdir(path, 0777), 0);
    free(path);
}

static void assert_examples(const char *folder, const char *name, tri_part part, int64_t examples)
{
    tri_source *source;
    assert_ok(open_in(folder, name, part, &source));
    assert_int_equal(source->info.examples, examples);
    tri_source_destroy(source);
}

static void a_glob_finds_the_files_that_match(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    write_batch(folder, "a1.bin");
    write_batch(folder, "a2.bin");
    write_batch(folder, "b[1].bin");
    assert_examples(folder, "a*.bin", TRI_PART_TRAIN, 12);
    assert_examples(folder, "a?.bin", TRI_PART_TRAIN, 12);
    assert_examples(folder, "{a1,b*}.bin", TRI_PART_TRAIN, 14);
    assert_examples(folder, "b[1].bin", TRI_PART_TRAIN, 8); /* a file that has this very name */
    tri_source *source;
    assert_fails(open_in(folder, "c*", TRI_PART_TRAIN, &source), TRI_NOT_FOUND, "c*: no file matches");
    assert_fails(open_in(folder, "a*.bin", TRI_PART_TEST, &source), TRI_NOT_FOUND, "has no test part");
    fixture_write(folder, "a.txt", (const uint8_t *)"hello", 5);
    assert_fails(open_in(folder, "a*", TRI_PART_TRAIN, &source), TRI_BAD_DATA, "a.txt: not a file of a known format");
    assert_examples(folder, "", TRI_PART_TRAIN, 20); /* in a folder it is passed over */
    test_folder_remove(folder);
}

static void a_file_name_tells_the_test_part(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool test;
    } cases[] = {
        {"test", true},        {"test.bin", true},  {"my_test3.bin", true}, {"T10K-x", true},      {"cats-val.bin", true},
        {"validation1", true}, {"oval.bin", false}, {"contest", false},     {"latest.bin", false}, {"train.bin", false},
        {"testing", false},    {"a.eval.b", true},  {"value", false},       {"valid-part", true},  {"interval-1-2", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = test_folder_create();
        int64_t length = (int64_t)strlen(cases[i].name);
        write_batch(folder, cases[i].name);
        write_batch(folder, "a");
        assert_examples(folder, "", TRI_PART_TRAIN, cases[i].test ? 1 : 1 + length);
        if (cases[i].test)
            assert_examples(folder, "", TRI_PART_TEST, length);
        assert_examples(folder, cases[i].name, TRI_PART_TRAIN, length); /* one file alone is what was asked for */
        test_folder_remove(folder);
    }
}

static void validation_and_test_are_two_parts_where_there_are_both(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    make_folder(folder, "train");
    make_folder(folder, "val");
    write_batch(folder, "train/aaaa.bin");
    write_batch(folder, "val/aaaaa.bin");
    tri_source *source;
    assert_fails(open_in(folder, "", TRI_PART_VALIDATION, &source), TRI_NOT_FOUND, "has no validation part");
    assert_examples(folder, "", TRI_PART_TEST, 13); /* the only one there is to evaluate on */
    make_folder(folder, "test");
    write_batch(folder, "test/aaaaaa.bin");
    assert_examples(folder, "", TRI_PART_TRAIN, 14);
    assert_examples(folder, "", TRI_PART_VALIDATION, 13);
    assert_examples(folder, "", TRI_PART_TEST, 15);
    test_folder_remove(folder);
}

/* As LIBSVM's collection names them. */
static void file_that_ends_in_t_is_the_test_part(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    write_batch(folder, "a9a");
    write_batch(folder, "a9a.t");
    assert_examples(folder, "", TRI_PART_TRAIN, 3);
    assert_examples(folder, "", TRI_PART_TEST, 5);
    assert_examples(folder, "a9a.t", TRI_PART_TRAIN, 5);
    test_folder_remove(folder);
}

static void what_a_folder_has_beside_data_files_is_counted(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *link = test_path(folder, "gone.bin");
    write_batch(folder, "a.bin");
    tri_source *source;
    assert_ok(open_in(folder, "", TRI_PART_TRAIN, &source));
    assert_null(source->info.note);
    tri_source_destroy(source);
    fixture_write(folder, "a.txt", (const uint8_t *)"hello", 5);
    fixture_write(folder, "b.gif", (const uint8_t *)"GIF89a", 6);
    assert_int_equal(symlink("nowhere", link), 0);
    make_folder(folder, "roses");
    assert_ok(open_in(folder, "", TRI_PART_TRAIN, &source));
    assert_non_null(strstr(source->info.note, "left out: 2 files of no known format (the first is "));
    assert_non_null(strstr(source->info.note, "a.txt), 1 link that leads nowhere ("));
    assert_non_null(strstr(source->info.note, "gone.bin), 1 empty folder ("));
    assert_non_null(strstr(source->info.note, "roses)"));
    tri_source_destroy(source);
    free(link);
    test_folder_remove(folder);
}

static void subfolders_are_searched_for_data_files(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char *const folders[] = {"train", "train/roses", "test", "test/roses", "train/test tubes", ".hidden"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folder, folders[i]);
    static const char *const files[] = {
        "train/roses/1", "train/roses/2", "test/roses/1", "train/test tubes/1", ".hidden/1", "a.tmp-1-2", "_x"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_batch(folder, files[i]);
    assert_examples(folder, "", TRI_PART_TRAIN, 13 + 13 + 18);
    assert_examples(folder, "", TRI_PART_TEST, 12);
    assert_examples(folder, "tr*", TRI_PART_TRAIN, 13 + 13 + 18); /* folders that match are looked through */
    test_folder_remove(folder);
}

static void a_link_that_leads_in_circles_is_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *link = test_path(folder, "again");
    write_batch(folder, "a");
    assert_int_equal(symlink(folder, link), 0);
    tri_source *source;
    assert_fails(open_in(folder, "", TRI_PART_TRAIN, &source), TRI_BAD_DATA, "leads in circles?");
    free(link);
    test_folder_remove(folder);
}

static void files_of_two_formats_are_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    write_batch(folder, "a.bin");
    fixture_pair(folder, "images", "labels", 10, 3, false);
    tri_source *source;
    assert_fails(open_in(folder, "", TRI_PART_TRAIN, &source), TRI_BAD_DATA, "images is IDX (name those that are meant");
    assert_examples(folder, "*s", TRI_PART_TRAIN, 10);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glob_finds_the_files_that_match),
        cmocka_unit_test(a_file_name_tells_the_test_part),
        cmocka_unit_test(subfolders_are_searched_for_data_files),
        cmocka_unit_test(a_link_that_leads_in_circles_is_refused),
        cmocka_unit_test(validation_and_test_are_two_parts_where_there_are_both),
        cmocka_unit_test(file_that_ends_in_t_is_the_test_part),
        cmocka_unit_test(what_a_folder_has_beside_data_files_is_counted),
        cmocka_unit_test(files_of_two_formats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
