/* mistakes_test.c: which mistakes are kept, and in which order. */
#include "train/evaluate/mistakes.h"

#include "support.h"

static void the_surest_mistakes_are_kept_in_order(void **state)
{
    (void)state;
    tri__mistakes mistakes = {0};
    for (int64_t i = 0; i < 1000; i++) {
        const float scores[] = {(float)(i * 7919 % 1000) / 100, 0, 0};
        tri__mistakes_add(&mistakes, i, i % 10 ? 1 : 0, 0, scores, 3);
    }
    assert_int_equal(mistakes.count, TRI_MISTAKES);
    for (int i = 0; i < mistakes.count; i++) {
        const tri__mistake *mistake = &mistakes.worst[i];
        assert_true(mistake->record % 10 != 0); /* the others are right */
        assert_true(i == 0 || mistake->sure <= mistakes.worst[i - 1].sure);
        assert_true(mistake->sure > 0.99 && mistake->right < 0.01);
    }
}

static void one_column_is_the_log_odds_of_class_1(void **state)
{
    (void)state;
    tri__mistakes mistakes = {0};
    tri__mistakes_add(&mistakes, 5, 0, 1, (const float[]){2}, 1);
    tri__mistakes_add(&mistakes, 6, 1, 0, (const float[]){-3}, 1);
    assert_int_equal(mistakes.count, 2);
    assert_int_equal(mistakes.worst[0].record, 6);
    assert_float_equal(mistakes.worst[0].sure, 0.952574, 1e-5);
    assert_float_equal(mistakes.worst[1].sure, 0.880797, 1e-5);
    assert_float_equal(mistakes.worst[1].right, 0.119203, 1e-5);
}

static void equally_sure_mistakes_stay_in_the_order_of_the_examples(void **state)
{
    (void)state;
    tri__mistakes mistakes = {0};
    for (int64_t i = 0; i < 2 * TRI_MISTAKES; i++)
        tri__mistakes_add(&mistakes, i, 1, 0, (const float[]){1, 0}, 2);
    for (int i = 0; i < mistakes.count; i++)
        assert_int_equal(mistakes.worst[i].record, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surest_mistakes_are_kept_in_order),
        cmocka_unit_test(one_column_is_the_log_odds_of_class_1),
        cmocka_unit_test(equally_sure_mistakes_stay_in_the_order_of_the_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
