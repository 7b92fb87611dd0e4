/* number_lines_test.c: examples as lines of numbers. */
#include "cli/terminal/number_lines.h"

#include <string.h>

#include "support.h"

static tri_status read(const char *text, tri_type type, void *x, int64_t *count)
{
    FILE *file = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
    tri__number_lines rows;
    tri__number_lines_init(&rows, file, "rows", type, 3);
    tri_status status = tri__number_lines_read(&rows, x, 4, count);
    tri__number_lines_fini(&rows);
    fclose(file);
    return status;
}

static void rows_of_numbers_are_parsed(void **state)
{
    (void)state;
    uint8_t bytes[12];
    int64_t count;
    assert_ok(read("1 2 3\n# a remark\n\n  4,5;\t255\r\n", TRI_U8, bytes, &count));
    assert_int_equal(count, 2);
    assert_memory_equal(bytes, ((uint8_t[]){1, 2, 3, 4, 5, 255}), 6);
    float numbers[12];
    assert_ok(read("0.5 -1e3 3\n", TRI_F32, numbers, &count));
    assert_int_equal(count, 1);
    assert_true(numbers[0] == 0.5f && numbers[1] == -1000.0f);
    assert_ok(read("1 2 3\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n", TRI_U8, bytes, &count));
    assert_int_equal(count, 4); /* as many as there is room for */
}

static void mistakes_in_rows_are_refused_with_line_and_number(void **state)
{
    (void)state;
    uint8_t bytes[12];
    float numbers[12];
    int64_t count;
    assert_fails(read("1 2 3\n1 2\n", TRI_U8, bytes, &count), TRI_BAD_DATA, "rows: line 2: fewer than the 3 numbers");
    assert_fails(read("1 2 3 4\n", TRI_U8, bytes, &count), TRI_BAD_DATA, "line 1: more than the 3 numbers");
    assert_fails(read("1 2 256\n", TRI_U8, bytes, &count), TRI_BAD_DATA, "number 3: expected a whole number from 0 to 255, found '256'");
    assert_fails(read("1 0.5 2\n", TRI_U8, bytes, &count), TRI_BAD_DATA, "number 2");
    assert_fails(read("1 2x 3\n", TRI_F32, numbers, &count), TRI_BAD_DATA, "found '2x'");
    assert_fails(read("1 inf 3\n", TRI_F32, numbers, &count), TRI_BAD_DATA, "found 'inf'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_numbers_are_parsed),
        cmocka_unit_test(mistakes_in_rows_are_refused_with_line_and_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
