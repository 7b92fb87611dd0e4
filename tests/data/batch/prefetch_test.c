/* prefetch_test.c: batches made ahead by threads: the same whatever their number, sharded, resumed, cached, with damaged records and with
 * reads that hang. The source is one of the test's own, which counts its reads and can be told to be damaged or to hang. */
#include "data/batch/prefetch.h"

#include <pthread.h>
#include <unistd.h>

#include "data/batch/dataset.h"
#include "data/fixture.h"

enum { BYTES = 12, CLASSES = 7 };

typedef struct {
    tri_source source;
    atomic_int reads, readers, destroyed, mended;
    int64_t damaged_every; /* 0: none */
    int64_t broken;        /* a record that gives TRI_IO when it is first read; −1: none */
    int64_t hanging;       /* a record whose read waits until something comes through the pipe; −1: none */
    int pipe[2];
} probe;

static uint8_t byte_of(int64_t record, int i)
{
    return (uint8_t)(record * 31 + i * 7 + 1);
}

static tri_status probe_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    probe *self = (probe *)reader->source;
    atomic_fetch_add(&self->reads, 1);
    if (record == self->hanging) {
        char byte;
        assert_int_equal(read(self->pipe[0], &byte, 1), 1);
    }
    if (record == self->broken && !atomic_exchange(&self->mended, 1))
        return tri_fail(TRI_IO, "probe: record %lld: the disk is gone", (long long)record);
    if (self->damaged_every && record % self->damaged_every == 0)
        return tri_fail(TRI_BAD_DATA, "probe: record %lld is damaged (--skip-bad skips it)", (long long)record);
    for (int i = 0; i < BYTES; i++)
        to->x[i] = byte_of(record, i);
    *to->label = (int32_t)(record % CLASSES);
    return NULL;
}

static tri_status probe_reader_create(tri_source *source, tri__reader **out)
{
    atomic_fetch_add(&((probe *)source)->readers, 1);
    *out = calloc(1, sizeof **out);
    (*out)->source = source;
    return NULL;
}

static void probe_reader_destroy(tri__reader *reader)
{
    atomic_fetch_sub(&((probe *)reader->source)->readers, 1);
    free(reader);
}

static const char *probe_file_of(const tri_source *source, int64_t record)
{
    (void)source;
    return record < 50 ? "first.records" : "second.records";
}

static void probe_destroy(tri_source *source)
{
    atomic_store(&((probe *)source)->destroyed, 1); /* the test looks at it, then frees it */
}

static const tri__source_kind probe_kind = {.read = probe_read,
                                            .reader_create = probe_reader_create,
                                            .reader_destroy = probe_reader_destroy,
                                            .file_of = probe_file_of,
                                            .destroy = probe_destroy};

static probe *probe_create(int64_t examples)
{
    probe *self = calloc(1, sizeof *self);
    self->broken = self->hanging = -1;
    self->source.kind = &probe_kind;
    self->source.info = (tri_source_info){.spec = strdup("probe"), .examples = examples, .classes = CLASSES};
    assert_ok(tri__source_set_shape(&self->source, TRI_SHAPE(BYTES)));
    assert_int_equal(pipe(self->pipe), 0);
    return self;
}

/* All readers must be gone, and the source with its owner. */
static void probe_end(probe *self)
{
    tri_source_destroy(&self->source);
    assert_int_equal(atomic_load(&self->readers), 0);
    assert_int_equal(atomic_load(&self->destroyed), 1);
    close(self->pipe[0]);
    close(self->pipe[1]);
    free(self);
}

static tri_dataset *create(probe *self, tri_dataset_options options)
{
    tri_dataset *dataset;
    assert_ok(tri_dataset_create(&self->source, &options, &dataset));
    return dataset;
}

static const tri_batch *next(tri_dataset *dataset)
{
    const tri_batch *batch;
    assert_ok(tri_dataset_next(dataset, &batch));
    return batch;
}

/* What each row holds is what its record number says; counts records into seen. */
static void check_batch(const tri_batch *batch, int *seen)
{
    int64_t damaged = 0;
    for (int64_t i = 0; i < batch->rows; i++) {
        const uint8_t *x = (const uint8_t *)batch->x + i * BYTES;
        bool holds = i < batch->count && batch->weights[i] > 0;
        assert_true(batch->weights[i] == (holds ? 1.0F : 0.0F));
        assert_true((i < batch->count) == (batch->ids[i] >= 0));
        for (int j = 0; j < BYTES; j++)
            assert_int_equal(x[j], holds ? byte_of(batch->ids[i], j) : 0);
        assert_int_equal(batch->labels[i], holds ? batch->ids[i] % CLASSES : 0);
        damaged += i < batch->count && !holds;
        if (i < batch->count)
            seen[batch->ids[i]]++;
    }
    assert_int_equal(batch->damaged, damaged);
}

static void assert_each(const int *seen, int64_t examples, int times)
{
    for (int64_t i = 0; i < examples; i++)
        assert_int_equal(seen[i], times);
}

static void the_number_of_prefetch_threads_changes_no_batch(void **state)
{
    (void)state;
    enum { EXAMPLES = 211, EPOCHS = 3 };
    static int64_t expected[EXAMPLES * EPOCHS];
    for (int threads = 0; threads <= 5; threads++) {
        probe *self = probe_create(EXAMPLES);
        tri_dataset *dataset =
            create(self, (tri_dataset_options){.batch = 16, .seed = 4, .shuffle = TRI_SHUFFLE_ALL, .epochs = EPOCHS, .readers = threads});
        int seen[EXAMPLES] = {0};
        int64_t at = 0;
        for (const tri_batch *batch = next(dataset); batch; batch = next(dataset))
            for (int64_t i = (check_batch(batch, seen), 0); i < batch->count; i++, at++) {
                if (threads == 0)
                    expected[at] = batch->ids[i];
                assert_int_equal(batch->ids[i], expected[at]);
            }
        assert_each(seen, EXAMPLES, EPOCHS);
        assert_int_equal(at, EXAMPLES * EPOCHS);
        tri_dataset_destroy(dataset);
        probe_end(self);
    }
}

/* One step of every worker. False at the end. */
static bool step_all(tri_dataset **workers, int count, int *seen)
{
    bool more = false;
    for (int i = 0; i < count; i++) {
        const tri_batch *batch = next(workers[i]);
        assert_true(i == 0 || more == (batch != NULL));
        more = batch;
        if (batch)
            check_batch(batch, seen);
        assert_int_equal(tri_dataset_position(workers[i]), tri_dataset_position(workers[0]));
    }
    return more;
}

enum { MOST_WORKERS = 7 };

static void create_all(probe *self, int count, tri_dataset_options options, int64_t position, tri_dataset **workers)
{
    options.workers = count;
    for (options.worker = 0; options.worker < count; options.worker++) {
        workers[options.worker] = create(self, options);
        assert_ok(tri_dataset_seek(workers[options.worker], position));
    }
}

static void destroy_all(tri_dataset **workers, int count)
{
    for (int i = 0; i < count; i++)
        tri_dataset_destroy(workers[i]);
}

static void workers_see_each_record_once(void **state)
{
    (void)state;
    static const int64_t windows[] = {0, 10, TRI_SHUFFLE_ALL};
    for (int count = 1; count <= MOST_WORKERS; count += 2)
        for (int64_t examples = 5; examples < 100; examples += 23)
            for (int w = 0; w < 3; w++) {
                probe *self = probe_create(examples);
                tri_dataset *workers[MOST_WORKERS];
                int seen[100] = {0};
                create_all(self, count, (tri_dataset_options){.batch = 4, .seed = 1, .shuffle = windows[w], .epochs = 2}, 0, workers);
                while (step_all(workers, count, seen))
                    ;
                assert_each(seen, examples, 2);
                destroy_all(workers, count);
                probe_end(self);
            }
}

/* A run of 3 workers is stopped within an epoch and goes on with 2, then with 5. */
static void a_run_resumed_with_other_workers_sees_each_record_once(void **state)
{
    (void)state;
    enum { EXAMPLES = 97 };
    probe *self = probe_create(EXAMPLES);
    const tri_dataset_options options = {.batch = 4, .seed = 8, .shuffle = TRI_SHUFFLE_ALL, .epochs = 2};
    static const int counts[] = {3, 2, 5};
    int seen[EXAMPLES] = {0};
    int64_t position = 0;
    for (int phase = 0; phase < 3; phase++) {
        tri_dataset *workers[MOST_WORKERS];
        create_all(self, counts[phase], options, position, workers);
        for (int step = 0; (phase == 2 || step < 6) && step_all(workers, counts[phase], seen); step++)
            ;
        position = tri_dataset_position(workers[0]);
        destroy_all(workers, counts[phase]);
    }
    assert_int_equal(position, 2 * EXAMPLES);
    assert_each(seen, EXAMPLES, 2);
    probe_end(self);
}

static void a_worker_with_its_own_files_reads_all_of_them(void **state)
{
    (void)state;
    probe *self = probe_create(40);
    int64_t first[2][40];
    for (int worker = 0; worker < 2; worker++) {
        tri_dataset *dataset = create(
            self,
            (tri_dataset_options){.batch = 40, .shuffle = TRI_SHUFFLE_ALL, .epochs = 1, .worker = worker, .workers = 2, .own_files = true});
        int seen[40] = {0};
        const tri_batch *batch = next(dataset);
        memcpy(first[worker], batch->ids, sizeof first[worker]);
        check_batch(batch, seen);
        assert_each(seen, 40, 1);
        assert_null(next(dataset));
        tri_dataset_destroy(dataset);
    }
    assert_memory_not_equal(first[0], first[1], sizeof first[0]); /* other files, another order */
    probe_end(self);
}

static void prefetching_from_a_position_gives_the_same_batch(void **state)
{
    (void)state;
    probe *self = probe_create(61);
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 8, .seed = 2, .shuffle = TRI_SHUFFLE_ALL});
    int64_t ids[20][8], positions[20];
    for (int i = 0; i < 20; i++) {
        positions[i] = tri_dataset_position(dataset);
        memcpy(ids[i], next(dataset)->ids, sizeof ids[i]);
    }
    for (int i = 19; i >= 0; i -= 3) {
        assert_ok(tri_dataset_seek(dataset, positions[i]));
        assert_memory_equal(next(dataset)->ids, ids[i], sizeof ids[i]);
    }
    tri_dataset_destroy(dataset);
    probe_end(self);
}

static void epochs_after_the_first_read_nothing_when_cached(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const int64_t memory[] = {0, 10 * (BYTES + 5), 1};
    for (int i = 0; i < 3; i++) {
        probe *self = probe_create(50);
        tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 8,
                                                                  .shuffle = TRI_SHUFFLE_ALL,
                                                                  .epochs = 4,
                                                                  .readers = 3,
                                                                  .cache = true,
                                                                  .cache_bytes = memory[i],
                                                                  .cache_folder = folder});
        int seen[50] = {0};
        for (const tri_batch *batch = next(dataset); batch; batch = next(dataset))
            check_batch(batch, seen);
        assert_each(seen, 50, 4);
        assert_ok(tri_dataset_seek(dataset, 0));
        int before = atomic_load(&self->reads);
        for (const tri_batch *batch = next(dataset); batch; batch = next(dataset))
            check_batch(batch, seen);
        assert_int_equal(atomic_load(&self->reads), before);
        assert_true(before < 100); /* 50, and a few that were read for the second epoch before the first had brought them */
        assert_null(tri__dataset_note(dataset));
        tri_dataset_destroy(dataset);
        probe_end(self);
    }
    test_folder_remove(folder);
}

static void a_cache_without_room_is_reported_once(void **state)
{
    (void)state;
    probe *self = probe_create(50);
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 8, .cache = true, .cache_bytes = 1});
    next(dataset);
    char *note = tri__dataset_note(dataset);
    assert_non_null(strstr(note, "0 of 50 examples"));
    free(note);
    assert_null(tri__dataset_note(dataset)); /* once */
    tri_dataset_destroy(dataset);
    probe_end(self);
}

static void damaged_records_have_weight_0(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        probe *self = probe_create(100);
        self->damaged_every = 10;
        tri_dataset *dataset =
            create(self, (tri_dataset_options){.batch = 16, .shuffle = TRI_SHUFFLE_ALL, .epochs = 2, .skip_bad = 10, .readers = threads});
        int seen[100] = {0};
        int64_t damaged = 0;
        for (const tri_batch *batch = next(dataset); batch; batch = next(dataset)) {
            check_batch(batch, seen);
            damaged += batch->damaged;
        }
        assert_each(seen, 100, 2);
        assert_int_equal(damaged, 20);                      /* rows, in two epochs */
        assert_int_equal(tri_dataset_damaged(dataset), 10); /* records */
        char *note = tri__dataset_note(dataset);
        assert_non_null(strstr(note, "is damaged"));
        free(note);
        tri_dataset_destroy(dataset);
        probe_end(self);
    }
}

/* The message of the failure that ends a run, with so many damaged records allowed and so many threads. */
static char *failure_of(int64_t allowed, int threads, tri_code expected)
{
    probe *self = probe_create(100);
    self->damaged_every = 10;
    tri_dataset *dataset =
        create(self, (tri_dataset_options){.batch = 7, .seed = 3, .shuffle = TRI_SHUFFLE_ALL, .skip_bad = allowed, .readers = threads});
    const tri_batch *batch;
    tri_status status;
    do
        status = tri_dataset_next(dataset, &batch);
    while (!status);
    assert_int_equal(tri_status_code(status), expected);
    char *message = strdup(tri_status_message(status));
    tri_status_free(status);
    tri_dataset_destroy(dataset);
    probe_end(self);
    return message;
}

static void more_damaged_records_than_allowed_are_an_error(void **state)
{
    (void)state;
    char *none = failure_of(0, 1, TRI_BAD_DATA), *some = failure_of(4, 1, TRI_BAD_DATA), *same = failure_of(4, 4, TRI_BAD_DATA);
    assert_memory_equal(none, "probe: record", strlen("probe: record"));
    assert_non_null(strstr(some, "5 records are damaged, more than --skip-bad 4 allows; the last: probe: record"));
    assert_string_equal(some, same);
    free(none);
    free(some);
    free(same);
}

static void a_failure_that_is_no_damage_is_an_error_and_the_batch_can_be_retried(void **state)
{
    (void)state;
    probe *self = probe_create(20);
    self->broken = 13;
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 10, .skip_bad = 100});
    const tri_batch *batch;
    assert_ok(tri_dataset_next(dataset, &batch));
    assert_fails(tri_dataset_next(dataset, &batch), TRI_IO, "record 13: the disk is gone");
    /* The second time it can be read: the same batch comes. */
    assert_ok(tri_dataset_next(dataset, &batch));
    assert_int_equal(batch->ids[0], 10);
    tri_dataset_destroy(dataset);
    probe_end(self);
}

/* The thread whose read hangs has the source until it leaves. */
static void end_hanging(probe *self)
{
    tri_source_destroy(&self->source);
    assert_int_equal(atomic_load(&self->destroyed), 0);
    assert_int_equal(write(self->pipe[1], "x", 1), 1);
    while (!atomic_load(&self->destroyed))
        sched_yield();
    assert_int_equal(atomic_load(&self->readers), 0);
    close(self->pipe[0]);
    close(self->pipe[1]);
    free(self);
}

/* A read that hangs is named, does not keep anybody, and does no harm when it returns after everybody has gone. */
static void a_read_that_hangs_is_named_and_holds_up_nobody(void **state)
{
    (void)state;
    probe *self = probe_create(100);
    self->hanging = 55;
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 20, .epochs = 1, .readers = 2, .timeout = 0.2});
    next(dataset);
    next(dataset);
    const tri_batch *batch;
    assert_fails(tri_dataset_next(dataset, &batch), TRI_TIMEOUT, "second.records: record 55 has not come within 0.2 s");
    tri_dataset_destroy(dataset);
    end_hanging(self);
}

/* Assigned batches go through cache and damage as others do: every record is decoded about once, and counted in the order of the
 * batches. */
static void assigned_batches_are_cached(void **state)
{
    (void)state;
    probe *self = probe_create(60);
    self->damaged_every = 30;
    tri_dataset *dataset = create(
        self, (tri_dataset_options){.batch = 8, .shuffle = TRI_SHUFFLE_ALL, .assigned = true, .skip_bad = 2, .readers = 3, .cache = true});
    int seen[60] = {0};
    for (int epoch = 0; epoch < 6; epoch++) {
        for (int i = 7; i >= 0; i--)
            assert_ok(tri_dataset_assign(dataset, epoch * 60 + i * 8, 0, 1));
        for (int i = 7; i >= 0; i--)
            check_batch(next(dataset), seen);
        assert_each(seen, 60, epoch + 1);
    }
    assert_int_equal(tri_dataset_damaged(dataset), 2);
    assert_int_equal(atomic_load(&self->reads), 58 + 6 * 2); /* what is damaged is not in the cache */
    free(tri__dataset_note(dataset));
    tri_dataset_destroy(dataset);
    probe_end(self);
}

/* Batches are revoked at any moment while threads are at work on them; what is assigned afterwards is whole. */
static void batches_can_be_revoked_while_threads_fill_them(void **state)
{
    (void)state;
    probe *self = probe_create(500);
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 50, .shuffle = TRI_SHUFFLE_ALL, .assigned = true, .readers = 3});
    int seen[500] = {0};
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 6; i++)
            assert_ok(tri_dataset_assign(dataset, (turn * 6 + i) * 70, i % 3, 3));
        for (int i = 0; i < turn % 6; i++) {
            const tri_batch *batch = next(dataset);
            assert_int_equal(tri_dataset_position(dataset), (turn * 6 + i) * 70);
            assert_int_equal(batch->epoch, (turn * 6 + i) * 70 / 500);
            if (i + 1 == turn % 6)
                tri_dataset_revoke(dataset); /* what was taken stays */
            check_batch(batch, seen);
        }
        tri_dataset_revoke(dataset);
    }
    tri_dataset_destroy(dataset);
    probe_end(self);
}

/* A read that fails leaves the batch assigned; one that hangs can be revoked, and the rest goes on without it. */
static void an_assigned_batch_that_fails_stays_assigned(void **state)
{
    (void)state;
    probe *self = probe_create(100);
    self->broken = 13;
    self->hanging = 55;
    tri_dataset *dataset = create(self, (tri_dataset_options){.batch = 20, .assigned = true, .readers = 2, .timeout = 0.2});
    const tri_batch *batch;
    assert_ok(tri_dataset_assign(dataset, 0, 0, 1));
    assert_ok(tri_dataset_assign(dataset, 20, 0, 1));
    assert_fails(tri_dataset_next(dataset, &batch), TRI_IO, "record 13: the disk is gone");
    assert_int_equal(next(dataset)->ids[0], 0);
    assert_int_equal(next(dataset)->ids[0], 20);
    assert_ok(tri_dataset_assign(dataset, 40, 0, 1));
    assert_ok(tri_dataset_assign(dataset, 60, 0, 1));
    assert_fails(tri_dataset_next(dataset, &batch), TRI_TIMEOUT, "second.records: record 55 has not come within 0.2 s");
    tri_dataset_revoke(dataset);
    assert_ok(tri_dataset_assign(dataset, 80, 0, 1));
    assert_int_equal(next(dataset)->ids[0], 80);
    assert_int_equal(tri_dataset_position(dataset), 80);
    tri_dataset_destroy(dataset);
    end_hanging(self);
}

static void prefetch_refuses_impossible_options(void **state)
{
    (void)state;
    probe *self = probe_create(10);
    tri_dataset *dataset;
    assert_fails(tri_dataset_create(&self->source, &(tri_dataset_options){.batch = 1, .worker = 2, .workers = 2}, &dataset), TRI_BAD_CALL,
                 "worker 2 of 2");
    assert_fails(tri_dataset_create(&self->source, &(tri_dataset_options){.batch = 1, .skip_bad = -1}, &dataset), TRI_BAD_CALL, "negative");
    probe_end(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_prefetch_threads_changes_no_batch),
        cmocka_unit_test(workers_see_each_record_once),
        cmocka_unit_test(a_run_resumed_with_other_workers_sees_each_record_once),
        cmocka_unit_test(a_worker_with_its_own_files_reads_all_of_them),
        cmocka_unit_test(prefetching_from_a_position_gives_the_same_batch),
        cmocka_unit_test(epochs_after_the_first_read_nothing_when_cached),
        cmocka_unit_test(a_cache_without_room_is_reported_once),
        cmocka_unit_test(damaged_records_have_weight_0),
        cmocka_unit_test(more_damaged_records_than_allowed_are_an_error),
        cmocka_unit_test(a_failure_that_is_no_damage_is_an_error_and_the_batch_can_be_retried),
        cmocka_unit_test(a_read_that_hangs_is_named_and_holds_up_nobody),
        cmocka_unit_test(assigned_batches_are_cached),
        cmocka_unit_test(batches_can_be_revoked_while_threads_fill_them),
        cmocka_unit_test(an_assigned_batch_that_fails_stays_assigned),
        cmocka_unit_test(prefetch_refuses_impossible_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
