/* evaluate_test.c: measures with known values. */
#include "train/evaluate/evaluate.h"

#include <math.h>

#include "train/evaluate/auc.h"
#include "train/evaluate/model_fixture.h"

static double auc(const float *scores, const int32_t *labels, int64_t count)
{
    double result;
    assert_ok(tri__auc(scores, labels, count, &result));
    return result;
}

static void auc_is_the_share_of_pairs_in_the_right_order(void **state)
{
    (void)state;
    const float scores[] = {0.1f, 0.4f, 0.35f, 0.8f};
    assert_float_equal(auc(scores, (const int32_t[]){0, 0, 1, 1}, 4), 0.75, 1e-12);
    assert_float_equal(auc(scores, (const int32_t[]){0, 0, 0, 1}, 4), 1, 1e-12);
    assert_float_equal(auc(scores, (const int32_t[]){1, 0, 0, 0}, 4), 0, 1e-12);
    const float ties[] = {1, 1, -2, -0.0f, 0.0f};
    assert_float_equal(auc(ties, (const int32_t[]){0, 1, 0, 0, 1}, 5), (0.5 + 2 + 0.5 + 1) / 6, 1e-12);
    assert_true(isnan(auc(scores, (const int32_t[]){1, 1, 1, 1}, 4)));
    assert_true(isnan(auc(scores, (const int32_t[]){1}, 0)));
}

/* A model of 4×4 bytes whose logits are all 0, and a source of its own. */
static fixture open(const char *spec, int64_t classes)
{
    const tri_model_input input = {.type = TRI_U8, .shape = TRI_SHAPE(4, 4, 1), .classes = classes};
    return fixture_make(spec, "input(scale=1/255)\ndense(classes, init=zero)\nsoftmax_loss()\n", &input);
}

/* All logits 0: every class is as likely, whatever the example; 37 examples leave a batch that is padded. */
static void a_model_with_zero_logits_has_the_loss_of_guessing(void **state)
{
    (void)state;
    fixture here = open("fake:4x4x1:2:37", 2);
    for (int64_t batch = 5; batch <= 40; batch += 35) {
        tri__evaluator *evaluator;
        tri__evaluation result;
        const tri__evaluator_options options = {.batch = batch, .threads = 1};
        assert_ok(tri__evaluator_create(here.graph, here.source, here.store, &options, &evaluator));
        for (int again = 0; again < 2; again++) {
            assert_ok(tri__evaluator_run(evaluator, &result));
            assert_int_equal(result.examples, 37);
            assert_float_equal(result.loss, log(2), 1e-6);
            assert_float_equal(result.logloss, log(2), 1e-6);
            assert_float_equal(result.auc, 0.5, 1e-12);
            assert_true(result.accuracy > 0.1 && result.accuracy < 0.9);
        }
        tri__evaluator_destroy(evaluator);
    }
    fixture_end(&here);
}

static void a_source_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    fixture here;
    tri__evaluator *evaluator;
    here = open("fake:5x4x1:2:10", 2);
    assert_fails(tri__evaluator_create(here.graph, here.source, here.store, &(tri__evaluator_options){0}, &evaluator), TRI_BAD_CALL,
                 "its examples are 5x4x1 of u8, but the model takes 4x4x1 of u8");
    fixture_end(&here);
    here = open("fake:4x4x1:7:10", 3);
    assert_fails(tri__evaluator_create(here.graph, here.source, here.store, &(tri__evaluator_options){0}, &evaluator), TRI_BAD_CALL,
                 "it has 7 classes, but the model has 3");
    fixture_end(&here);
}

static void photos_with_other_class_names_are_refused(void **state)
{
    (void)state;
    const char *const names[] = {"daisy", "roses"}, *const others[] = {"daisy", "tulips"};
    tri_source_info photos = {.spec = "photos", .format = "jpeg", .by_folder = true, .classes = 2, .class_names = names};
    assert_ok(tri__photos_fit(&photos, names, 2));
    assert_ok(tri__photos_fit(&photos, NULL, 2));
    assert_fails(tri__photos_fit(&photos, others, 2), TRI_BAD_CALL, "photos: its class 1 is roses, the model's is tulips");
    photos.classes = 1;
    assert_fails(tri__photos_fit(&photos, names, 2), TRI_BAD_CALL, "its class 1 is missing, the model's is roses");
    photos.by_folder = false; /* its classes are numbers */
    assert_ok(tri__photos_fit(&photos, names, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(photos_with_other_class_names_are_refused),
        cmocka_unit_test(auc_is_the_share_of_pairs_in_the_right_order),
        cmocka_unit_test(a_model_with_zero_logits_has_the_loss_of_guessing),
        cmocka_unit_test(a_source_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
