/* dataset_test.c: batches, epochs, padding, order, seeking and assigned batches,
 * over a source in memory and over one that is read ahead. */
#include "trireme/dataset.h"

#include <stdio.h>

#include "data/batch/dataset.h"
#include "data/fixture.h"

/* Both ways that batches are made: gathered at once, and read ahead by a thread. */
static const char *const specs[] = {"digits:23", "fake:2x3x1:4:23"};
enum { SPECS = 2, EXAMPLES = 23 };

static tri_source *open_source(const char *spec)
{
    tri_source *source;
    assert_ok(tri_source_open(spec, TRI_PART_TRAIN, &(tri_source_options){.seed = 5}, &source));
    return source;
}

static tri_dataset *create(tri_source *source, tri_dataset_options options)
{
    tri_dataset *dataset;
    assert_ok(tri_dataset_create(source, &options, &dataset));
    return dataset;
}

static const tri_batch *next(tri_dataset *dataset)
{
    const tri_batch *batch;
    assert_ok(tri_dataset_next(dataset, &batch));
    return batch;
}

/* Append the record numbers of the next count examples, which must end with a batch. */
static void collect(tri_dataset *dataset, int64_t count, int64_t *ids)
{
    while (count > 0) {
        const tri_batch *batch = next(dataset);
        assert_non_null(batch);
        memcpy(ids, batch->ids, (size_t)batch->count * sizeof *ids);
        ids += batch->count;
        count -= batch->count;
    }
    assert_int_equal(count, 0);
}

static void assert_holds_each_once(const int64_t *ids, int64_t count)
{
    bool seen[EXAMPLES] = {false};
    for (int64_t i = 0; i < count; i++) {
        assert_in_range(ids[i], 0, count - 1);
        assert_false(seen[ids[i]]);
        seen[ids[i]] = true;
    }
}

static void rows_of_a_batch_hold_the_records_of_the_source(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        tri_source *source = open_source(specs[i]);
        size_t bytes = (size_t)tri_shape_count(tri_source_describe(source)->shape);
        tri_dataset *dataset = create(source, (tri_dataset_options){.batch = 4, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .epochs = 2});
        uint8_t *row = malloc(bytes);
        int32_t label;
        for (const tri_batch *batch; (batch = next(dataset));)
            for (int64_t j = 0; j < batch->count; j++) {
                assert_ok(tri_source_read(source, &batch->ids[j], 1, row, &label));
                assert_memory_equal((const uint8_t *)batch->x + (size_t)j * bytes, row, bytes);
                assert_int_equal(batch->labels[j], label);
                assert_true(batch->weights[j] == 1);
            }
        free(row);
        tri_dataset_destroy(dataset);
        tri_source_destroy(source);
    }
}

static void the_last_batch_is_padded_with_weight_0(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        tri_source *source = open_source(specs[i]);
        size_t bytes = (size_t)tri_shape_count(tri_source_describe(source)->shape);
        tri_dataset *dataset = create(source, (tri_dataset_options){.batch = 10, .epochs = 2});
        for (int epoch = 0; epoch < 2; epoch++)
            for (int number = 0; number < 3; number++) {
                const tri_batch *batch = next(dataset);
                assert_int_equal(batch->rows, 10);
                assert_int_equal(batch->count, number < 2 ? 10 : 3);
                assert_int_equal(batch->epoch, epoch);
                for (int64_t j = 0; j < batch->rows; j++) {
                    bool real = j < batch->count;
                    assert_true(batch->weights[j] == (real ? 1 : 0));
                    assert_int_equal(batch->ids[j], real ? number * 10 + j : -1);
                    for (size_t k = 0; !real && k < bytes; k++)
                        assert_int_equal(((const uint8_t *)batch->x)[(size_t)j * bytes + k], 0);
                    if (!real)
                        assert_int_equal(batch->labels[j], 0);
                }
            }
        assert_null(next(dataset));
        assert_null(next(dataset));
        assert_int_equal(tri_dataset_position(dataset), 2 * EXAMPLES);
        tri_dataset_destroy(dataset);
        tri_source_destroy(source);
    }
}

static void an_epoch_holds_each_example_once(void **state)
{
    (void)state;
    static const int64_t windows[] = {0, 1, 5, 22, 23, 1000, TRI_SHUFFLE_ALL};
    for (size_t i = 0; i < SPECS * sizeof windows / sizeof *windows; i++) {
        int64_t window = windows[i / SPECS], ids[2][EXAMPLES], again[EXAMPLES];
        tri_source *source = open_source(specs[i % SPECS]);
        tri_dataset_options options = {.batch = 4, .seed = 1, .shuffle = window, .epochs = 2};
        tri_dataset *dataset = create(source, options), *twin = create(source, options);
        collect(dataset, EXAMPLES, ids[0]);
        collect(dataset, EXAMPLES, ids[1]);
        assert_null(next(dataset));
        assert_holds_each_once(ids[0], EXAMPLES);
        assert_holds_each_once(ids[1], EXAMPLES);
        for (int64_t j = 0; window > 0 && j < EXAMPLES; j++)
            assert_true(window > EXAMPLES || ids[0][j] < j + window);
        assert_true((memcmp(ids[0], ids[1], sizeof ids[0]) == 0) == (window <= 1));
        collect(twin, EXAMPLES, again);
        assert_memory_equal(again, ids[0], sizeof again);
        tri_dataset_destroy(twin);
        tri_dataset_destroy(dataset);
        tri_source_destroy(source);
    }
}

static void another_seed_gives_another_order(void **state)
{
    (void)state;
    tri_source *source = open_source(specs[0]);
    int64_t ids[2][EXAMPLES];
    for (uint64_t seed = 0; seed < 2; seed++) {
        tri_dataset *dataset = create(source, (tri_dataset_options){.batch = 23, .seed = seed, .shuffle = TRI_SHUFFLE_ALL});
        collect(dataset, EXAMPLES, ids[seed]);
        tri_dataset_destroy(dataset);
    }
    assert_memory_not_equal(ids[0], ids[1], sizeof ids[0]);
    tri_source_destroy(source);
}

static void a_limited_dataset_keeps_the_first_examples(void **state)
{
    (void)state;
    tri_source *source = open_source(specs[0]);
    tri_dataset *dataset = create(source, (tri_dataset_options){.batch = 4, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .limit = 7});
    int64_t ids[7];
    assert_int_equal(tri_dataset_examples(dataset), 7);
    collect(dataset, 7, ids);
    assert_holds_each_once(ids, 7);
    assert_int_equal(next(dataset)->epoch, 1);
    tri_dataset_destroy(dataset);
    dataset = create(source, (tri_dataset_options){.batch = 4, .limit = 1000});
    assert_int_equal(tri_dataset_examples(dataset), EXAMPLES);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

/* A sample has record numbers from all over the source; the cache has room for its examples alone. */
static void a_cached_sample_is_the_sample(void **state)
{
    (void)state;
    tri_source *source = open_source("fake:6x5x1:4:100000");
    for (int readers = 1; readers < 3; readers++) {
        tri_dataset_options options = {.batch = 8, .limit = 20, .sample = true, .seed = 4, .readers = readers, .epochs = 3};
        tri_dataset *plain = create(source, options);
        options.cache = true;
        tri_dataset *cached = create(source, options);
        for (const tri_batch *one; (one = next(plain));) {
            const tri_batch *other = next(cached);
            assert_memory_equal(one->ids, other->ids, 8 * sizeof *one->ids);
            assert_memory_equal(one->labels, other->labels, 8 * sizeof *one->labels);
            assert_memory_equal(one->x, other->x, 8 * 6 * 5);
        }
        tri_dataset_destroy(plain);
        tri_dataset_destroy(cached);
    }
    tri_source_destroy(source);
}

/* From any position on, also inside a batch or just after a padded one, the examples are those of a straight run. */
static void a_dataset_at_a_position_gives_what_a_straight_run_gives(void **state)
{
    (void)state;
    static const int64_t windows[] = {0, 5, TRI_SHUFFLE_ALL};
    for (size_t i = 0; i < SPECS * sizeof windows / sizeof *windows; i++) {
        tri_source *source = open_source(specs[i % SPECS]);
        tri_dataset_options options = {.batch = 4, .seed = 3, .shuffle = windows[i / SPECS], .epochs = 3};
        tri_dataset *dataset = create(source, options);
        int64_t straight[3 * EXAMPLES], rest[3 * EXAMPLES];
        collect(dataset, 3 * EXAMPLES, straight);
        for (int64_t position = 3 * EXAMPLES; position >= 0; position -= 5) {
            assert_ok(tri_dataset_seek(dataset, position));
            assert_int_equal(tri_dataset_position(dataset), position);
            collect(dataset, 3 * EXAMPLES - position, rest);
            assert_memory_equal(rest, straight + position, (size_t)(3 * EXAMPLES - position) * sizeof *rest);
            assert_null(next(dataset));
        }
        assert_fails(tri_dataset_seek(dataset, -1), TRI_BAD_CALL, "outside");
        assert_fails(tri_dataset_seek(dataset, 3 * EXAMPLES + 1), TRI_BAD_CALL, "outside");
        tri_dataset_destroy(dataset);
        tri_source_destroy(source);
    }
}

static void a_dataset_refuses_impossible_options(void **state)
{
    (void)state;
    tri_source *source = open_source(specs[0]);
    tri_dataset *dataset;
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = 0}, &dataset), TRI_BAD_CALL, "at least 1");
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = 1, .limit = -1}, &dataset), TRI_BAD_CALL, "negative");
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = INT64_MAX}, &dataset), TRI_BAD_CALL, "too large");
    tri_dataset_destroy(NULL);
    tri_source_destroy(source);
}

/* Of each row of a batch all there is to it. */
static void assert_same_batch(const tri_batch *a, const tri_batch *b, size_t bytes)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->epoch, b->epoch);
    size_t rows = (size_t)a->rows;
    assert_memory_equal(a->ids, b->ids, rows * sizeof *a->ids);
    assert_memory_equal(a->labels, b->labels, rows * sizeof *a->labels);
    assert_memory_equal(a->weights, b->weights, rows * sizeof *a->weights);
    for (size_t i = 0; i < rows; i++)
        assert_memory_equal(a->at ? a->at[i] : (const uint8_t *)a->x + i * bytes, (const uint8_t *)b->x + i * bytes, bytes);
}

/* Assigned in the order of a plain dataset, so many at a time, the batches are its batches, augmented or not. */
static void batches_assigned_in_order_are_those_of_a_plain_dataset(void **state)
{
    (void)state;
    static const char *const pictures[] = {"digits:23", "fake:6x5x3:4:23"};
    for (int i = 0; i < 12; i++) {
        tri_source *source = open_source(pictures[i % 2]);
        size_t bytes = (size_t)tri_shape_count(tri_source_describe(source)->shape);
        tri_dataset_options options = {.batch = 4, .seed = 3, .shuffle = i < 4 ? 5 : TRI_SHUFFLE_ALL, .epochs = 3};
        options.augment = i % 3 == 0 ? "flip,crop" : NULL;
        tri_dataset *plain = create(source, options);
        options.assigned = true;
        options.in_place = i % 4 == 2;
        tri_dataset *assigned = create(source, options);
        int64_t given[18];
        int first = 0, last = 0; /* of those that are assigned and not taken */
        assert_int_equal(tri_dataset_position(assigned), 0);
        for (int64_t position = 0; first < 18; first++) {
            for (; last < 18 && last - first < 1 + i / 2; last++) {
                given[last] = position;
                assert_ok(tri_dataset_assign(assigned, position, 0, 1));
                position += position % EXAMPLES == 20 ? 3 : 4;
            }
            assert_same_batch(next(assigned), next(plain), bytes);
            assert_int_equal(tri_dataset_position(assigned), given[first]);
        }
        assert_null(next(plain));
        const tri_batch *batch;
        assert_fails(tri_dataset_next(assigned, &batch), TRI_BAD_CALL, "no batch is assigned");
        tri_dataset_destroy(plain);
        tri_dataset_destroy(assigned);
        tri_source_destroy(source);
    }
}

/* Any positions, in any epoch, forth and back, some of them revoked: each batch is what a plain dataset has there. */
static void batches_assigned_at_any_position_are_those_of_a_plain_dataset(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        tri_source *source = open_source(specs[i]);
        size_t bytes = (size_t)tri_shape_count(tri_source_describe(source)->shape);
        tri_dataset_options options = {.batch = 4, .seed = 7, .shuffle = TRI_SHUFFLE_ALL, .epochs = 5};
        tri_dataset *plain = create(source, options);
        options.assigned = true;
        tri_dataset *assigned = create(source, options);
        int64_t waiting[8], number = 0;
        for (int turn = 0; turn < 60; turn++) {
            int count = 1 + turn % 8, taken = turn % 5 ? count : count / 2;
            for (int j = 0; j < count; j++)
                assert_ok(tri_dataset_assign(assigned, waiting[j] = number++ * 67 % (5 * EXAMPLES), 0, 1));
            for (int j = 0; j < taken; j++) {
                assert_ok(tri_dataset_seek(plain, waiting[j]));
                assert_same_batch(next(assigned), next(plain), bytes);
            }
            tri_dataset_revoke(assigned);
        }
        tri_dataset_destroy(plain);
        tri_dataset_destroy(assigned);
        tri_source_destroy(source);
    }
}

/* Workers that come and go between two steps: each epoch has every example once, whoever was there. */
static void changing_workers_see_every_example_once(void **state)
{
    (void)state;
    enum { WORKERS = 5, EPOCHS = 4 };
    for (int i = 0; i < SPECS; i++) {
        tri_source *source = open_source(specs[i]);
        tri_dataset *workers[WORKERS];
        for (int w = 0; w < WORKERS; w++)
            workers[w] = create(source, (tri_dataset_options){.batch = 2, .seed = 9, .shuffle = TRI_SHUFFLE_ALL, .assigned = true});
        int seen[EXAMPLES] = {0}, live = 2;
        bool empty = false;
        for (int64_t position = 0; position < EPOCHS * EXAMPLES; live = 1 + (live * 3 + 1) % WORKERS) {
            int64_t step = 0;
            for (int w = 0; w < live; w++)
                assert_ok(tri_dataset_assign(workers[w], position, w, live));
            for (int w = 0; w < live; w++) {
                const tri_batch *batch = next(workers[w]);
                assert_int_equal(batch->epoch, position / EXAMPLES);
                for (int64_t j = 0; j < batch->count; j++)
                    seen[batch->ids[j]]++;
                empty = empty || batch->count == 0;
                step += batch->count;
            }
            position += step;
            for (int j = 0; j < EXAMPLES && position % EXAMPLES == 0; j++)
                assert_int_equal(seen[j], position / EXAMPLES);
        }
        assert_true(empty); /* a short step has nothing for some */
        for (int w = 0; w < WORKERS; w++)
            tri_dataset_destroy(workers[w]);
        tri_source_destroy(source);
    }
}

static void a_dataset_refuses_an_impossible_assignment(void **state)
{
    (void)state;
    for (int i = 0; i < SPECS; i++) {
        tri_source *source = open_source(specs[i]);
        tri_dataset *plain = create(source, (tri_dataset_options){.batch = 4});
        tri_dataset *assigned = create(source, (tri_dataset_options){.batch = 4, .epochs = 1, .assigned = true});
        const tri_batch *batch;
        assert_fails(tri_dataset_assign(plain, 0, 0, 1), TRI_BAD_CALL, "options.assigned");
        assert_fails(tri_dataset_seek(assigned, 0), TRI_BAD_CALL, "revoke");
        assert_fails(tri_dataset_next(assigned, &batch), TRI_BAD_CALL, "no batch is assigned");
        assert_fails(tri_dataset_assign(assigned, EXAMPLES, 0, 1), TRI_BAD_CALL, "outside the 23 examples");
        assert_true(tri_dataset_ahead(assigned) >= 1);
        for (int j = 0; j < TRI_MOST_ASSIGNED; j++)
            assert_ok(tri_dataset_assign(assigned, 0, 0, 1));
        assert_fails(tri_dataset_assign(assigned, 0, 0, 1), TRI_BAD_CALL, "64 batches");
        next(assigned);
        assert_ok(tri_dataset_assign(assigned, 0, 0, 1));
        tri_dataset_destroy(plain);
        tri_dataset_destroy(assigned);
        tri_source_destroy(source);
    }
}

/* A record that cannot be read fails its batch, and asking again starts at the same place. */
/* Files of LIBSVM text with records in all, the first file without any where there are fewer records than files. */
static char *write_files(const char *folder, int files, int records)
{
    for (int i = 0, record = 0; i < files; i++) {
        char name[32], text[64 * 8] = "";
        snprintf(name, sizeof name, "part-%d.libsvm", i);
        for (int at = 0; record < records * (i + 1) / files; record++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%d %d:1\n", record % 2, record + 1);
        fixture_write(folder, name, (const uint8_t *)text, strlen(text));
    }
    return test_path(folder, "*.libsvm");
}

/* All batches of one worker: how often each record is seen in each epoch. */
static void count_seen(tri_source *source, const tri_dataset_options *options, int64_t records, int *seen)
{
    tri_dataset *dataset;
    const tri_batch *batch;
    assert_ok(tri_dataset_create(source, options, &dataset));
    for (assert_ok(tri_dataset_next(dataset, &batch)); batch; assert_ok(tri_dataset_next(dataset, &batch)))
        for (int64_t i = 0; i < batch->count; i++) {
            assert_true(batch->weights[i] == 1);
            assert_int_equal(batch->keys[i], batch->ids[i]); /* the row is that record's */
            seen[batch->epoch * records + batch->ids[i]]++;
        }
    tri_dataset_destroy(dataset);
}

static void workers_share_every_epoch(void **state)
{
    (void)state;
    enum { EPOCHS = 3, MOST = 50 };
    static const int files[] = {1, 2, 7}, records[] = {1, 8, MOST}, workers[] = {1, 2, 3, 5};
    static const int64_t batches[] = {1, 4, 16};
    for (int c = 0; c < 3 * 3 * 4 * 3; c++) {
        int count = records[c / 3 % 3], share = workers[c / 9 % 4], seen[EPOCHS * MOST] = {0};
        char *folder = test_folder_create(), *glob = write_files(folder, files[c % 3], count);
        tri_source *source;
        assert_ok(tri_source_open(glob, TRI_PART_TRAIN, NULL, &source));
        assert_int_equal(tri_source_describe(source)->examples, count);
        tri_dataset_options options = {.batch = batches[c / 36], .seed = 3, .shuffle = TRI_SHUFFLE_ALL, .epochs = EPOCHS, .workers = share};
        for (options.worker = 0; options.worker < share; options.worker++)
            count_seen(source, &options, count, seen);
        for (int i = 0; i < EPOCHS * count; i++)
            assert_int_equal(seen[i], 1);
        tri_source_destroy(source);
        free(glob);
        test_folder_remove(folder);
    }
}

/* Told before it is tried: the kernel might grant it, and end the process when it is filled. */
static void a_batch_larger_than_memory_is_refused(void **state)
{
    (void)state;
    tri_source *source;
    tri_dataset *dataset;
    assert_ok(tri_source_open("clicks:1000:100", TRI_PART_TRAIN, NULL, &source));
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = INT64_C(1) << 40}, &dataset), TRI_NO_MEMORY,
                 "a smaller --batch takes less");
    tri_source_destroy(source);
}

/* Rows of 0 to 40 features, one of 5,000: record i has the keys 0 … length(i) − 1, of value i + 1. */
static int length_of(int64_t record)
{
    return record == 77 ? 5000 : (int)(record * 7 % 41);
}

static char *write_ragged(const char *folder, int records)
{
    char *path = test_path(folder, "ragged.libsvm");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < records; i++) {
        fprintf(file, "%d", i % 2);
        for (int k = 0; k < length_of(i); k++)
            fprintf(file, " %d:%d", k, i + 1);
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void expect_ragged(const tri_batch *batch)
{
    assert_int_equal(batch->offsets[0], 0);
    for (int64_t i = 0; i < batch->rows; i++) {
        const int64_t first = batch->offsets[i], count = batch->offsets[i + 1] - first;
        assert_int_equal(count, i < batch->count ? length_of(batch->ids[i]) : 0);
        for (int64_t k = 0; k < count; k++) {
            assert_int_equal(batch->keys[first + k], k);
            assert_true(batch->values[first + k] == (float)(batch->ids[i] + 1));
        }
    }
}

/* Whatever the order, the number of threads and the cache: a batch's rows stand one after another, each as long as it is. */
static void sparse_rows_are_not_padded(void **state)
{
    (void)state;
    enum { RECORDS = 1000, BATCH = 64 };
    char *folder = test_folder_create(), *path = write_ragged(folder, RECORDS);
    tri_source *source;
    assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
    for (int variant = 0; variant < 8; variant++) {
        tri_dataset *dataset;
        const tri_batch *batch;
        const tri_dataset_options options = {.batch = BATCH,
                                             .epochs = 2,
                                             .shuffle = variant & 1 ? TRI_SHUFFLE_ALL : 0,
                                             .readers = variant & 2 ? 3 : 1,
                                             .cache = variant & 4,
                                             .cache_bytes = 20000000,
                                             .cache_folder = folder};
        assert_ok(tri_dataset_create(source, &options, &dataset));
        for (assert_ok(tri_dataset_next(dataset, &batch)); batch; assert_ok(tri_dataset_next(dataset, &batch)))
            expect_ragged(batch);
        tri_dataset_destroy(dataset);
    }
    tri_source_destroy(source);
    free(path);
    test_folder_remove(folder);
}

/* A look at the batch that comes next takes nothing, and shows what then comes. */
static void a_look_ahead_shows_the_batch_that_comes(void **state)
{
    (void)state;
    enum { RECORDS = 300, BATCH = 16 };
    char *folder = test_folder_create(), *path = write_ragged(folder, RECORDS);
    tri_source *source;
    assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
    tri_dataset *dataset = create(source, (tri_dataset_options){.batch = BATCH, .epochs = 3, .shuffle = TRI_SHUFFLE_ALL, .readers = 2});
    const tri_batch *ahead = NULL;
    assert_null(tri__dataset_peek(dataset)); /* nothing has been made yet */
    for (const tri_batch *batch = next(dataset); batch; batch = next(dataset)) {
        assert_true(!ahead || ahead == batch);
        expect_ragged(batch);
        const int64_t position = tri_dataset_position(dataset);
        ahead = tri__dataset_peek(dataset);
        if (ahead)
            expect_ragged(ahead);
        expect_ragged(batch); /* still as it was */
        assert_int_equal(tri_dataset_position(dataset), position);
    }
    assert_null(ahead);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    free(path);
    test_folder_remove(folder);
}

static void a_damaged_record_is_reported_and_the_position_stays(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    size_t size = 120 * 3073;
    uint8_t *records = calloc(1, size);
    records[115 * 3073] = 10;
    fixture_write(folder, "data_batch_1.bin", records, size);
    tri_source *source = open_source(folder);
    tri_dataset *dataset = create(source, (tri_dataset_options){.batch = 50, .epochs = 1});
    assert_int_equal(next(dataset)->count, 50);
    assert_int_equal(next(dataset)->count, 50);
    const tri_batch *batch;
    for (int i = 0; i < 2; i++)
        assert_fails(tri_dataset_next(dataset, &batch), TRI_BAD_DATA, "record 115 at byte 353395: label 10");
    assert_int_equal(tri_dataset_position(dataset), 100);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    free(records);
    test_folder_remove(folder);
}

/* Augmented pictures depend on the epoch, not on the threads, and sources in memory can be augmented, too. */
static void augmented_batches_depend_on_the_epoch_alone(void **state)
{
    (void)state;
    static const char *const pictures[] = {"digits:23", "fake:6x5x3:4:23"};
    for (int s = 0; s < 2; s++) {
        tri_source *source = open_source(pictures[s]);
        uint8_t *first = NULL;
        for (int readers = 0; readers < 3; readers++) {
            tri_dataset *dataset =
                create(source, (tri_dataset_options){.batch = 23, .augment = "flip,crop", .readers = readers, .cache = true});
            const size_t bytes = 23 * (size_t)tri_shape_count(tri_source_describe(source)->shape);
            const tri_batch *batch = next(dataset);
            if (!first)
                first = memcpy(malloc(bytes), batch->x, bytes);
            assert_memory_equal(batch->x, first, bytes);
            assert_memory_not_equal(next(dataset)->x, first, bytes);
            tri_dataset_destroy(dataset);
        }
        free(first);
        tri_dataset *dataset;
        assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = 1, .augment = "melt"}, &dataset), TRI_BAD_CALL, "melt");
        tri_source_destroy(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_batch_hold_the_records_of_the_source),
        cmocka_unit_test(the_last_batch_is_padded_with_weight_0),
        cmocka_unit_test(an_epoch_holds_each_example_once),
        cmocka_unit_test(another_seed_gives_another_order),
        cmocka_unit_test(a_limited_dataset_keeps_the_first_examples),
        cmocka_unit_test(a_cached_sample_is_the_sample),
        cmocka_unit_test(a_dataset_at_a_position_gives_what_a_straight_run_gives),
        cmocka_unit_test(a_dataset_refuses_impossible_options),
        cmocka_unit_test(batches_assigned_in_order_are_those_of_a_plain_dataset),
        cmocka_unit_test(batches_assigned_at_any_position_are_those_of_a_plain_dataset),
        cmocka_unit_test(changing_workers_see_every_example_once),
        cmocka_unit_test(a_dataset_refuses_an_impossible_assignment),
        cmocka_unit_test(augmented_batches_depend_on_the_epoch_alone),
        cmocka_unit_test(workers_share_every_epoch),
        cmocka_unit_test(a_batch_larger_than_memory_is_refused),
        cmocka_unit_test(sparse_rows_are_not_padded),
        cmocka_unit_test(a_look_ahead_shows_the_batch_that_comes),
        cmocka_unit_test(a_damaged_record_is_reported_and_the_position_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
