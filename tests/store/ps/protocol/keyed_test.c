/* keyed_test.c: lists of rows and their values survive the wire; what is damaged or hostile on it is refused. */
#include "store/ps/protocol/keyed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { ROWS = 1 << 20 };

static size_t write_list(const int32_t *rows, int64_t count, uint8_t *to, tri__keyed_head *head)
{
    tri__row_list list = {.rows = (int32_t *)(uintptr_t)rows, .count = count};
    tri__row_list_sign(&list);
    *head = (tri__keyed_head){.count = (uint32_t)count, .flags = TRI_KEYED_LIST, .signature = list.signature};
    return tri__row_list_write(rows, count, to);
}

static void a_list_comes_back_as_it_was(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 1, 2, 130, 131, 16777, 1000000, ROWS - 1};
    const int64_t count = sizeof rows / sizeof *rows;
    uint8_t bytes[64];
    tri__keyed_head head;
    size_t size = write_list(rows, count, bytes, &head), used;
    assert_int_equal(size, 5 + 3 * 3);
    tri__row_list read = {0};
    assert_ok(tri__row_list_read(bytes, size, &head, ROWS, &read, &used));
    assert_int_equal(used, size);
    assert_int_equal(read.count, count);
    assert_memory_equal(read.rows, rows, sizeof rows);
    tri__row_list_fini(&read);
}

static void an_empty_list_takes_no_byte(void **state)
{
    (void)state;
    tri__keyed_head head;
    uint8_t byte;
    size_t used;
    tri__row_list read = {0};
    assert_int_equal(write_list(NULL, 0, &byte, &head), 0);
    assert_ok(tri__row_list_read(&byte, 0, &head, ROWS, &read, &used));
    assert_int_equal(read.count, 0);
    tri__row_list_fini(&read);
}

/* Whatever byte is changed, and wherever the list is cut, it is no list, or not the one that was signed. */
static void a_damaged_list_is_refused(void **state)
{
    (void)state;
    const int32_t rows[] = {3, 200, 201, 90000};
    uint8_t bytes[64];
    tri__keyed_head head;
    size_t size = write_list(rows, 4, bytes, &head), used;
    tri__row_list read = {0};
    for (size_t cut = 0; cut < size; cut++)
        assert_fails(tri__row_list_read(bytes, cut, &head, ROWS, &read, &used), TRI_BAD_DATA, "a list of 4 rows");
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 4;
        assert_fails(tri__row_list_read(bytes, size, &head, ROWS, &read, &used), TRI_BAD_DATA, "a list of 4 rows");
        bytes[at] ^= 4;
    }
    tri__row_list_fini(&read);
}

static void a_row_beyond_the_table_is_refused(void **state)
{
    (void)state;
    const int32_t rows[] = {3, 100};
    uint8_t bytes[64], endless[] = {0x85, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    tri__keyed_head head;
    size_t size = write_list(rows, 2, bytes, &head), used;
    tri__row_list read = {0};
    assert_fails(tri__row_list_read(bytes, size, &head, 100, &read, &used), TRI_BAD_DATA, "number 1 is none of the 100");
    head.count = 1;
    assert_fails(tri__row_list_read(endless, sizeof endless, &head, INT32_MAX, &read, &used), TRI_BAD_DATA, "number 0 is none");
    tri__row_list_fini(&read);
}

static void a_head_is_checked(void **state)
{
    (void)state;
    uint8_t bytes[TRI_KEYED_HEAD];
    tri__keyed_head head = {.count = 7, .flags = TRI_KEYED_HALF, .signature = 99}, read;
    tri__keyed_head_write(&head, bytes);
    assert_ok(tri__keyed_head_read(bytes, sizeof bytes, 7, &read));
    assert_memory_equal(&read, &head, sizeof head);
    assert_fails(tri__keyed_head_read(bytes, sizeof bytes - 1, 7, &read), TRI_BAD_DATA, "head");
    assert_fails(tri__keyed_head_read(bytes, sizeof bytes, 6, &read), TRI_BAD_DATA, "7 rows of a table that has 6");
    bytes[4] = 8;
    assert_fails(tri__keyed_head_read(bytes, sizeof bytes, 7, &read), TRI_BAD_DATA, "flags 8");
}

static void values_come_back_in_32_bits_and_nearly_in_16(void **state)
{
    (void)state;
    enum { COUNT = 1111 };
    static float values[COUNT], read[COUNT];
    static uint8_t bytes[1 + COUNT * sizeof(float)];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i - 500) / 7;
    tri__values_write(values, COUNT, false, bytes + 1);
    tri__values_read(bytes + 1, COUNT, false, read);
    assert_memory_equal(read, values, sizeof values);
    assert_int_equal(tri__values_bytes(COUNT, true), 2 * COUNT);
    tri__values_write(values, COUNT, true, bytes + 1);
    tri__values_read(bytes + 1, COUNT, true, read);
    for (int i = 0; i < COUNT; i++)
        assert_true(fabsf(read[i] - values[i]) <= fabsf(values[i]) / 2048);
}

static void what_16_bits_do_not_hold_is_the_largest_that_they_do(void **state)
{
    (void)state;
    const float values[] = {1e9F, -1e9F, 65504, NAN};
    float read[4];
    uint8_t bytes[8];
    tri__values_write(values, 4, true, bytes);
    tri__values_read(bytes, 4, true, read);
    assert_true(read[0] == 65504 && read[1] == -65504 && read[2] == 65504 && isnan(read[3]));
}

static void a_body_of_rows_and_values_comes_back(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 7, 300};
    const float values[] = {1, 2, -3, 4, 5, -0.0F};
    uint8_t body[64];
    const size_t size = tri__keyed_write(rows, 3, values, 2, body);
    assert_true((int64_t)size <= tri__keyed_most_bytes(3, 2));
    tri__keyed_head head;
    tri__row_list list = {0};
    size_t used;
    float read[6];
    assert_ok(tri__keyed_head_read(body, size, 301, &head));
    assert_int_equal(head.flags, TRI_KEYED_LIST);
    assert_ok(tri__row_list_read(body + TRI_KEYED_HEAD, size - TRI_KEYED_HEAD, &head, 301, &list, &used));
    assert_memory_equal(list.rows, rows, sizeof rows);
    assert_int_equal(size, TRI_KEYED_HEAD + used + sizeof values);
    tri__values_read(body + TRI_KEYED_HEAD + used, 6, false, read);
    assert_memory_equal(read, values, sizeof values);
    assert_int_equal(tri__keyed_write(rows, 0, values, 2, body), TRI_KEYED_HEAD);
    tri__row_list_fini(&list);
}

static void sightings_come_back_behind_their_rows(void **state)
{
    (void)state;
    const int32_t seen[] = {1, 200, TRI_SIGHTINGS_MOST, INT32_MAX};
    uint8_t bytes[4 * TRI_KEYED_ROW_MOST];
    float values[4 * 3] = {0};
    const size_t size = tri__sightings_write(seen, 4, bytes);
    assert_ok(tri__sightings_read(bytes, size, 4, 2, values));
    assert_true(values[2] == 1 && values[5] == 200 && values[8] == TRI_SIGHTINGS_MOST && values[11] == TRI_SIGHTINGS_MOST);
    assert_true(values[0] == 0 && values[10] == 0);
    assert_fails(tri__sightings_read(bytes, size - 1, 4, 2, values), TRI_BAD_DATA, "number 3");
    assert_fails(tri__sightings_read(bytes, size, 3, 2, values), TRI_BAD_DATA, "something behind them");
    bytes[0] = 0;
    assert_fails(tri__sightings_read(bytes, size, 4, 2, values), TRI_BAD_DATA, "seen 0 times");
}

static void a_body_with_sightings_comes_back(void **state)
{
    (void)state;
    const int32_t rows[] = {2, 9};
    const float values[] = {1, -2, 3, 4, 5, 2.0F * TRI_SIGHTINGS_MOST}, expected[] = {1, -2, 4, 5};
    uint8_t body[64];
    tri__keyed_head head;
    tri__row_list list = {0};
    size_t used;
    float read[6] = {0};
    const size_t size = tri__keyed_write_seen(rows, 2, values, 2, body), sightings = TRI_KEYED_HEAD + sizeof expected;
    assert_true((int64_t)size <= tri__keyed_most_bytes(2, 2) + 2 * TRI_KEYED_ROW_MOST);
    assert_ok(tri__keyed_head_read(body, size, 10, &head));
    assert_ok(tri__row_list_read(body + TRI_KEYED_HEAD, size - TRI_KEYED_HEAD, &head, 10, &list, &used));
    assert_memory_equal(list.rows, rows, sizeof rows);
    assert_memory_equal(body + TRI_KEYED_HEAD + used, expected, sizeof expected);
    assert_ok(tri__sightings_read(body + sightings + used, size - sightings - used, 2, 2, read));
    assert_true(read[2] == 3 && read[5] == TRI_SIGHTINGS_MOST);
    tri__row_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_comes_back_as_it_was),
        cmocka_unit_test(an_empty_list_takes_no_byte),
        cmocka_unit_test(a_damaged_list_is_refused),
        cmocka_unit_test(a_row_beyond_the_table_is_refused),
        cmocka_unit_test(a_head_is_checked),
        cmocka_unit_test(values_come_back_in_32_bits_and_nearly_in_16),
        cmocka_unit_test(what_16_bits_do_not_hold_is_the_largest_that_they_do),
        cmocka_unit_test(a_body_of_rows_and_values_comes_back),
        cmocka_unit_test(sightings_come_back_behind_their_rows),
        cmocka_unit_test(a_body_with_sightings_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
