/* arrays_test.c: arrays in memory as a source. */
#include <math.h>

#include "data/fixture.h"
#include "trireme/dataset.h"

static void arrays_are_read_where_they_stand(void **state)
{
    (void)state;
    float x[6][2];
    const int32_t labels[6] = {0, 1, 2, 0, 1, 2};
    for (int i = 0; i < 6; i++)
        x[i][0] = (float)i, x[i][1] = (float)-i;
    const tri_arrays arrays = {.type = TRI_F32, .shape = TRI_SHAPE(2), .examples = 6, .x = x, .labels = labels};
    tri_source *source;
    tri_dataset *dataset;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    assert_int_equal(tri_source_describe(source)->classes, 3);
    assert_string_equal(tri_source_describe(source)->spec, "arrays");
    assert_ok(tri_dataset_create(source, &(tri_dataset_options){.batch = 4, .epochs = 1}, &dataset));
    const tri_batch *batch;
    for (int first = 0; first < 6; first += 4) {
        assert_ok(tri_dataset_next(dataset, &batch));
        assert_int_equal(batch->count, first ? 2 : 4);
        assert_memory_equal(batch->x, x[first], (size_t)batch->count * sizeof x[0]);
        assert_memory_equal(batch->labels, labels + first, (size_t)batch->count * sizeof labels[0]);
    }
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

static void arrays_without_labels_are_unlabelled(void **state)
{
    (void)state;
    const uint8_t x[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const tri_arrays arrays = {.name = "mine", .type = TRI_U8, .shape = TRI_SHAPE(1, 1, 3), .examples = 2, .x = x, .classes = 7};
    tri_source *source;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    assert_true(tri_source_describe(source)->unlabelled);
    assert_int_equal(tri_source_describe(source)->classes, 7);
    uint8_t row[3];
    int32_t label = 5;
    assert_ok(tri_source_read(source, &(int64_t){1}, 1, row, &label));
    assert_memory_equal(row, x[1], sizeof row);
    assert_int_equal(label, 0);
    tri_source_destroy(source);
}

/* … through the cache too, of which the second epoch reads. */
static void targets_come_with_their_examples(void **state)
{
    (void)state;
    float x[5][1], targets[5][2];
    for (int i = 0; i < 5; i++)
        x[i][0] = (float)i, targets[i][0] = (float)i / 8, targets[i][1] = (float)-i;
    const tri_arrays arrays = {.type = TRI_F32, .shape = TRI_SHAPE(1), .examples = 5, .x = x, .targets = &targets[0][0], .outputs = 2};
    tri_source *source;
    tri_dataset *dataset;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    const tri_source_info *info = tri_source_describe(source);
    assert_true(info->labels == TRI_LABEL_NUMBERS && info->outputs == 2 && info->classes == 0 && !info->unlabelled);
    assert_ok(
        tri_dataset_create(source, &(tri_dataset_options){.batch = 4, .epochs = 2, .shuffle = TRI_SHUFFLE_ALL, .cache = true}, &dataset));
    const tri_batch *batch;
    int64_t seen = 0;
    for (;;) {
        assert_ok(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        assert_int_equal(batch->outputs, 2);
        for (int64_t i = 0; i < batch->count; i++, seen++)
            assert_memory_equal(batch->targets + 2 * i, targets[batch->ids[i]], sizeof targets[0]);
        for (int64_t i = batch->count; i < batch->rows; i++)
            assert_memory_equal(batch->targets + 2 * i, (float[2]){0}, sizeof targets[0]);
    }
    assert_int_equal(seen, 10);
    tri_dataset_destroy(dataset);
    float row[1], read[2];
    int32_t label;
    assert_ok(tri_source_read_targets(source, &(int64_t){3}, 1, row, read));
    assert_memory_equal(read, targets[3], sizeof read);
    assert_fails(tri_source_read(source, &(int64_t){3}, 1, row, &label), TRI_BAD_CALL, "its labels are numbers, no classes");
    tri_source_destroy(source);
}

static void arrays_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const float x[2] = {0};
    const int32_t labels[2] = {0, 3}, negative[2] = {0, -1};
    tri_source *source;
    tri_arrays arrays = {.name = "mine", .type = TRI_F32, .shape = TRI_SHAPE(1), .examples = 2, .x = x, .labels = labels, .classes = 3};
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_DATA, "mine: label 3 of example 1 is no class");
    arrays.labels = negative;
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_DATA, "label -1 of example 1");
    arrays.labels = NULL;
    arrays.examples = 0;
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_CALL, "there are no examples");
    arrays.examples = 2;
    arrays.type = TRI_I32;
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_CALL, "examples are i32");
    const float targets[2] = {0.5F, NAN};
    arrays = (tri_arrays){.type = TRI_F32, .shape = TRI_SHAPE(1), .examples = 2, .x = x, .targets = targets, .outputs = 1};
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_DATA, "target nan of example 1 is no finite number");
    arrays.sets = true;
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_DATA, "target 0.5 of example 0 is no 0 or 1");
    arrays.labels = labels;
    assert_fails(tri_source_from_arrays(&arrays, &source), TRI_BAD_CALL, "labels or targets");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read_where_they_stand),
        cmocka_unit_test(arrays_without_labels_are_unlabelled),
        cmocka_unit_test(targets_come_with_their_examples),
        cmocka_unit_test(arrays_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
