/* nearest_test.c: what counts as near. */
#include "base/text/nearest.h"

#include "support.h"

static const char *nearest_to(const char *word)
{
    static const char *const candidates[] = {"conv", "relu", "dense", "maxpool", "avgpool", "softmax_loss"};
    tri__nearest nearest = tri__nearest_of(word);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        tri__nearest_offer(&nearest, candidates[i]);
    return nearest.best;
}

static void a_misspelt_word_gets_the_right_one_suggested(void **state)
{
    (void)state;
    assert_string_equal(nearest_to("cnov"), "conv");
    assert_string_equal(nearest_to("con"), "conv");
    assert_string_equal(nearest_to("densse"), "dense");
    assert_string_equal(nearest_to("avgpol"), "avgpool");
    assert_string_equal(nearest_to("softmaxloss"), "softmax_loss");
}

static void unrelated_words_are_not_suggested(void **state)
{
    (void)state;
    assert_null(nearest_to("batchnorm"));
    assert_null(nearest_to(""));
    assert_null(nearest_to("q"));
    assert_null(nearest_to("a_word_that_is_longer_than_any_name_which_people_would_ever_type_into_a_file"));
}

static void the_hint_is_empty_without_a_candidate(void **state)
{
    (void)state;
    char hint[TRI_NEAREST_HINT];
    tri__nearest nearest = tri__nearest_of("cnov");
    assert_string_equal(tri__nearest_hint(&nearest, hint), "");
    tri__nearest_offer(&nearest, "conv");
    assert_string_equal(tri__nearest_hint(&nearest, hint), " (did you mean 'conv'?)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_word_gets_the_right_one_suggested),
        cmocka_unit_test(unrelated_words_are_not_suggested),
        cmocka_unit_test(the_hint_is_empty_without_a_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
