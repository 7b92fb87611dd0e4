/* curves_test.c: the curves that a run writes for TensorBoard, by task. */
#include <stdlib.h>

#include "cli/binary.h"
#include "watch/report/run_curves.h"

#define TRAIN(model) "train", model, "--data", "digits:400", "--batch", "8", "--steps", "20", "--log-every", "10", "--quiet", "--out", "run"

/* How many points the curve of this task has; all of them are shares of 1. */
static int accuracies(const char *folder, const char *task, const char *tag)
{
    char *path = test_path(folder, "run");
    tri__run_curves *curves;
    int points = 0;
    assert_ok(tri__run_curves_open(path, &curves));
    for (int i = 0; i < tri__run_curves_count(curves); i++) {
        const tri__curve *curve = tri__run_curves_get(curves, i);
        if (strcmp(curve->task, task) != 0 || strcmp(curve->tag, tag) != 0)
            continue;
        points = curve->count;
        for (int k = 0; k < curve->count; k++)
            assert_true(curve->point[k].value >= 0 && curve->point[k].value <= 1);
    }
    tri__run_curves_close(curves);
    free(path);
    return points;
}

static void training_accuracy_is_a_curve(void **state)
{
    expect(RUN(*state, TRAIN("lenet")), 0, "", "");
    assert_int_equal(accuracies(*state, "worker:0", "train/accuracy"), 2);
}

static void replicas_have_curves_of_their_own(void **state)
{
    expect(RUN(*state, TRAIN("lenet"), "--strategy", "mirrored", "--workers", "2"), 0, "", "");
    assert_int_equal(accuracies(*state, "worker:0", "train/accuracy"), 2);
    assert_int_equal(accuracies(*state, "worker:0", "worker/accuracy"), 2);
    assert_int_equal(accuracies(*state, "worker:1", "worker/accuracy"), 2);
}

static void workers_of_servers_have_curves_of_their_own(void **state)
{
    expect(RUN(*state, TRAIN("lenet"), "--strategy", "ps", "--workers", "2", "--sync"), 0, "", "");
    assert_int_equal(accuracies(*state, "worker:0", "train/accuracy"), 2);
    assert_int_equal(accuracies(*state, "worker:1", "train/accuracy"), 2);
}

static void a_model_of_one_layer_has_the_curve_with_histograms_only(void **state)
{
    expect(RUN(*state, TRAIN("softmax")), 0, "", "");
    assert_int_equal(accuracies(*state, "worker:0", "train/accuracy"), 0);
    expect(RUN(*state, "train", "softmax", "--data", "digits:400", "--batch", "8", "--steps", "20", "--log-every", "10", "--quiet", "--out",
               "other/run", "--histograms", "10"),
           0, "", "");
    char *other = test_path(*state, "other");
    assert_int_equal(accuracies(other, "worker:0", "train/accuracy"), 2);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(training_accuracy_is_a_curve),
        FOLDER_TEST(replicas_have_curves_of_their_own),
        FOLDER_TEST(workers_of_servers_have_curves_of_their_own),
        FOLDER_TEST(a_model_of_one_layer_has_the_curve_with_histograms_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
