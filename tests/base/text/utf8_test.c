/* utf8_test.c: what is text and where text ends. */
#include "base/text/utf8.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

static void valid_utf8_is_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {"", "plain", "caf\xc3\xa9", "\xe2\x89\xa4 \xed\x9f\xbf \xee\x80\x80",
                                       "\xf0\x9f\x9a\xa3 \xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(tri__utf8_length(good[i], strlen(good[i])), strlen(good[i]));
}

static void utf8_ends_before_the_first_invalid_byte(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\xe9t\xe9",        /* Latin-1 */
        "\x80",             /* a continuation of nothing */
        "\xc3",             /* cut short */
        "\xe2\x89",         /* cut short */
        "\xc0\xaf",         /* '/' in two bytes */
        "\xe0\x80\xaf",     /* and in three */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf0\x80\x80\xaf", /* '/' in four */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xff",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        snprintf(text, sizeof text, "ok%s", bad[i]);
        assert_int_equal(tri__utf8_length(text, strlen(text)), 2);
    }
    assert_int_equal(tri__utf8_length("a\0b", 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_utf8_is_accepted),
        cmocka_unit_test(utf8_ends_before_the_first_invalid_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
