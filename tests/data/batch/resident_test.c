/* resident_test.c: batches that point to examples in memory hold what batches that copy them hold. */
#include "trireme/dataset.h"

#include "data/fixture.h"

enum { EXAMPLES = 23, BATCH = 5 };

static void batches_that_point_to_examples_equal_batches_that_copy_them(void **state)
{
    (void)state;
    tri_source *source;
    assert_ok(tri_source_open("digits:23", TRI_PART_TRAIN, &(tri_source_options){.seed = 5}, &source));
    const size_t bytes = (size_t)tri_shape_count(tri_source_describe(source)->shape);
    tri_dataset *copying, *pointing;
    tri_dataset_options options = {.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .epochs = 2};
    assert_ok(tri_dataset_create(source, &options, &copying));
    options.in_place = true;
    assert_ok(tri_dataset_create(source, &options, &pointing));
    int64_t seen = 0;
    for (const tri_batch *a, *b;; seen += a->count) {
        assert_ok(tri_dataset_next(copying, &a));
        assert_ok(tri_dataset_next(pointing, &b));
        assert_true(!a == !b);
        if (!a)
            break;
        assert_null(a->at);
        assert_null(b->x);
        for (int64_t i = 0; i < BATCH; i++) /* padded rows too: they are zeros */
            assert_memory_equal(b->at[i], (const char *)a->x + (size_t)i * bytes, bytes);
        assert_memory_equal(b->labels, a->labels, BATCH * sizeof *a->labels);
        assert_memory_equal(b->weights, a->weights, BATCH * sizeof *a->weights);
        assert_memory_equal(b->ids, a->ids, BATCH * sizeof *a->ids);
    }
    assert_int_equal(seen, 2 * EXAMPLES);
    tri_dataset_destroy(pointing);
    tri_dataset_destroy(copying);
    tri_source_destroy(source);
}

static void examples_that_are_not_in_memory_are_copied(void **state)
{
    (void)state;
    tri_source *source;
    assert_ok(tri_source_open("fake:2x3x1:4:23", TRI_PART_TRAIN, NULL, &source));
    tri_dataset *dataset;
    assert_ok(tri_dataset_create(source, &(tri_dataset_options){.batch = BATCH, .in_place = true}, &dataset));
    const tri_batch *batch;
    assert_ok(tri_dataset_next(dataset, &batch));
    assert_non_null(batch->x);
    assert_null(batch->at);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_that_point_to_examples_equal_batches_that_copy_them),
        cmocka_unit_test(examples_that_are_not_in_memory_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
