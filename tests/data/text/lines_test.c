/* lines_test.c: records found through several files, some of them empty, or in pieces of a large one, and what is said of a damaged one. */
#include "data/text/lines.h"

#include <stdio.h>
#include <stdlib.h>

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

enum { FIRST_OFFSET, SUM };

static tri_status scan_lines(const char *begin, const char *from, const char *to, tri__index *index)
{
    index->facts[FIRST_OFFSET] = from - begin;
    for (const char *at = from; at < to; at = tri__line_next(at, to)) {
        TRI_TRY(tri__index_add(index, at - begin));
        index->facts[SUM] += strtol(at, NULL, 10);
    }
    return NULL;
}

static void join(int64_t *facts, const int64_t *others)
{
    assert_true(others[FIRST_OFFSET] >= facts[FIRST_OFFSET]);
    facts[FIRST_OFFSET] = others[FIRST_OFFSET];
    facts[SUM] += others[SUM];
}

/* Numbered lines of many lengths, one of which is longer than several pieces:
 * all are found, in order, whatever their number, and each once. */
static void test_pieces(void **state)
{
    (void)state;
    enum { LINES = 60000, LONG = 31234, LONGEST = 9000000 };
    char *text = malloc(LINES * 200 + LONGEST);
    int64_t *offsets = malloc(LINES * sizeof *offsets), sum = 0;
    size_t size = 0;
    for (int i = 0; i < LINES; i++) {
        size_t room = i == LONG ? LONGEST : 10 + (size_t)i * 7919 % 180;
        offsets[i] = (int64_t)size;
        sum += i;
        size += (size_t)sprintf(text + size, "%d", i);
        memset(text + size, 'x', room);
        size += room;
        text[size++] = '\n';
    }
    tri__index index = {0};
    assert_ok(tri__lines_scan(&(tri__content){.data = (const uint8_t *)text, .size = size - 1}, scan_lines, join, &index));
    assert_int_equal(index.records, LINES);
    assert_memory_equal(index.offsets, offsets, LINES * sizeof *offsets);
    assert_int_equal(index.facts[SUM], sum);
    tri__index_fini(&index);
    free(offsets);
    free(text);
}

static tri_status refuse(const char *begin, const char *from, const char *to, tri__index *index)
{
    (void)to;
    (void)index;
    return from == begin ? NULL : tri_fail(TRI_BAD_DATA, "a piece that cannot be gone through");
}

static void test_piece_that_fails(void **state)
{
    (void)state;
    size_t size = 5000000;
    uint8_t *text = calloc(size, 1);
    tri__index index = {0};
    assert_fails(tri__lines_scan(&(tri__content){.data = text, .size = size}, refuse, join, &index), TRI_BAD_DATA,
                 "cannot be gone through");
    assert_null(index.own);
    free(text);
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
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_piece_that_fails),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
