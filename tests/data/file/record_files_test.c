/* record_files_test.c: records are found by their number through several files, some of them empty. */
#include "data/file/record_files.h"

#include "data/fixture.h"

enum { RECORD = 2 }; /* bytes */

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    (void)path;
    for (size_t i = 0; i < content->size; i += RECORD)
        TRI_TRY(tri__index_add(index, (int64_t)i));
    return NULL;
}

static const tri__index_format two_bytes = {.name = "two-bytes-1", .scan = scan};

static void records_are_found_by_number_in_many_files(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char *const texts[] = {"", "0 1 2 ", "", "3 ", "4 5 6 ", ""};
    enum { FILES = sizeof texts / sizeof *texts };
    char *paths[FILES];
    for (int i = 0; i < FILES; i++) {
        paths[i] = test_path(folder, (const char *[]){"a", "b", "c", "d", "e", "f"}[i]);
        test_write(paths[i], texts[i], strlen(texts[i]));
    }
    tri__record_files files;
    assert_ok(tri__record_files_open((const char *const *)paths, FILES, &two_bytes, NULL, &files));
    assert_int_equal(files.records, 7);
    assert_int_equal(files.bytes, 14);
    for (int64_t i = 0; i < 7; i++) {
        const tri__record_file *file = tri__record_files_find(&files, i);
        assert_int_equal(file->content.data[file->index.offsets[i - file->first]], '0' + i);
        assert_string_equal(file->path, paths[i < 3 ? 1 : i < 4 ? 3 : 4]);
    }
    tri__record_files_fini(&files);
    for (int i = 0; i < FILES; i++)
        free(paths[i]);
    test_folder_remove(folder);
}

static void a_missing_record_file_is_reported(void **state)
{
    (void)state;
    tri__record_files files;
    assert_fails(tri__record_files_open((const char *const[]){"/nowhere/at all"}, 1, &two_bytes, NULL, &files), TRI_NOT_FOUND,
                 "/nowhere/at all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_found_by_number_in_many_files),
        cmocka_unit_test(a_missing_record_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
