/* batch.c: batches put together from a source.
 *
 * Rows that stand in memory are gathered here, with prefetches some rows ahead: the order is known, so the processor need not guess
 * it. The prefetch runs on past the batch into the next one. */
#include "data/batch.h"

#include <string.h>

#include "base/memory.h"

#define ROWS_AHEAD 8
#define CACHE_LINE 64

tri_status tri__slot_init(tri__slot *slot, const tri_source *source, int64_t rows)
{
    *slot = (tri__slot){0};
    size_t bytes;
    if (!tri__size_multiply((size_t)rows, source->example_bytes, &bytes))
        return tri_fail(TRI_BAD_CALL, "a batch of %lld examples of %zu bytes is too large", (long long)rows, source->example_bytes);
    TRI_TRY(tri__buffer_allocate(bytes, "a batch", &slot->x));
    TRI_TRY(tri__buffer_allocate((size_t)rows * sizeof *slot->labels, "a batch's labels", &slot->labels));
    TRI_TRY(tri__buffer_allocate((size_t)rows * sizeof *slot->weights, "a batch's weights", &slot->weights));
    TRI_TRY(tri__buffer_allocate((size_t)rows * sizeof *slot->ids, "a batch's record numbers", &slot->ids));
    slot->batch = (tri_batch){
        .rows = rows,
        .type = source->info.type,
        .x = slot->x,
        .labels = slot->labels,
        .weights = slot->weights,
        .ids = slot->ids,
    };
    return NULL;
}

void tri__slot_fini(tri__slot *slot)
{
    tri__buffer_free(slot->x);
    tri__buffer_free(slot->labels);
    tri__buffer_free(slot->weights);
    tri__buffer_free(slot->ids);
    tri_status_free(slot->status);
    *slot = (tri__slot){0};
}

tri_status tri__maker_init(tri__maker *maker, tri_source *source, const tri_dataset_options *options)
{
    int64_t all = source->info.examples;
    int64_t examples = options->limit > 0 && options->limit < all ? options->limit : all;
    *maker = (tri__maker){.source = source, .rows = options->batch, .examples = examples, .end = INT64_MAX};
    if (options->epochs > 0 && __builtin_mul_overflow(options->epochs, examples, &maker->end))
        maker->end = INT64_MAX;
    return tri__order_init(&maker->order, options->seed, examples, options->shuffle);
}

void tri__maker_fini(tri__maker *maker)
{
    tri__order_fini(&maker->order);
}

static void prefetch_row(const uint8_t *row, size_t bytes)
{
    for (size_t at = 0; at < bytes + CACHE_LINE - 1; at += CACHE_LINE)
        __builtin_prefetch(row + at);
}

/* Rows ids[0 … count) of a source that stands in memory → x: [count][example_bytes]. ids goes on until known. */
static void gather(const tri_source *source, const int64_t *ids, int64_t count, int64_t known, tri__slot *slot)
{
    size_t bytes = source->example_bytes;
    for (int64_t i = 0; i < count; i++) {
        if (i + ROWS_AHEAD < known)
            prefetch_row(source->rows + (size_t)ids[i + ROWS_AHEAD] * bytes, bytes);
        memcpy(slot->x + (size_t)i * bytes, source->rows + (size_t)ids[i] * bytes, bytes);
        slot->labels[i] = source->classes_of[ids[i]];
    }
}

/* Make the rows from count on worth nothing. Whole batches, which follow each other, leave the weights alone. */
static void pad(tri__slot *slot, int64_t count, size_t example_bytes)
{
    int64_t rows = slot->batch.rows;
    if (count != slot->batch.count)
        for (int64_t i = 0; i < rows; i++)
            slot->weights[i] = i < count ? 1.0F : 0.0F;
    for (int64_t i = count; i < rows; i++) {
        slot->labels[i] = 0;
        slot->ids[i] = -1;
    }
    memset(slot->x + (size_t)count * example_bytes, 0, (size_t)(rows - count) * example_bytes);
}

static int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    int64_t least = a < b ? a : b;
    return least < c ? least : c;
}

tri_status tri__maker_next(tri__maker *maker, tri__slot *slot)
{
    tri_source *source = maker->source;
    int64_t epoch = maker->position / maker->examples, first = maker->position % maker->examples;
    int64_t known = maker->examples - first;
    int64_t count = smallest(maker->rows, known, maker->end - maker->position);
    if (count > 0) {
        const int64_t *ids = tri__order_of(&maker->order, epoch) + first;
        if (source->rows)
            gather(source, ids, count, known, slot);
        else
            TRI_TRY(source->kind->read(source, ids, count, slot->x, slot->labels));
        memcpy(slot->ids, ids, (size_t)count * sizeof *ids);
    }
    pad(slot, count, source->example_bytes);
    slot->batch.count = count;
    slot->batch.epoch = epoch;
    maker->position += count;
    return NULL;
}
