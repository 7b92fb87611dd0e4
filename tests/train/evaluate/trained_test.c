/* trained_test.c: a model comes back from its checkpoint alone, and its probabilities agree with its evaluation. */
#include "train/evaluate/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"
#include "support.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/predict.h"
#include "train/run/run.h"

#define DATA "digits:200"

/* Train softmax for a few steps into folder/run. */
static char *train(const char *folder)
{
    tri__train_options options;
    tri__train_options_init(&options);
    bool known;
    assert_ok(tri__train_options_set(&options, "model", "softmax", &known));
    assert_ok(tri__train_options_set(&options, "data", DATA, &known));
    assert_ok(tri__train_options_set(&options, "steps", "10", &known));
    assert_ok(tri__train_options_set(&options, "rate", "0.1", &known));
    assert_ok(tri__train_options_set(&options, "threads", "1", &known));
    char *out = test_path(folder, "run");
    const volatile sig_atomic_t stop = 0;
    tri__run_result result;
    assert_ok(tri__run_train(
        &(tri__run_request){.options = &options, .out = out, .command = "-", .started = tri__clock_now(), .stop = &stop}, &result));
    tri__run_result_fini(&result);
    tri__train_options_fini(&options);
    return out;
}

static tri_source *open_test(void)
{
    tri_source *source;
    assert_ok(tri_source_open(DATA, TRI_PART_TEST, &(tri_source_options){.seed = 1}, &source));
    return source;
}

static double evaluated_accuracy(const tri__trained *trained)
{
    tri_source *source = open_test();
    tri__evaluator *evaluator;
    tri__evaluation result;
    assert_ok(tri__evaluator_create(trained->graph, source, trained->store, &(tri__evaluator_options){.threads = 1}, &evaluator));
    assert_ok(tri__evaluator_run(evaluator, &result));
    tri__evaluator_destroy(evaluator);
    tri_source_destroy(source);
    return result.accuracy;
}

/* Rows are handed over by the caller, as predict does with standard input. */
static double predicted_accuracy(tri__predictor *predictor)
{
    tri_source *source = open_test();
    int64_t rows, count = tri_source_describe(source)->examples, classes = tri__predictor_classes(predictor), right = 0;
    void *x = tri__predictor_rows(predictor, &rows);
    assert_true(count <= rows);
    int64_t *records = calloc((size_t)count, sizeof *records);
    int32_t *labels = calloc((size_t)count, sizeof *labels);
    for (int64_t i = 0; i < count; i++)
        records[i] = i;
    assert_ok(tri_source_read(source, records, count, x, labels));
    const float *probabilities;
    assert_ok(tri__predictor_run(predictor, count, &probabilities));
    for (int64_t i = 0; i < count; i++) {
        const float *row = probabilities + i * classes;
        int64_t best = 0;
        double sum = 0;
        for (int64_t label = 0; label < classes; label++) {
            sum += row[label];
            best = row[label] > row[best] ? label : best;
        }
        assert_float_equal(sum, 1, 1e-5);
        right += best == labels[i];
    }
    free(records);
    free(labels);
    tri_source_destroy(source);
    return (double)right / (double)count;
}

static void predictions_from_a_checkpoint_agree_with_its_evaluation(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *run = train(folder);
    tri__trained trained;
    assert_ok(tri__trained_open(run, 0, NULL, &trained));
    assert_string_equal(tri_model_name(trained.model), "softmax");
    tri__predictor *predictor;
    assert_ok(tri__predictor_create(&trained, 1, &predictor));
    assert_int_equal(tri__predictor_classes(predictor), 10);
    assert_float_equal(predicted_accuracy(predictor), evaluated_accuracy(&trained), 1e-9);
    tri__predictor_destroy(predictor);
    tri__trained_fini(&trained);
    free(run);
    assert_fails(tri__trained_open(folder, 0, NULL, &trained), TRI_NOT_FOUND, "no checkpoint");
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(predictions_from_a_checkpoint_agree_with_its_evaluation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
