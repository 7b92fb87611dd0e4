/* convert_test.c: what is written is what was read, the same bytes by any number of threads, balanced, resumed, and never mixed. */
#include "data/convert/convert.h"

#include <unistd.h>

#include "data/fixture.h"

static tri__convert_request request_for(const char *spec, const char *out)
{
    return (tri__convert_request){
        .spec = spec, .out = out, .partitions = 4, .seed = 1, .workers = 2, .source = {.seed = 1, .height = 0, .width = 0}};
}

static tri__convert_result convert(const tri__convert_request *request)
{
    tri__convert_result result;
    assert_ok(tri__data_convert(request, &result));
    return result;
}

static char *file_of(const char *folder, const char *name, size_t *size)
{
    char *path = test_path(folder, name), *text = test_read(path, size);
    free(path);
    return text;
}

static void assert_same_files(const char *a, const char *b, const char *const *names)
{
    for (; *names; names++) {
        size_t size_a, size_b;
        char *first = file_of(a, *names, &size_a), *second = file_of(b, *names, &size_b);
        assert_int_equal(size_a, size_b);
        assert_memory_equal(first, second, size_a);
        free(first);
        free(second);
    }
}

static const char *const names[] = {"train-00000-of-00004.tfrecord", "train-00001-of-00004.tfrecord", "train-00002-of-00004.tfrecord",
                                    "train-00003-of-00004.tfrecord", "test-00000-of-00004.tfrecord",  NULL};

/* All examples of one part: the sum of each example's bytes by class must be the same on both sides, whatever the order. */
static int64_t count_pixels(const char *spec, tri_part part, int64_t *examples)
{
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    int64_t sum = 0;
    assert_ok(tri_source_open(spec, part, &(tri_source_options){.seed = 1}, &source));
    *examples = tri_source_describe(source)->examples;
    int64_t bytes = tri_shape_count(tri_source_describe(source)->shape);
    assert_ok(tri_dataset_create(source, &(tri_dataset_options){.batch = 10, .epochs = 1}, &dataset));
    for (;;) {
        assert_ok(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        for (int64_t row = 0; row < batch->count; row++) {
            const uint8_t *x = batch->at ? batch->at[row] : (const uint8_t *)batch->x + row * bytes;
            int64_t own = 0;
            for (int64_t i = 0; i < bytes; i++)
                own += x[i] * (i + 1);
            sum += own * own % 1000003 * (batch->labels[row] + 1);
        }
    }
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    return sum;
}

static void converted_examples_are_those_of_the_source(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    const char *spec = "fake:6x5x3:4:103";
    const tri__convert_request request = request_for(spec, out);
    tri__convert_result result = convert(&request);
    assert_int_equal(result.records, 103 + 17);
    assert_int_equal(result.written, result.records);
    assert_int_equal(result.partitions, 8);
    int64_t counted = 0;
    for (int i = 0; i < 4; i++)
        counted += result.class_counts[i];
    assert_int_equal(counted, result.records);
    tri__convert_result_fini(&result);
    for (int part = 0; part < 2; part++) {
        int64_t before, after;
        assert_int_equal(count_pixels(spec, (tri_part)part, &before), count_pixels(out, (tri_part)part, &after));
        assert_int_equal(before, after);
    }
    free(out);
    test_folder_remove(folder);
}

static void sizes_of_converted_partitions_differ_by_one_record_at_most(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    const tri__convert_request request = request_for("fake:4x4x1:2:103", out);
    tri__convert_result result = convert(&request);
    tri__convert_result_fini(&result);
    for (int i = 0; i < 4; i++) {
        char *path = test_path(out, names[i]);
        tri_source *source;
        assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
        assert_in_range(tri_source_describe(source)->examples, 25, 26);
        tri_source_destroy(source);
        free(path);
    }
    free(out);
    test_folder_remove(folder);
}

static void conversion_writes_the_same_bytes_with_any_number_of_workers(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *first = test_path(folder, "first");
    static const char *const specs[] = {"fake:6x5x3:4:50", "clicks:500:50"};
    for (int s = 0; s < 2; s++)
        for (int workers = 1; workers <= 5; workers += 2) {
            char *other = test_path(folder, "other");
            tri__convert_request request = request_for(specs[s], workers == 1 ? first : other);
            request.workers = workers;
            tri__convert_result result = convert(&request);
            tri__convert_result_fini(&result);
            if (workers > 1) {
                assert_same_files(first, other, names);
                test_folder_remove(other);
            } else {
                free(other);
            }
            if (workers == 5) {
                test_folder_remove(first);
                first = test_path(folder, "first");
            }
        }
    free(first);
    test_folder_remove(folder);
}

/* What is finished is kept, what is missing is made again. */
static void a_repeated_conversion_makes_only_missing_partitions(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out"), *whole = test_path(folder, "whole");
    tri__convert_request request = request_for("fake:6x5x3:4:50", out);
    tri__convert_result result = convert(&request);
    tri__convert_result_fini(&result);
    request.out = whole;
    result = convert(&request);
    tri__convert_result_fini(&result);
    request.out = out;
    char *lost = test_path(out, names[2]), *kept = test_path(out, names[1]);
    assert_int_equal(unlink(lost), 0);
    result = convert(&request);
    assert_int_equal(result.written, 12); /* the third of 4 files of 50 records: 13, 13, 12, 12 */
    assert_int_equal(result.records, 58);
    tri__convert_result_fini(&result);
    assert_same_files(out, whole, names);
    free(lost);
    free(kept);
    free(out);
    free(whole);
    test_folder_remove(folder);
}

static void a_folder_of_another_conversion_is_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out"), *foreign = test_path(folder, "foreign.txt");
    tri__convert_request request = request_for("fake:6x5x3:4:50", out);
    tri__convert_result result = convert(&request);
    tri__convert_result_fini(&result);
    request.seed = 2;
    assert_fails(tri__data_convert(&request, &result), TRI_BAD_CALL, "another source or with other options");
    request = request_for("fake:6x5x3:4:51", out);
    assert_fails(tri__data_convert(&request, &result), TRI_BAD_CALL, "another source or with other options");
    test_write(foreign, "mine", 4);
    request.out = folder;
    assert_fails(tri__data_convert(&request, &result), TRI_BAD_CALL, "holds foreign.txt already");
    char *left = test_path(folder, ".convert");
    assert_int_equal(access(left, F_OK), -1);
    request = request_for("fake:6x5x3:4:3", out);
    assert_fails(tri__data_convert(&request, &result), TRI_BAD_CALL, "no file may be empty");
    request = request_for("fake:6x5x2:4:30", out);
    request.encoding = TRI_ENCODE_JPEG;
    assert_fails(tri__data_convert(&request, &result), TRI_BAD_CALL, "use --encode raw");
    request = request_for("/nowhere/at/all", out);
    assert_fails(tri__data_convert(&request, &result), TRI_NOT_FOUND, "/nowhere/at/all");
    free(left);
    free(foreign);
    free(out);
    test_folder_remove(folder);
}

static void a_stopped_conversion_continues_later(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    volatile sig_atomic_t stop = 1;
    tri__convert_request request = request_for("fake:6x5x3:4:50", out);
    request.stop = &stop;
    tri__convert_result result;
    assert_fails(tri__data_convert(&request, &result), TRI_STOPPED, "goes on from here");
    stop = 0;
    result = convert(&request);
    assert_int_equal(result.written, 58);
    tri__convert_result_fini(&result);
    free(out);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converted_examples_are_those_of_the_source),
        cmocka_unit_test(sizes_of_converted_partitions_differ_by_one_record_at_most),
        cmocka_unit_test(conversion_writes_the_same_bytes_with_any_number_of_workers),
        cmocka_unit_test(a_repeated_conversion_makes_only_missing_partitions),
        cmocka_unit_test(a_folder_of_another_conversion_is_refused),
        cmocka_unit_test(a_stopped_conversion_continues_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
