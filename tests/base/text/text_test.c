/* text_test.c: appending, columns of UTF-8, numbers and times as people read them. */
#include "base/text/text.h"

#include <math.h>
#include <string.h>

#include "support.h"

static void text_that_does_not_fit_is_cut_between_characters(void **state)
{
    (void)state;
    char buffer[8];
    tri__text text;
    tri__text_init(&text, buffer, sizeof buffer);
    tri__text_add(&text, "abc");
    tri__text_add(&text, "é█x"); /* 2 + 3 + 1 bytes, 4 are left */
    assert_string_equal(buffer, "abcé");
    tri__text_init(&text, buffer, sizeof buffer);
    tri__text_repeat(&text, "█", 5);
    assert_string_equal(buffer, "██");
    tri__text_init(&text, buffer, 1);
    tri__text_add(&text, "x");
    assert_string_equal(buffer, "");
}

static void words_become_a_list(void **state)
{
    (void)state;
    static const char *const words[] = {"sgd", "adam", "ftrl"}, *const lists[] = {"sgd", "sgd or adam", "sgd, adam or ftrl"};
    char buffer[32];
    for (int count = 1; count <= 3; count++) {
        tri__text text;
        tri__text_init(&text, buffer, sizeof buffer);
        for (int i = 0; i < count; i++)
            tri__text_list(&text, i, count, "or", words[i]);
        assert_string_equal(buffer, lists[count - 1]);
    }
}

static void columns_count_characters(void **state)
{
    (void)state;
    assert_int_equal(tri__text_columns(""), 0);
    assert_int_equal(tri__text_columns("abc"), 3);
    assert_int_equal(tri__text_columns("█▌é😀"), 4);
}

static void counts_have_separators(void **state)
{
    (void)state;
    char out[TRI_TEXT_SHORT];
    assert_string_equal(tri__text_count(out, 0), "0");
    assert_string_equal(tri__text_count(out, 999), "999");
    assert_string_equal(tri__text_count(out, 1000), "1,000");
    assert_string_equal(tri__text_count(out, 98210.4), "98,210");
    assert_string_equal(tri__text_count(out, -1234567), "-1,234,567");
    assert_string_equal(tri__text_count(out, NAN), "-");
    assert_string_equal(tri__text_count(out, 1e30), "1e+30");
}

static void brief_numbers_have_three_digits(void **state)
{
    (void)state;
    char out[TRI_TEXT_SHORT];
    assert_string_equal(tri__text_brief(out, 7), "7");
    assert_string_equal(tri__text_brief(out, 7.25), "7.2");
    assert_string_equal(tri__text_brief(out, 999.7), "1.0k");
    assert_string_equal(tri__text_brief(out, 98210), "98.2k");
    assert_string_equal(tri__text_brief(out, 2500000), "2.5M");
    assert_string_equal(tri__text_bytes(out, 31400), "31.4 kB");
    assert_string_equal(tri__text_bytes(out, 512), "512 B");
    assert_string_equal(tri__text_bytes(out, 3.2e15), "3200 TB");
    assert_string_equal(tri__text_bytes(out, NAN), "-");
}

static void durations_grow_with_time(void **state)
{
    (void)state;
    char out[TRI_TEXT_SHORT];
    assert_string_equal(tri__text_duration(out, 6.6), "0:07");
    assert_string_equal(tri__text_duration(out, 59.7), "1:00");
    assert_string_equal(tri__text_duration(out, 754), "12:34");
    assert_string_equal(tri__text_duration(out, 10921), "3:02:01");
    assert_string_equal(tri__text_duration(out, 356400), "4d 03h");
    assert_string_equal(tri__text_duration(out, NAN), "-");
    assert_string_equal(tri__text_duration(out, -1), "-");
    assert_string_equal(tri__text_duration(out, INFINITY), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_does_not_fit_is_cut_between_characters),
        cmocka_unit_test(words_become_a_list),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(counts_have_separators),
        cmocka_unit_test(brief_numbers_have_three_digits),
        cmocka_unit_test(durations_grow_with_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
