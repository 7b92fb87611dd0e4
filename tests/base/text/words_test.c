/* words_test.c: a word is found whole, at any place of a list. */
#include "base/text/words.h"

#include <stddef.h>

#include "support.h"

static void word_is_found_whole(void **state)
{
    (void)state;
    static const char list[] = "weight-decay wd regularization";
    assert_true(tri__words_have(list, "weight-decay"));
    assert_true(tri__words_have(list, "wd"));
    assert_true(tri__words_have(list, "regularization"));
    assert_false(tri__words_have(list, "weight"));
    assert_false(tri__words_have(list, "decay"));
    assert_false(tri__words_have(list, "wdr"));
    assert_false(tri__words_have(list, ""));
}

static void empty_lists_have_no_word(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    assert_false(tri__words_have("", "a"));
    assert_false(tri__words_have(NULL, "a"));
    assert_false(tri__words_among(none, "a"));
    assert_false(tri__words_among(NULL, "a"));
}

static void word_is_among_words(void **state)
{
    (void)state;
    static const char *const words[] = {"task", "threads", "out", NULL};
    assert_true(tri__words_among(words, "task"));
    assert_true(tri__words_among(words, "out"));
    assert_false(tri__words_among(words, "thread"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_is_found_whole),
        cmocka_unit_test(empty_lists_have_no_word),
        cmocka_unit_test(word_is_among_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
