/* stream_batches.c: a ring of batches. One thread fills them, in order, and the caller takes them, in order.
 *
 * Batch n is in buffer n % depth. The thread owns the buffers of the batches from `made` on, the caller those before. The caller keeps the
 * batch that it took last, so at most depth − 1 others are made and not taken. A thread that has filled the ring sleeps until half of it is
 * empty, so that it is not woken for each batch. */
#include "data/batch/stream_batches.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/rendezvous.h"

#define PATIENCE TRI_SECOND              /* time that a caller waits for a batch */
#define GLANCE   (100 * TRI_MILLISECOND) /* time after which the thread checks whether it is to leave */

enum { MOST_DEPTH = 16, MOST_ROWS_AHEAD = 1 << 16 };

struct tri__stream_batches {
    tri_source *source;
    tri__reader *reader;
    int64_t rows;
    bool prompt;
    tri__batch_buffer *buffer; /* [depth] */
    int depth;

    int64_t left; /* examples that may still be read; used by the thread that reads */
    pthread_t thread;
    bool started;         /* the first batch was asked for */
    tri__rendezvous move; /* made, taken, over or leaving has changed */
    atomic_llong made, taken;
    atomic_bool over;    /* the thread makes no more batches */
    atomic_bool leaving; /* the thread is to leave */
    tri_status failure;  /* what ended the thread; NULL: the end of the input. Set before `over` */
};

/* ---- one batch ---- */

static void empty(tri__batch_buffer *buffer)
{
    tri__batch_buffer_clear_failures(buffer);
    buffer->batch.count = 0;
    buffer->batch.damaged = 0;
}

/* Read the example that was awaited into the next row. A damaged one takes a row, too. */
static tri_status read_row(tri__stream_batches *self, tri__batch_buffer *buffer)
{
    const int64_t row = buffer->batch.count;
    tri__example_target target;
    TRI_TRY(tri__batch_buffer_row(buffer, self->source, row, 0, &target));
    tri_status status = self->source->kind->read(self->reader, row, &target);
    if (status && tri_status_code(status) != TRI_BAD_DATA)
        return status;
    buffer->weights[row] = 1;
    buffer->batch.count++;
    self->left--;
    if (status)
        tri__batch_buffer_mark_damaged(buffer, self->source, row, status);
    else
        tri__batch_buffer_keep(buffer, row, 0);
    return NULL;
}

/* Add rows until the batch is full, or until no input has come for a while. */
static tri_status add_rows(tri__stream_batches *self, tri__batch_buffer *buffer, int64_t patience, tri__awaited *came)
{
    *came = TRI_AWAITED_EXAMPLE;
    while (buffer->batch.count < self->rows && *came == TRI_AWAITED_EXAMPLE) {
        if (self->left <= 0) {
            *came = TRI_AWAITED_END;
            break;
        }
        TRI_TRY(self->source->kind->await(self->source, self->prompt && buffer->batch.count > 0 ? 0 : patience, came));
        if (*came == TRI_AWAITED_EXAMPLE)
            TRI_TRY(read_row(self, buffer));
    }
    return NULL;
}

/* The rows behind the last example count nothing. */
static tri_status complete(tri__batch_buffer *buffer)
{
    for (int64_t i = buffer->batch.count; i < buffer->batch.rows; i++) {
        buffer->weights[i] = 0;
        tri__batch_buffer_unlabel(buffer, i);
        buffer->row[i].count = 0;
    }
    return tri__batch_buffer_join(buffer);
}

/* ---- the thread ---- */

static bool has_room(const void *context)
{
    const tri__stream_batches *self = context;
    return atomic_load(&self->leaving) || atomic_load(&self->made) - atomic_load(&self->taken) <= (self->depth - 2) / 2;
}

/* Wait until there is a buffer to fill. False if the thread is to leave. */
static bool await_room(tri__stream_batches *self)
{
    if (atomic_load(&self->made) - atomic_load(&self->taken) > self->depth - 2)
        while (!tri__rendezvous_wait(&self->move, has_room, self, tri__clock_now() + PATIENCE)) {
        }
    return !atomic_load(&self->leaving);
}

/* Make the next batch. *end: it is the last one, or there is none. */
static tri_status make_batch(tri__stream_batches *self, bool *end)
{
    tri__batch_buffer *buffer = &self->buffer[atomic_load(&self->made) % self->depth];
    tri__awaited came;
    empty(buffer);
    do
        TRI_TRY(add_rows(self, buffer, GLANCE, &came));
    while (came == TRI_AWAITED_NOTHING && !atomic_load(&self->leaving));
    *end = came != TRI_AWAITED_EXAMPLE;
    if (buffer->batch.count == 0)
        return NULL;
    TRI_TRY(complete(buffer));
    atomic_fetch_add(&self->made, 1);
    tri__rendezvous_notify(&self->move);
    return NULL;
}

static void *read_ahead(void *argument)
{
    tri__stream_batches *self = argument;
    bool end = false;
    while (!end && !self->failure && await_room(self))
        self->failure = make_batch(self, &end);
    atomic_store(&self->over, true);
    tri__rendezvous_notify(&self->move);
    return NULL;
}

/* ---- the caller ---- */

tri_status tri__stream_batches_create(tri_source *source, const tri_dataset_options *options, tri__stream_batches **out)
{
    tri__stream_batches *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "the batches of a stream", &self));
    const int64_t wanted = MOST_ROWS_AHEAD / options->batch + 1;
    self->source = source;
    self->rows = options->batch;
    self->prompt = options->prompt;
    self->depth = options->prompt ? 1 : wanted < 2 ? 2 : wanted < MOST_DEPTH ? (int)wanted : MOST_DEPTH;
    tri__rendezvous_init(&self->move, 2, 1); /* polls for a short time only: the CPUs may all be needed to compute */
    tri_status status = tri__reader_create(source, &self->reader);
    if (!status)
        status = tri__allocate((size_t)self->depth, sizeof *self->buffer, "the batches of a stream", &self->buffer);
    for (int i = 0; i < self->depth && !status; i++)
        status = tri__batch_buffer_init(&self->buffer[i], source, self->rows, false);
    if (status)
        tri__stream_batches_destroy(self);
    else
        *out = self;
    return status;
}

void tri__stream_batches_destroy(tri__stream_batches *batches)
{
    if (!batches)
        return;
    atomic_store(&batches->leaving, true);
    tri__rendezvous_notify(&batches->move);
    if (batches->started && !batches->prompt)
        pthread_join(batches->thread, NULL);
    tri_status_free(batches->failure);
    for (int i = 0; batches->buffer && i < batches->depth; i++)
        tri__batch_buffer_fini(&batches->buffer[i]);
    free(batches->buffer);
    tri__reader_destroy(batches->reader);
    tri__rendezvous_fini(&batches->move);
    free(batches);
}

static tri_status start(tri__stream_batches *self, int64_t left)
{
    if (self->started)
        return NULL;
    self->left = left;
    if (!self->prompt && pthread_create(&self->thread, NULL, read_ahead, self))
        return tri_fail(TRI_NO_MEMORY, "cannot start the thread that reads %s", self->source->info.spec);
    self->started = true;
    return NULL;
}

/* options->prompt: read what is there. */
static tri_status read_now(tri__stream_batches *self, tri__batch_buffer **out, tri__awaited *came)
{
    empty(self->buffer);
    TRI_TRY(add_rows(self, self->buffer, PATIENCE, came));
    if (self->buffer->batch.count == 0)
        return NULL;
    *came = TRI_AWAITED_EXAMPLE;
    *out = self->buffer;
    return complete(self->buffer);
}

static bool has_come(const void *context)
{
    const tri__stream_batches *self = context;
    return atomic_load(&self->over) || atomic_load(&self->made) > atomic_load(&self->taken);
}

static tri_status take_next(tri__stream_batches *self, tri__batch_buffer **out, tri__awaited *came)
{
    *came = TRI_AWAITED_NOTHING;
    if (!tri__rendezvous_wait(&self->move, has_come, self, tri__clock_now() + PATIENCE))
        return NULL;
    const long long next = atomic_load(&self->taken);
    if (atomic_load(&self->made) == next) { /* and the thread makes no more */
        tri_status failure = self->failure;
        self->failure = NULL;
        *came = TRI_AWAITED_END;
        return failure;
    }
    *came = TRI_AWAITED_EXAMPLE;
    *out = &self->buffer[next % self->depth];
    atomic_store(&self->taken, next + 1);
    if (has_room(self)) /* otherwise a thread that sleeps goes on sleeping */
        tri__rendezvous_notify(&self->move);
    return NULL;
}

tri_status tri__stream_batches_next(tri__stream_batches *batches, int64_t left, tri__batch_buffer **out, tri__awaited *came)
{
    *out = NULL;
    TRI_TRY(start(batches, left));
    return batches->prompt ? read_now(batches, out, came) : take_next(batches, out, came);
}
