/* stream_batches_test.c: batches of a stream that the test writes: example n has the label n % 2 and the key n. */
#include "data/batch/stream_batches.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread/clock.h"
#include "support.h"

enum { ROWS = 10, FEATURES = 1 << 20 };
#define SECOND INT64_C(1000000000)

typedef struct {
    tri_source source;
    atomic_llong there; /* examples that can be read */
    bool stays_open;    /* more may come when all of them are read */
    int64_t broken;     /* the example at which reading fails; −1: none */
    int64_t damaged;    /* an example that is damaged; −1: none */
    atomic_llong read;
} feed;

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static tri_status feed_await(tri_source *source, int64_t nanoseconds, tri__awaited *out)
{
    feed *self = (feed *)source;
    const bool more = atomic_load(&self->read) < atomic_load(&self->there);
    if (!more && self->stays_open && nanoseconds > 0)
        rest();
    *out = more ? TRI_AWAITED_EXAMPLE : self->stays_open ? TRI_AWAITED_NOTHING : TRI_AWAITED_END;
    return NULL;
}

static tri_status feed_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    (void)record;
    feed *self = (feed *)reader->source;
    const int64_t number = atomic_fetch_add(&self->read, 1);
    if (number == self->broken)
        return tri_fail(TRI_IO, "the feed is broken");
    if (number == self->damaged)
        return tri_fail(TRI_BAD_DATA, "the example is damaged");
    *to->keys = (int32_t)number;
    *to->values = 1;
    *to->count = 1;
    *to->label = (int32_t)(number % 2);
    return NULL;
}

static void feed_destroy(tri_source *source)
{
    free(source);
}

static const tri__source_kind feed_kind = {.read = feed_read, .await = feed_await, .destroy = feed_destroy};

static feed *feed_create(int64_t examples)
{
    feed *self = calloc(1, sizeof *self);
    assert_non_null(self);
    self->source.kind = &feed_kind;
    self->source.info.spec = strdup("feed");
    self->source.info.stream = true;
    self->broken = self->damaged = -1;
    atomic_store(&self->there, examples);
    tri__source_set_sparse(&self->source, "feed", FEATURES, 1, 2, &(tri_source_options){0});
    return self;
}

static tri_dataset *open_dataset(feed *from, tri_dataset_options options)
{
    tri_dataset *dataset;
    options.batch = ROWS;
    assert_ok(tri_dataset_create(&from->source, &options, &dataset));
    return dataset;
}

static void end(tri_dataset *dataset, feed *from)
{
    tri_dataset_destroy(dataset);
    tri_source_destroy(&from->source);
}

static const tri_batch *next(tri_dataset *dataset)
{
    const tri_batch *batch;
    do
        assert_ok(tri_dataset_next(dataset, &batch));
    while (batch && batch->count == 0);
    return batch;
}

static void assert_batch(const tri_batch *batch, int64_t first, int64_t count)
{
    assert_non_null(batch);
    assert_int_equal(batch->count, count);
    assert_int_equal(batch->offsets[batch->rows], count);
    for (int64_t i = 0; i < batch->rows; i++) {
        assert_int_equal(batch->ids[i], i < count ? first + i : -1);
        assert_true(batch->weights[i] == (float)(i < count));
        assert_int_equal(batch->labels[i], i < count ? (first + i) % 2 : 0);
    }
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(batch->keys[i], first + i);
}

/* The test only ends if the batches are read although the caller asks for no second one. */
static void batches_are_read_while_the_caller_keeps_one(void **state)
{
    (void)state;
    feed *from = feed_create(10000);
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){0});
    const tri_batch *batch = next(dataset);
    const int64_t deadline = tri__clock_now() + 60 * SECOND;
    while (atomic_load(&from->read) < 10 * ROWS && tri__clock_now() < deadline)
        rest();
    assert_true(atomic_load(&from->read) >= 10 * ROWS);
    assert_batch(batch, 0, ROWS);
    for (int64_t first = ROWS; first < 10000; first += ROWS) {
        assert_batch(next(dataset), first, ROWS);
        assert_true(atomic_load(&from->read) <= first + 17 * ROWS); /* not more than the ring holds */
    }
    assert_null(next(dataset));
    end(dataset, from);
}

static void the_last_batch_is_short_and_the_limit_holds(void **state)
{
    (void)state;
    feed *from = feed_create(25);
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){0});
    assert_batch(next(dataset), 0, ROWS);
    assert_batch(next(dataset), ROWS, ROWS);
    assert_batch(next(dataset), 2 * ROWS, 5);
    assert_null(next(dataset));
    assert_null(next(dataset));
    end(dataset, from);

    from = feed_create(1000);
    dataset = open_dataset(from, (tri_dataset_options){.limit = 17});
    assert_batch(next(dataset), 0, ROWS);
    assert_batch(next(dataset), ROWS, 7);
    assert_null(next(dataset));
    assert_int_equal(atomic_load(&from->read), 17);
    end(dataset, from);
}

static void a_failure_comes_after_the_batches_before_it(void **state)
{
    (void)state;
    feed *from = feed_create(1000);
    from->broken = 35;
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){0});
    for (int64_t first = 0; first < 30; first += ROWS)
        assert_batch(next(dataset), first, ROWS);
    const tri_batch *batch;
    assert_fails(tri_dataset_next(dataset, &batch), TRI_IO, "the feed is broken");
    end(dataset, from);
}

static void a_damaged_example_counts_where_it_stands(void **state)
{
    (void)state;
    feed *from = feed_create(1000);
    from->damaged = 14;
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){.skip_bad = 1});
    assert_batch(next(dataset), 0, ROWS);
    assert_int_equal(tri_dataset_damaged(dataset), 0);
    const tri_batch *batch = next(dataset);
    assert_int_equal(tri_dataset_damaged(dataset), 1);
    assert_true(batch->weights[4] == 0 && batch->weights[5] == 1);
    assert_int_equal(batch->offsets[batch->rows], ROWS - 1);
    end(dataset, from);
}

static void a_caller_that_waits_is_told_that_nothing_came(void **state)
{
    (void)state;
    feed *from = feed_create(5);
    from->stays_open = true;
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){0});
    const tri_batch *batch;
    assert_ok(tri_dataset_next(dataset, &batch));
    assert_int_equal(batch->count, 0);
    atomic_store(&from->there, ROWS);
    assert_batch(next(dataset), 0, ROWS);
    end(dataset, from); /* while the thread waits for more */
}

static void a_prompt_stream_gives_what_is_there_and_reads_nothing_ahead(void **state)
{
    (void)state;
    feed *from = feed_create(13);
    from->stays_open = true;
    tri_dataset *dataset = open_dataset(from, (tri_dataset_options){.prompt = true});
    assert_batch(next(dataset), 0, ROWS);
    assert_int_equal(atomic_load(&from->read), ROWS);
    assert_batch(next(dataset), ROWS, 3);
    end(dataset, from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_read_while_the_caller_keeps_one),
        cmocka_unit_test(the_last_batch_is_short_and_the_limit_holds),
        cmocka_unit_test(a_failure_comes_after_the_batches_before_it),
        cmocka_unit_test(a_damaged_example_counts_where_it_stands),
        cmocka_unit_test(a_caller_that_waits_is_told_that_nothing_came),
        cmocka_unit_test(a_prompt_stream_gives_what_is_there_and_reads_nothing_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
