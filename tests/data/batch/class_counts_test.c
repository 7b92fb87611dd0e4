/* class_counts_test.c: examples are counted by class as a run reads them, and weigh by it in batches. */
#include "data/batch/class_counts.h"

#include <string.h>

#include "data/source/held_out.h"
#include "support.h"

enum { CLASSES = 3, EXAMPLES = 100, BATCH = 16 };

static tri_source *open_fake(void)
{
    tri_source *source;
    assert_ok(tri_source_open("fake:2x2x1:3:100", TRI_PART_TRAIN, NULL, &source));
    return source;
}

/* By going through an epoch in batches. */
static void count_epoch(tri_source *source, tri_dataset_options options, int64_t *counts)
{
    tri_dataset *dataset;
    const tri_batch *batch;
    options.epochs = 1;
    memset(counts, 0, CLASSES * sizeof *counts);
    assert_ok(tri_dataset_create(source, &options, &dataset));
    for (;;) {
        assert_ok(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        for (int64_t i = 0; i < batch->count; i++)
            counts[batch->labels[i]]++;
    }
    tri_dataset_destroy(dataset);
}

static void expect_counts(tri_source *source, const tri_dataset_options *options, int64_t all)
{
    int64_t counts[CLASSES], expected[CLASSES], sum = 0;
    assert_ok(tri__class_counts(source, options, counts));
    count_epoch(source, *options, expected);
    for (int i = 0; i < CLASSES; i++) {
        assert_int_equal(counts[i], expected[i]);
        sum += counts[i];
    }
    assert_int_equal(sum, all);
}

static void what_an_epoch_reads_is_counted(void **state)
{
    (void)state;
    tri_source *source = open_fake(), *held;
    expect_counts(source, &(tri_dataset_options){.batch = BATCH, .seed = 3, .shuffle = TRI_SHUFFLE_ALL}, EXAMPLES);
    expect_counts(source, &(tri_dataset_options){.batch = BATCH, .seed = 3, .limit = 17, .sample = true}, 17);
    assert_ok(tri__source_hold_out(&source, 0.2, 5, &held));
    expect_counts(source, &(tri_dataset_options){.batch = BATCH}, EXAMPLES - EXAMPLES / 5);
    expect_counts(held, &(tri_dataset_options){.batch = BATCH}, EXAMPLES / 5);
    tri_source_destroy(held);
    tri_source_destroy(source);
}

/* Where examples stand in memory, nothing has to be read. */
static void examples_in_memory_are_counted(void **state)
{
    (void)state;
    static const uint8_t x[7 * 2] = {0};
    static const int32_t labels[7] = {2, 0, 2, 1, 2, 0, 2};
    const tri_arrays arrays = {.type = TRI_U8, .shape = TRI_SHAPE(2), .examples = 7, .x = x, .labels = labels};
    tri_source *source;
    int64_t counts[CLASSES];
    assert_ok(tri_source_from_arrays(&arrays, &source));
    expect_counts(source, &(tri_dataset_options){.batch = 2}, 7);
    assert_ok(tri__class_counts(source, &(tri_dataset_options){.batch = 2}, counts));
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 4);
    tri_source_destroy(source);
}

/* Over several epochs, the last batch of each being short. */
static void examples_weigh_by_their_class(void **state)
{
    (void)state;
    const float weights[CLASSES] = {0.5F, 1, 4};
    tri_source *source = open_fake();
    tri_dataset *dataset;
    const tri_batch *batch;
    const tri_dataset_options options = {.batch = BATCH, .shuffle = TRI_SHUFFLE_ALL, .epochs = 3, .class_weights = weights};
    assert_ok(tri_dataset_create(source, &options, &dataset));
    for (int64_t seen = 0;; seen += batch->count) {
        assert_ok(tri_dataset_next(dataset, &batch));
        if (!batch) {
            assert_int_equal(seen, 3 * EXAMPLES);
            break;
        }
        for (int64_t i = 0; i < BATCH; i++)
            assert_true(batch->weights[i] == (i < batch->count ? weights[batch->labels[i]] : 0));
    }
    tri_dataset_destroy(dataset);
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = 2, .class_weights = (float[]){1, 0, 1}}, &dataset),
                 TRI_BAD_CALL, "class 1 has the weight 0: weights are finite and above 0");
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_epoch_reads_is_counted),
        cmocka_unit_test(examples_in_memory_are_counted),
        cmocka_unit_test(examples_weigh_by_their_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
