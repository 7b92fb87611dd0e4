/* resident.c: batches of examples that are in memory.
 *
 * The examples of a shuffled batch are scattered over memory. Pointing to them costs next to nothing, but their reader then waits for the
 * memory unless they are prefetched into the CPU's cache. The reader prefetches within the batch; point() here prefetches the first
 * examples of the next batch. gather() copies the examples and prefetches each some rows ahead. */
#include "data/batch/resident.h"

#include <string.h>

#define ROWS_AHEAD 8
#define CACHE_LINE 64

static void prefetch_example(const tri_source *source, int64_t record)
{
    const uint8_t *row = source->resident_x + (size_t)record * source->example_bytes;
    for (size_t at = 0; at < source->example_bytes + CACHE_LINE - 1; at += CACHE_LINE)
        __builtin_prefetch(row + at);
}

static void point(const tri_source *source, tri__record_numbers records, tri__record_numbers coming, tri__batch_buffer *buffer)
{
    for (int64_t i = 0; i < records.count; i++) {
        buffer->at[i] = source->resident_x + (size_t)records.ids[i] * source->example_bytes;
        buffer->labels[i] = source->resident_labels[records.ids[i]];
        if (i < coming.count)
            __builtin_prefetch(&source->resident_labels[coming.ids[i]]);
    }
    for (int64_t i = 0; i < ROWS_AHEAD && i < coming.count; i++)
        prefetch_example(source, coming.ids[i]);
}

/* x: [count][example_bytes] */
static void gather(const tri_source *source, tri__record_numbers records, tri__record_numbers coming, tri__batch_buffer *buffer)
{
    size_t bytes = source->example_bytes;
    for (int64_t i = 0; i < records.count; i++) {
        int64_t later = i + ROWS_AHEAD - records.count; /* row of the next batch; below 0: still in this one */
        if (later < 0)
            prefetch_example(source, records.ids[i + ROWS_AHEAD]);
        else if (later < coming.count)
            prefetch_example(source, coming.ids[later]);
        memcpy(buffer->x + (size_t)i * bytes, source->resident_x + (size_t)records.ids[i] * bytes, bytes);
        buffer->labels[i] = source->resident_labels[records.ids[i]];
    }
}

void tri__resident_take(const tri_source *source, tri__record_numbers records, tri__record_numbers coming, tri__batch_buffer *buffer)
{
    if (buffer->at)
        point(source, records, coming, buffer);
    else
        gather(source, records, coming, buffer);
}
