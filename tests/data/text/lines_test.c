/* lines_test.c: the lines of a large file are found in pieces; what is said of a damaged one. */
#include "data/text/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/fixture.h"

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
static void all_lines_of_a_large_file_are_found_in_order(void **state)
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

static void a_failure_in_one_piece_of_a_large_file_is_returned(void **state)
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

/* Which record of its file it is, at which byte, and what is wrong with it. */
static void a_damaged_line_is_reported_with_its_number_and_byte(void **state)
{
    (void)state;
    static const char text[] = "0\n1\n2\n";
    const int64_t offsets[] = {0, 2, 4};
    tri__record_file file = {.path = (char *)"numbers", .first = 0};
    file.content = (tri__content){.data = (const uint8_t *)text, .size = strlen(text)};
    file.index = (tri__index){.records = 3, .offsets = offsets};
    const tri__record_files files = {.count = 1, .files = &file, .records = 3};
    tri__line line = tri__line_find(&files, 1);
    assert_int_equal(*line.at, '1');
    assert_ptr_equal(line.end, text + strlen(text));
    assert_fails(tri__line_damaged(&line, line.at + 1, "it is odd"), TRI_BAD_DATA,
                 "numbers: line 2, column 2 (record 1 at byte 3): it is odd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lines_of_a_large_file_are_found_in_order),
        cmocka_unit_test(a_failure_in_one_piece_of_a_large_file_is_returned),
        cmocka_unit_test(a_damaged_line_is_reported_with_its_number_and_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
