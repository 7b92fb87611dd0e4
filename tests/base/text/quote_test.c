/* quote_test.c: a shell must read back what was quoted. */
#include "base/text/quote.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static void plain_words_are_not_quoted(void **state)
{
    (void)state;
    char *line = tri__quote_words("trireme", 3, (const char *[]){"train", "--rate=0.1", "a/b.model"});
    assert_string_equal(line, "trireme train --rate=0.1 a/b.model");
    free(line);
    line = tri__quote_words("trireme", 0, NULL);
    assert_string_equal(line, "trireme");
    free(line);
}

static void a_shell_reads_quoted_words_back_unchanged(void **state)
{
    (void)state;
    const char *words[] = {"loss<=0.35", "it's", "", "two words", "$HOME `x` \"y\" \\ *", "''"};
    char *line = tri__quote_words("printf '[%s]'", 6, words);
    test_result result = test_run(NULL, (const char *[]){"sh", "-c", line, NULL});
    assert_string_equal(result.out, "[loss<=0.35][it's][][two words][$HOME `x` \"y\" \\ *]['']");
    test_result_fini(&result);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_are_not_quoted),
        cmocka_unit_test(a_shell_reads_quoted_words_back_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
