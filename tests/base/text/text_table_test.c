/* text_table_test.c: tables as text. */
#include "base/text/text_table.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

static void table_has_its_names_and_cells(void **state)
{
    tri__arena *arena;
    tri__text_table table;
    (void)state;
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__text_table_parse("t", "batch,who,n\r\n1,\"a, \"\"b\"\"\",\r\n2,c,3.5\n", arena, &table));
    assert_int_equal(table.rows, 2);
    assert_int_equal(tri__text_table_find_column(&table, "n"), 2);
    assert_int_equal(tri__text_table_find_column(&table, "m"), -1);
    assert_string_equal(tri__text_table_cell(&table, 0, 1), "a, \"b\"");
    assert_true(isnan(tri__text_table_number(tri__text_table_cell(&table, 0, 2))));
    assert_true(tri__text_table_number(tri__text_table_cell(&table, 1, 2)) == 3.5);
    assert_true(tri__text_table_same_cell("0.50", "0.5") && tri__text_table_same_cell("a", "a") && !tri__text_table_same_cell("a", "b"));
    tri__arena_destroy(arena);
}

static void lines_may_end_with_a_return_alone(void **state)
{
    tri__arena *arena;
    tri__text_table table;
    (void)state;
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__text_table_parse("t", "a,b\r1,2\r3,4\r5,6\r7,8", arena, &table));
    assert_int_equal(table.columns, 2);
    assert_int_equal(table.rows, 4);
    assert_string_equal(tri__text_table_cell(&table, 3, 1), "8");
    tri__arena_destroy(arena);
}

static void comma_in_a_quoted_name_parts_no_columns(void **state)
{
    tri__arena *arena;
    tri__text_table table;
    (void)state;
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__text_table_parse("t", "\"accuracy, %\",n\n90,1\n", arena, &table));
    assert_int_equal(table.columns, 2);
    assert_int_equal(tri__text_table_find_column(&table, "accuracy, %"), 0);
    assert_string_equal(tri__text_table_cell(&table, 0, 1), "1");
    tri__arena_destroy(arena);
}

static void row_with_too_few_fields_is_told_with_its_line(void **state)
{
    tri__arena *arena;
    tri__text_table table;
    (void)state;
    assert_ok(tri__arena_create(&arena));
    assert_fails(tri__text_table_parse("t.csv", "a,b\n1,2\n3\n", arena, &table), TRI_BAD_DATA, "t.csv: line 3: 1 fields");
    tri__arena_destroy(arena);
}

static void written_cells_are_read_again(void **state)
{
    char *text = NULL;
    size_t size;
    tri__arena *arena;
    tri__text_table table;
    (void)state;
    FILE *out = open_memstream(&text, &size);
    fputs("a,b\n", out);
    tri__text_table_write_cell(out, "say \"x, y\"");
    fputc(',', out);
    tri__text_table_write_cell(out, "plain");
    fputc('\n', out);
    fclose(out);
    assert_ok(tri__arena_create(&arena));
    assert_ok(tri__text_table_parse("t", text, arena, &table));
    assert_string_equal(tri__text_table_cell(&table, 0, 0), "say \"x, y\"");
    assert_string_equal(tri__text_table_cell(&table, 0, 1), "plain");
    tri__arena_destroy(arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_its_names_and_cells),
        cmocka_unit_test(lines_may_end_with_a_return_alone),
        cmocka_unit_test(comma_in_a_quoted_name_parts_no_columns),
        cmocka_unit_test(row_with_too_few_fields_is_told_with_its_line),
        cmocka_unit_test(written_cells_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
