/* confusion_test.c: counts by class, and what follows, against values worked out by hand. */
#include "train/evaluate/confusion.h"

#include <math.h>

#include "support.h"

/* Three classes of 3, 2 and 0 examples; class 2 is guessed once. */
static void scores_of_classes_follow_from_the_counts(void **state)
{
    (void)state;
    tri__confusion confusion;
    assert_ok(tri__confusion_init(&confusion, 3));
    const float first[] = {2, 1, 0}, second[] = {0, 1, -1}, third[] = {0, 1, 2};
    tri__confusion_add(&confusion, 0, 0, first, 3);
    tri__confusion_add(&confusion, 0, 0, first, 3);
    tri__confusion_add(&confusion, 0, 2, third, 3);
    tri__confusion_add(&confusion, 1, 1, second, 3);
    tri__confusion_add(&confusion, 1, 0, first, 3);
    assert_int_equal(tri__confusion_at(&confusion, 0, 2), 1);
    assert_int_equal(tri__confusion_at(&confusion, 2, 0), 0);
    const tri__class_score zero = tri__confusion_class(&confusion, 0), one = tri__confusion_class(&confusion, 1),
                           two = tri__confusion_class(&confusion, 2);
    assert_float_equal(zero.precision, 2.0 / 3, 1e-12);
    assert_float_equal(zero.recall, 2.0 / 3, 1e-12);
    assert_float_equal(zero.f1, 2.0 / 3, 1e-12);
    assert_int_equal(zero.count, 3);
    assert_float_equal(one.precision, 1, 1e-12);
    assert_float_equal(one.recall, 0.5, 1e-12);
    assert_float_equal(one.f1, 2.0 / 3, 1e-12);
    assert_float_equal(two.precision, 0, 1e-12);
    assert_true(isnan(two.recall));
    assert_float_equal(tri__confusion_mean_f1(&confusion), (2.0 / 3 + 2.0 / 3 + 0) / 3, 1e-12);
    assert_float_equal(tri__confusion_among(&confusion, 1), 3.0 / 5, 1e-12);
    assert_float_equal(tri__confusion_among(&confusion, 2), 4.0 / 5, 1e-12);
    assert_float_equal(tri__confusion_among(&confusion, 3), 1, 1e-12);
    tri__confusion_fini(&confusion);
}

static void the_label_is_among_the_likeliest_only_by_its_rank(void **state)
{
    (void)state;
    tri__confusion confusion;
    const float scores[] = {7, 6, 5, 4, 3, 2, 1};
    assert_ok(tri__confusion_init(&confusion, 7));
    for (int64_t label = 0; label < 7; label++)
        tri__confusion_add(&confusion, label, 0, scores, 7);
    for (int best = 1; best <= 5; best++)
        assert_float_equal(tri__confusion_among(&confusion, best), best / 7.0, 1e-12);
    tri__confusion_fini(&confusion);
}

static void one_column_tells_two_classes_apart(void **state)
{
    (void)state;
    tri__confusion confusion;
    assert_ok(tri__confusion_init(&confusion, 2));
    tri__confusion_add(&confusion, 1, 1, &(float){0.5f}, 1);
    tri__confusion_add(&confusion, 0, 1, &(float){0.5f}, 1);
    assert_int_equal(tri__confusion_at(&confusion, 0, 1), 1);
    assert_float_equal(tri__confusion_among(&confusion, 1), 0.5, 1e-12);
    assert_float_equal(tri__confusion_among(&confusion, 2), 1, 1e-12);
    tri__confusion_fini(&confusion);
}

static void too_many_classes_are_refused(void **state)
{
    (void)state;
    tri__confusion confusion;
    assert_fails(tri__confusion_init(&confusion, TRI_CONFUSION_CLASSES + 1), TRI_BAD_CALL, "4097 classes");
    tri__confusion_fini(&confusion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_classes_follow_from_the_counts),
        cmocka_unit_test(the_label_is_among_the_likeliest_only_by_its_rank),
        cmocka_unit_test(one_column_tells_two_classes_apart),
        cmocka_unit_test(too_many_classes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
