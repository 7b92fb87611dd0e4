/* cache_test.c: what is put in comes out, from memory and from disk, dense and sparse; what does not fit is told. */
#include "data/batch/cache.h"

#include <unistd.h>

#include "data/fixture.h"

enum { BYTES = 100, WIDTH = 5, RECORDS = 20 };

static const tri_source dense = {.example_bytes = BYTES};
static const tri_source sparse = {.example_bytes = 0, .info.width = WIDTH};

static void fill(int64_t record, uint8_t *x, int32_t *keys, float *values)
{
    memset(x, (int)record + 1, BYTES);
    for (int i = 0; i < WIDTH; i++) {
        keys[i] = (int32_t)record * 10 + i;
        values[i] = (float)record + (float)i / 8;
    }
}

/* All records in, then out, by a cache with room for `memory` bytes in memory. */
static void round_trip(const tri_source *source, int64_t memory, const char *folder, int64_t expected)
{
    tri__cache *cache;
    uint8_t x[BYTES], x2[BYTES];
    int32_t keys[WIDTH], keys2[WIDTH], label, label2;
    float values[WIDTH], values2[WIDTH];
    bool is_sparse = source->info.width > 0;
    int64_t count = WIDTH, count2 = 0;
    const tri__example_target from = {is_sparse ? NULL : x, keys, values, &count, &label, NULL};
    const tri__example_target to = {is_sparse ? NULL : x2, keys2, values2, &count2, &label2, NULL};
    assert_ok(tri__cache_create(source, RECORDS, memory, folder, &cache));
    for (int64_t record = 0; record < RECORDS; record++) {
        assert_false(tri__cache_get(cache, record, &to));
        fill(record, x, keys, values);
        label = (int32_t)record + 7;
        tri__cache_put(cache, record, &from);
        memset(x, 99, sizeof x);
        tri__cache_put(cache, record, &from); /* the first stays */
    }
    int64_t found = 0;
    for (int64_t record = RECORDS - 1; record >= 0; record--) {
        if (!tri__cache_get(cache, record, &to))
            continue;
        found++;
        fill(record, x, keys, values);
        assert_int_equal(label2, record + 7);
        if (is_sparse) {
            assert_memory_equal(keys, keys2, sizeof keys);
            assert_memory_equal(values, values2, sizeof values);
        } else {
            assert_memory_equal(x, x2, sizeof x);
        }
    }
    assert_int_equal(found, expected);
    char trouble[200];
    tri__cache_trouble(cache, trouble, sizeof trouble);
    assert_int_equal(trouble[0] != 0, expected < RECORDS);
    tri__cache_destroy(cache);
}

static void cached_examples_come_back_unchanged(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *cache = test_path(folder, "new/decoded");
    const tri_source *sources[] = {&dense, &sparse};
    for (int i = 0; i < 2; i++) {
        round_trip(sources[i], 0, cache, RECORDS);    /* all in memory */
        round_trip(sources[i], 1000, cache, RECORDS); /* some of it */
        round_trip(sources[i], 1, cache, RECORDS);    /* all on disk */
        round_trip(sources[i], 1, NULL, 0);           /* nowhere to go */
    }
    round_trip(&dense, 5 * (BYTES + 5), NULL, 5);
    free(cache);
    test_folder_remove(folder);
}

static void a_cache_of_examples_leaves_no_file_behind(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    round_trip(&dense, 1, folder, RECORDS);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

static void a_cache_folder_that_cannot_be_made_is_reported(void **state)
{
    (void)state;
    assert_fails(tri__cache_create(&dense, RECORDS, 1, "/dev/null/x", &(tri__cache *){NULL}), TRI_IO, "/dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached_examples_come_back_unchanged),
        cmocka_unit_test(a_cache_of_examples_leaves_no_file_behind),
        cmocka_unit_test(a_cache_folder_that_cannot_be_made_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
