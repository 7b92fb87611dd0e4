/* base64_test.c: the examples of RFC 4648, and bytes of all kinds. */
#include "base/text/base64.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static void expect_letters(const void *data, size_t size, const char *expected)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    tri__base64_put(out, data, size);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void bytes_become_letters(void **state)
{
    (void)state;
    expect_letters("", 0, "");
    expect_letters("f", 1, "Zg==");
    expect_letters("fo", 2, "Zm8=");
    expect_letters("foo", 3, "Zm9v");
    expect_letters("foobar", 6, "Zm9vYmFy");
    expect_letters("\xff\xfe\xfd\x00", 4, "//79AA==");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_become_letters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
