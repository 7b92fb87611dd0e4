/* labels_test.c: labels become classes, and classes labels again. */
#include "data/source/labels.h"

#include "data/fixture.h"

static tri__labels labels_of(const int64_t *list, size_t count)
{
    tri__labels labels = {INT64_MAX, -2, 0};
    for (size_t i = 0; i < count; i++) {
        labels.low = list[i] < labels.low ? list[i] : labels.low;
        labels.high = list[i] > labels.high ? list[i] : labels.high;
        labels.bits |= tri__label_bit(list[i]);
    }
    return labels;
}

static void labels_that_occur_decide_on_the_classes(void **state)
{
    (void)state;
    static const struct {
        int64_t labels[4];
        size_t count;
        int64_t first, step, classes;
    } cases[] = {
        {{0}, 0, 0, 1, 2},         {{1}, 1, 0, 1, 2},
        {{-1}, 1, -1, 2, 2},       {{5}, 1, 1, 1, 5},
        {{-1, 1}, 2, -1, 2, 2},    {{-1, 0, 1}, 3, -1, 2, 2},
        {{0, 1}, 2, 0, 1, 2},      {{1, 2}, 2, 1, 1, 2},
        {{2, 4}, 2, 2, 2, 2},      {{0, 3}, 2, 0, 1, 4},
        {{0, 1, 3}, 3, 0, 1, 4},   {{1, 2, 5}, 3, 1, 1, 5},
        {{2, 3, 4}, 3, 2, 1, 3},   {{10, 20, 40}, 3, 10, 10, 4},
        {{0, 999}, 2, 0, 1, 1000}, {{7, 999}, 2, 1, 1, 999},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tri__labels labels = labels_of(cases[i].labels, cases[i].count);
        tri_numbering numbering = {.first_index = 1};
        assert_ok(tri__labels_number("x", &labels, 0, &numbering));
        assert_int_equal(numbering.first_index, 1);
        assert_int_equal(numbering.first_label, cases[i].first);
        assert_int_equal(numbering.label_step, cases[i].step);
        assert_int_equal(numbering.classes, cases[i].classes);
        for (int64_t class = 0; class < numbering.classes; class ++)
            assert_int_equal(tri__label_class(&numbering, (double)tri__class_label(&numbering, class)), class);
        assert_int_equal(tri__label_class(&numbering, (double)tri__class_label(&numbering, numbering.classes)), -1);
        assert_int_equal(tri__label_class(&numbering, 0.5), -1);
        assert_int_equal(tri__labels_differ(&numbering), cases[i].first != 0 || cases[i].step != 1);
    }
    const tri__labels wrong = labels_of((int64_t[]){-1, 5}, 2);
    assert_fails(tri__labels_number("x", &wrong, 0, &(tri_numbering){0}), TRI_BAD_DATA, "x: labels go from -1 to 5");
}

static void labels_are_told_as_they_stand_in_the_files(void **state)
{
    (void)state;
    char text[TRI_LABELS_TOLD];
    tri__labels_tell(&(tri_numbering){.first_label = -1, .label_step = 2, .classes = 2}, 0, text);
    assert_string_equal(text, "labels are -1 and +1");
    tri__labels_tell(&(tri_numbering){.first_label = 2, .label_step = 2, .classes = 2}, 3, text);
    assert_string_equal(text, "labels are 2 and 4");
    tri__labels_tell(&(tri_numbering){.first_label = 10, .label_step = 10, .classes = 4}, 0.5, text);
    assert_string_equal(text, "labels are 10, 20 and so on to 40");
    tri__labels_tell(&(tri_numbering){.first_label = 1, .label_step = 1, .classes = 3}, 4, text);
    assert_string_equal(text, "classes are 1 to 3");
    tri__labels_tell(&(tri_numbering){.first_label = 0, .label_step = 1, .classes = 2}, 2, text);
    assert_string_equal(text, "classes are 0 to 1; a model with softmax_loss(), such as sparse-softmax, learns more than two");
    tri__labels_tell(&(tri_numbering){.first_label = 0, .label_step = 1, .classes = 2}, 0.5, text);
    assert_string_equal(text, "classes are 0 to 1");
    tri__labels_tell(&(tri_numbering){.first_label = 3, .label_step = 4, .classes = 2}, -2, text);
    assert_string_equal(text, "labels are 3 and 7, and none may be below -1 or above 1048575");
    tri__labels_tell(&(tri_numbering){.first_label = 1, .label_step = 1, .classes = 2}, 1e11, text);
    assert_string_equal(text, "classes are 1 to 2, and none may be below -1 or above 1048575");
    tri__labels_tell(&(tri_numbering){.first_label = 2, .label_step = 1048573, .classes = 3}, 1048576, text);
    assert_non_null(strstr(text, "above 1048575")); /* the longest is not cut */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_that_occur_decide_on_the_classes),
        cmocka_unit_test(labels_are_told_as_they_stand_in_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
