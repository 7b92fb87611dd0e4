/* allocation_test.c: records are read without an allocation for each, by a reader and by the threads that read ahead. */
#include <stdlib.h>

#include "counted.h"
#include "data/make/make.h"
#include "data/source/source.h"
#include "support.h"

enum { RECORDS = 5000, BATCH = 50 };

static char *make_set(const char *folder, const char *kind_name, const char *format, int64_t count)
{
    const tri__make_kind *kind;
    tri__make_result result;
    tri__make_request request = {.out = test_path(folder, format), .count = count, .features = 1000, .format = format};
    request.height = request.width = 16;
    assert_ok(tri__make_find(kind_name, &kind));
    assert_ok(tri__pool_create(1, &request.pool));
    assert_ok(tri__data_make(kind, &request, &result));
    tri__pool_destroy(request.pool);
    return (char *)request.out;
}

static void read_all(tri_source *source, tri__reader *reader, const tri__example_target *target)
{
    for (int64_t i = 0; i < source->info.examples; i++)
        assert_ok(source->kind->read(reader, i, target));
}

/* What a second time through all records allocates: the first may find how large they are. */
static long count_reader(tri_source *source)
{
    int32_t label, keys[64];
    float values[64];
    uint8_t x[16 * 16 * 3];
    const tri__example_target target = {.x = x, .keys = keys, .values = values, .count = &(int64_t){0}, .label = &label};
    tri__reader *reader;
    assert_ok(tri__reader_create(source, &reader));
    read_all(source, reader, &target);
    long before = counted_allocations();
    read_all(source, reader, &target);
    long after = counted_allocations();
    tri__reader_destroy(reader);
    return after - before;
}

/* What an epoch allocates, in whatever thread, from the second batch on. */
static long count_epoch(tri_source *source)
{
    const tri_dataset_options options = {.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .epochs = 1};
    tri_dataset *dataset;
    const tri_batch *batch;
    assert_ok(tri_dataset_create(source, &options, &dataset));
    assert_ok(tri_dataset_next(dataset, &batch));
    long before = counted_allocations();
    while (batch)
        assert_ok(tri_dataset_next(dataset, &batch));
    long after = counted_allocations();
    tri_dataset_destroy(dataset);
    return after - before;
}

static void reading_examples_allocates_nothing(void **state)
{
    (void)state;
    static const char *const formats[] = {"tfrecord", "libsvm", "criteo", "jpeg"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bool photos = i == 3;
        char *folder = test_folder_create(), *set = make_set(folder, photos ? "images" : "clicks", formats[i], photos ? 200 : RECORDS);
        tri_source *source;
        assert_ok(tri_source_open(set, TRI_PART_TRAIN, NULL, &source));
        assert_int_equal(count_reader(source), 0);
        assert_in_range(count_epoch(source), 0, source->info.examples / 4); /* more threads and batches, as it takes: not more records */
        tri_source_destroy(source);
        free(set);
        test_folder_remove(folder);
    }
}

/* A check that cannot fail is worth nothing: opening does allocate. */
static void the_allocation_counter_sees_allocations(void **state)
{
    (void)state;
    long before = counted_allocations();
    tri_source *source;
    assert_ok(tri_source_open("clicks:100:10", TRI_PART_TRAIN, NULL, &source));
    tri_source_destroy(source);
    assert_true(counted_allocations() > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reading_examples_allocates_nothing),
                                       cmocka_unit_test(the_allocation_counter_sees_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
