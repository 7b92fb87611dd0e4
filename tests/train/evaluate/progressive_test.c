/* progressive_test.c: progressive validation against plain sums over all examples. */
#include "train/evaluate/progressive.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "train/evaluate/auc.h"

enum { ROWS = 250, BATCHES = 40, COUNT = ROWS * BATCHES };

static void figures_are_those_of_all_examples(void **state)
{
    (void)state;
    static float scores[COUNT], weights[ROWS];
    static int32_t labels[COUNT];
    double loss = 0, predicted = 0, auc;
    int64_t right = 0, positive = 0;
    unsigned seed = 1;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        scores[i] = ((float)(seed >> 8) / (1 << 24) - 0.6F) * 8;
        seed = seed * 1664525 + 1013904223;
        labels[i] = (float)(seed >> 8) / (1 << 24) < 1 / (1 + expf(-scores[i]));
        const double p = 1 / (1 + exp(-scores[i]));
        loss -= log(labels[i] ? p : 1 - p);
        predicted += p;
        right += (p > 0.5) == labels[i];
        positive += labels[i];
    }
    for (int i = 0; i < ROWS; i++)
        weights[i] = 1;
    tri__progressive *progressive;
    assert_ok(tri__progressive_create(&progressive));
    assert_true(isnan(tri__progressive_auc(progressive)));
    for (int i = 0; i < BATCHES; i++) {
        const tri_batch batch = {.rows = ROWS, .count = ROWS, .labels = labels + i * ROWS, .weights = weights};
        tri__progressive_add(progressive, &batch, scores + i * ROWS, 1);
        if (i % 7 == 0)
            tri__progressive_settle(progressive);
    }
    assert_ok(tri__auc(scores, labels, COUNT, &auc));
    const tri__score_sums all = tri__progressive_all(progressive);
    assert_int_equal(all.examples, COUNT);
    assert_int_equal(progressive->recent.examples, 4 * ROWS);
    assert_true(fabs(tri__score_logloss(&all) - loss / COUNT) < 1e-9);
    assert_true(tri__score_accuracy(&all) == (double)right / COUNT);
    assert_true(fabs(tri__score_calibration(&all) - predicted / (double)positive) < 1e-9);
    assert_true(fabs(tri__progressive_auc(progressive) - auc) < 1e-4);
    tri__progressive_destroy(progressive);
}

static void damaged_rows_and_scores_beyond_bounds_do_no_harm(void **state)
{
    (void)state;
    tri__progressive *progressive;
    assert_ok(tri__progressive_create(&progressive));
    const float logits[][2] = {{0, 1e30F}, {1e30F, 0}, {0, 100}, {0, 0}};
    const tri_batch batch = {.rows = 4, .count = 4, .labels = (int32_t[]){1, 0, 1, 1}, .weights = (float[]){1, 1, 1, 0}};
    tri__progressive_add(progressive, &batch, logits[0], 2);
    assert_int_equal(progressive->recent.examples, 3);
    assert_true(tri__progressive_auc(progressive) == 1);
    tri__progressive_destroy(progressive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_all_examples),
        cmocka_unit_test(damaged_rows_and_scores_beyond_bounds_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
