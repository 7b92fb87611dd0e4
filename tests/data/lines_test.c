/* lines_test.c: records found through several files, some of them empty, and what is said of a damaged one. */
#include "data/lines.h"

#include "data/fixture.h"

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    (void)path;
    const char *begin = (const char *)content->data, *end = begin + content->size;
    for (const char *at = begin; at < end; at = tri__line_next(at, end))
        TRI_TRY(tri__index_add(index, at - begin));
    return NULL;
}

static const tri__index_format every_line = {.name = "lines-1", .scan = scan};

static void test_records_of_many_files(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char *const texts[] = {"", "0\n1\n2", "", "3\n", "4\n5\n6\n", ""};
    enum { FILES = sizeof texts / sizeof *texts };
    char *paths[FILES];
    for (int i = 0; i < FILES; i++) {
        paths[i] = test_path(folder, (const char *[]){"a", "b", "c", "d", "e", "f"}[i]);
        test_write(paths[i], texts[i], strlen(texts[i]));
    }
    tri__lines lines;
    assert_ok(tri__lines_open((const char *const *)paths, FILES, &every_line, NULL, &lines));
    assert_int_equal(lines.records, 7);
    assert_int_equal(lines.bytes, 13);
    for (int64_t i = 0; i < 7; i++) {
        tri__line line = tri__lines_find(&lines, i);
        assert_int_equal(*line.at, '0' + i);
        assert_true(line.end > line.at);
    }
    tri__line line = tri__lines_find(&lines, 5);
    assert_int_equal(line.record, 1);
    assert_fails(tri__line_damaged(&line, line.at + 1, "it is odd"), TRI_BAD_DATA, "/e: record 1 at byte 3: it is odd");
    tri__lines_fini(&lines);
    for (int i = 0; i < FILES; i++)
        free(paths[i]);
    test_folder_remove(folder);
}

static void test_missing_file(void **state)
{
    (void)state;
    tri__lines lines;
    assert_fails(tri__lines_open((const char *const[]){"/nowhere/at all"}, 1, &every_line, NULL, &lines), TRI_NOT_FOUND, "/nowhere/at all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_of_many_files),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
