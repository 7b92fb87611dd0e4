/* targets_test.c: measures of numbers and of sets of labels, against what is computed by hand, and their way through JSON. */
#include <math.h>

#include "train/evaluate/evaluate.h"
#include "train/evaluate/model_fixture.h"
#include "train/evaluate/numbers.h"

static void errors_and_r2_of_numbers_are_known(void **state)
{
    (void)state;
    static const float guesses[][2] = {{2.5F, 1e6F}, {0, 1e6F + 1}, {2, 1e6F + 2}, {8, 1e6F + 3}};
    static const float targets[][2] = {{3, 1e6F}, {-0.5F, 1e6F + 1}, {2, 1e6F + 2}, {7, 1e6F + 4}};
    tri__numbers numbers;
    assert_ok(tri__numbers_init(&numbers, 2));
    assert_true(isnan(tri__numbers_mse(&numbers)) && isnan(tri__numbers_r2(&numbers)));
    for (int again = 0; again < 2; again++) {
        tri__numbers_clear(&numbers);
        for (int i = 0; i < 4; i++)
            tri__numbers_add(&numbers, guesses[i], targets[i]);
        assert_float_equal(tri__numbers_mse(&numbers), (1.5 / 4 + 1.0 / 4) / 2, 1e-12);
        assert_float_equal(tri__numbers_mae(&numbers), (2.0 / 4 + 1.0 / 4) / 2, 1e-12);
        /* the first output is scikit-learn's example: 0.9486…; the second has a spread of 8.75 */
        assert_float_equal(tri__numbers_r2(&numbers), (0.9486081370449679 + 1 - 1 / 8.75) / 2, 1e-12);
    }
    tri__numbers_fini(&numbers);
}

static void r2_of_targets_that_do_not_vary_is_not_known(void **state)
{
    (void)state;
    tri__numbers numbers;
    assert_ok(tri__numbers_init(&numbers, 1));
    for (int i = 0; i < 3; i++)
        tri__numbers_add(&numbers, &(float){1}, &(float){2});
    assert_true(isnan(tri__numbers_r2(&numbers)));
    assert_float_equal(tri__numbers_mae(&numbers), 1, 0);
    tri__numbers_fini(&numbers);
}

static void labels_of_sets_are_counted_one_by_one(void **state)
{
    (void)state;
    static const float outputs[][3] = {{1, -1, -2}, {2, 3, -1}, {-1, 1, -1}, {0.5F, -3, -1}};
    static const float targets[][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    tri__label_sets sets;
    assert_ok(tri__label_sets_init(&sets, 3));
    for (int i = 0; i < 4; i++)
        tri__label_sets_add(&sets, outputs[i], targets[i]);
    assert_float_equal(tri__label_sets_accuracy(&sets), 9.0 / 12, 1e-12);
    assert_float_equal(tri__label_sets_score(&sets, 0).precision, 2.0 / 3, 1e-12);
    assert_float_equal(tri__label_sets_score(&sets, 1).recall, 2.0 / 3, 1e-12);
    assert_true(isnan(tri__label_sets_score(&sets, 2).f1)); /* nobody has it, and nobody was said to */
    assert_float_equal(tri__label_sets_f1(&sets), (4.0 / 6 + 4.0 / 5) / 2, 1e-12);
    tri__label_sets_clear(&sets);
    assert_true(isnan(tri__label_sets_accuracy(&sets)));
    tri__label_sets_fini(&sets);
}

static void measures_come_back_from_json(void **state)
{
    (void)state;
    const tri__evaluation evaluation = {.examples = 3,
                                        .loss = 0.25,
                                        .accuracy = NAN,
                                        .auc = NAN,
                                        .logloss = NAN,
                                        .calibration = NAN,
                                        .mse = 0.5,
                                        .mae = 0.125,
                                        .r2 = -0.5,
                                        .f1 = NAN};
    json_t *object = json_object();
    char text[TRI_MEASURES_TEXT];
    tri__measures_put(&evaluation, object);
    const tri__evaluation back = tri__measures_get(object, "");
    json_decref(object);
    assert_true(back.loss == 0.25 && back.mse == 0.5 && back.mae == 0.125 && back.r2 == -0.5);
    assert_true(isnan(back.accuracy) && isnan(back.auc) && isnan(back.f1));
    assert_string_equal(tri__measures_text(&back, ", ", text), "test loss 0.2500, test MAE 0.1250, test R2 -0.5000");
    assert_null(tri__measure_find("speed", 5));
    assert_string_equal(tri__measure_find("r2", 2)->title, "R2");
}

/* A model whose only output is its bias of 0. */
static void a_model_of_numbers_is_evaluated_by_its_targets(void **state)
{
    (void)state;
    const float x[3] = {1, 2, 3}, targets[3] = {1, -2, 3};
    const tri_arrays arrays = {.type = TRI_F32, .shape = TRI_SHAPE(1), .examples = 3, .x = x, .targets = targets, .outputs = 1};
    static const char text[] = "input()\ndense(outputs, init=zero)\nhuber_loss(delta=2)\n";
    tri_source *source;
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri__evaluator *evaluator;
    tri__evaluation result;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    assert_ok(tri_model_parse("mine", text, strlen(text), &model));
    assert_int_equal(tri_model_labels(model), TRI_LABEL_NUMBERS);
    const tri_model_input input = tri_model_input_of(tri_source_describe(source));
    assert_ok(tri_model_build(model, &input, 2, &graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){0}, &store));
    assert_false(tri__has_two_classes(graph));
    assert_ok(tri__evaluator_create(graph, source, store, &(tri__evaluator_options){.batch = 2, .threads = 1}, &evaluator));
    assert_ok(tri__evaluator_run(evaluator, &result));
    assert_float_equal(result.loss, (0.5 + 2 + 2 * (3 - 1)) / 3, 1e-6);
    assert_float_equal(result.mse, 14.0 / 3, 1e-6);
    assert_float_equal(result.mae, 2, 1e-6);
    assert_true(isnan(result.accuracy) && isnan(result.auc) && isnan(result.logloss));
    tri__evaluator_destroy(evaluator);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    tri_source_destroy(source);
}

static void a_model_that_learns_something_else_is_refused(void **state)
{
    (void)state;
    static const char numbers[] = "input()\ndense(1)\nmse_loss()\n", classes[] = "input()\ndense(2)\nsoftmax_loss()\n";
    const tri_model_input of_classes = {.type = TRI_F32, .shape = TRI_SHAPE(3), .classes = 2};
    const tri_model_input of_numbers = {.type = TRI_F32, .shape = TRI_SHAPE(3), .outputs = 1};
    const tri_model_input of_more = {.type = TRI_F32, .shape = TRI_SHAPE(3), .outputs = 4};
    tri_model *model;
    tri_graph *graph;
    assert_ok(tri_model_parse("mine", numbers, strlen(numbers), &model));
    assert_fails(tri_model_build(model, &of_classes, 2, &graph), TRI_BAD_CALL,
                 "mse_loss learns numbers, and the data is labelled with classes");
    assert_fails(tri_model_build(model, &of_more, 2, &graph), TRI_BAD_DATA, "has 1 outputs, the data has 4 for each example");
    tri_model_destroy(model);
    assert_ok(tri_model_parse("mine", classes, strlen(classes), &model));
    assert_fails(tri_model_build(model, &of_numbers, 2, &graph), TRI_BAD_CALL,
                 "softmax_loss learns classes, and the data is labelled with numbers");
    tri_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_r2_of_numbers_are_known),
        cmocka_unit_test(r2_of_targets_that_do_not_vary_is_not_known),
        cmocka_unit_test(labels_of_sets_are_counted_one_by_one),
        cmocka_unit_test(measures_come_back_from_json),
        cmocka_unit_test(a_model_of_numbers_is_evaluated_by_its_targets),
        cmocka_unit_test(a_model_that_learns_something_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
