/* dataset.c: order → read → batch, behind one call.
 *
 * Where the source's rows stand in memory, the caller's own thread gathers them: that takes microseconds, a wake-up between threads a
 * hundred. Where making an example costs time, one thread makes batches ahead: slots go round between two queues, `empty` towards the
 * thread and `full` towards the caller. The thread starts with the first batch, owns the maker while it runs, and
 * ends after the last batch or after a failure, either of which it hands over as a slot. */
#include "trireme/dataset.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/queue.h"
#include "data/batch.h"

#define SLOTS          3 /* one with the caller, one ready, one being filled */
#define SECONDS        INT64_C(1000000000)
#define BATCH_DEADLINE (300 * SECONDS)  /* for one batch: only a disk that hangs takes so long */
#define IDLE_PERIOD    (3600 * SECONDS) /* the caller may take its time; the thread then only waits again */

struct tri_dataset {
    tri__maker maker;
    int64_t position; /* examples given out */
    tri__slot slots[SLOTS];
    tri__slot *given; /* the slot that the caller looks at */
    bool ahead;       /* batches are made by the thread */
    bool running;     /* the thread has been started and not been joined */
    pthread_t thread;
    tri__queue *empty, *full;
};

static tri_status check_options(const tri_source *source, const tri_dataset_options *options)
{
    if (options->batch < 1)
        return tri_fail(TRI_BAD_CALL, "a batch of %" PRId64 " examples: the batch size must be at least 1", options->batch);
    if (options->shuffle < 0 || options->limit < 0 || options->epochs < 0)
        return tri_fail(TRI_BAD_CALL, "the shuffle window, the limit and the number of epochs cannot be negative");
    if (source->info.examples < 1)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples in it", source->info.spec);
    return NULL;
}

tri_status tri_dataset_create(tri_source *source, const tri_dataset_options *options, tri_dataset **out)
{
    TRI_TRY(check_options(source, options));
    tri_dataset *dataset;
    TRI_TRY(tri__allocate(1, sizeof *dataset, "a dataset", &dataset));
    dataset->ahead = source->rows == NULL;
    tri_status status = tri__maker_init(&dataset->maker, source, options);
    for (int i = 0; i < (dataset->ahead ? SLOTS : 1) && !status; i++)
        status = tri__slot_init(&dataset->slots[i], source, options->batch, options->in_place && source->rows);
    if (status) {
        tri_dataset_destroy(dataset);
        return status;
    }
    *out = dataset;
    return NULL;
}

/* Push or pop again and again until it is done or the queue is closed; false then. */
static bool take_empty(tri_dataset *dataset, tri__slot **slot)
{
    for (;;) {
        void *item;
        tri_status status = tri__queue_pop(dataset->empty, &item, IDLE_PERIOD);
        if (!status) {
            *slot = item;
            return true;
        }
        tri_code code = tri_status_code(status);
        tri_status_free(status);
        if (code != TRI_TIMEOUT)
            return false;
    }
}

/* The thread. `full` has room for every slot, so a push into it never waits. */
static void *read_ahead(void *argument)
{
    tri_dataset *dataset = argument;
    tri__slot *slot;
    bool more = true;
    while (more && take_empty(dataset, &slot)) {
        slot->status = tri__maker_next(&dataset->maker, slot);
        more = !slot->status && slot->batch.count > 0;
        tri_status closed = tri__queue_push(dataset->full, slot, 0);
        more = more && !closed;
        tri_status_free(closed);
    }
    return NULL;
}

static tri_status start(tri_dataset *dataset)
{
    TRI_TRY(tri__queue_create(SLOTS, &dataset->empty));
    TRI_TRY(tri__queue_create(SLOTS, &dataset->full));
    for (int i = 0; i < SLOTS; i++)
        TRI_TRY(tri__queue_push(dataset->empty, &dataset->slots[i], 0));
    int error = pthread_create(&dataset->thread, NULL, read_ahead, dataset);
    if (error)
        return tri_fail(TRI_IO, "cannot start the thread that reads %s ahead: %s", dataset->maker.source->info.spec, strerror(error));
    dataset->running = true;
    return NULL;
}

/* Stop, join, then free. Afterwards the maker belongs to the caller. */
static void stop(tri_dataset *dataset)
{
    if (dataset->running) {
        tri__queue_close(dataset->empty);
        tri__queue_close(dataset->full);
        pthread_join(dataset->thread, NULL);
    }
    tri__queue_destroy(dataset->empty);
    tri__queue_destroy(dataset->full);
    dataset->empty = dataset->full = NULL;
    dataset->running = false;
    dataset->given = NULL;
    for (int i = 0; i < SLOTS; i++) {
        tri_status_free(dataset->slots[i].status);
        dataset->slots[i].status = NULL;
    }
}

void tri_dataset_destroy(tri_dataset *dataset)
{
    if (!dataset)
        return;
    stop(dataset);
    for (int i = 0; i < SLOTS; i++)
        tri__slot_fini(&dataset->slots[i]);
    tri__maker_fini(&dataset->maker);
    free(dataset);
}

/* The slot that the thread filled next; the one given before goes back to it. */
static tri_status receive(tri_dataset *dataset, tri__slot **out)
{
    if (!dataset->running)
        TRI_TRY(start(dataset));
    if (dataset->given)
        TRI_TRY(tri__queue_push(dataset->empty, dataset->given, 0));
    dataset->given = NULL;
    void *item;
    TRI_TRY(
        tri_wrap(tri__queue_pop(dataset->full, &item, BATCH_DEADLINE), "%s: waiting for the next batch", dataset->maker.source->info.spec));
    *out = item;
    return NULL;
}

static tri_status next_slot(tri_dataset *dataset, tri__slot **out)
{
    *out = &dataset->slots[0];
    if (!dataset->ahead)
        return tri__maker_next(&dataset->maker, *out);
    TRI_TRY(receive(dataset, out));
    tri_status status = (*out)->status;
    (*out)->status = NULL;
    return status;
}

tri_status tri_dataset_next(tri_dataset *dataset, const tri_batch **out)
{
    *out = NULL;
    if (dataset->position == dataset->maker.end)
        return NULL;
    tri__slot *slot;
    tri_status status = next_slot(dataset, &slot);
    if (status) {
        /* The next call starts again at the same place. */
        tri_status moved = tri_dataset_seek(dataset, dataset->position);
        tri_status_free(moved);
        return status;
    }
    dataset->given = slot;
    dataset->position += slot->batch.count;
    *out = &slot->batch;
    return NULL;
}

int64_t tri_dataset_examples(const tri_dataset *dataset)
{
    return dataset->maker.examples;
}

int64_t tri_dataset_position(const tri_dataset *dataset)
{
    return dataset->position;
}

tri_status tri_dataset_seek(tri_dataset *dataset, int64_t position)
{
    if (position < 0 || position > dataset->maker.end)
        return tri_fail(TRI_BAD_CALL, "%s: position %" PRId64 " is outside the %" PRId64 " examples of the whole run",
                        dataset->maker.source->info.spec, position, dataset->maker.end);
    stop(dataset);
    dataset->maker.position = position;
    dataset->position = position;
    return NULL;
}
