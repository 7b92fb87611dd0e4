/* resident.c: batches of examples that stand in memory.
 *
 * The examples of a shuffled batch lie anywhere. Pointing to them costs next to nothing; then whoever reads them waits for the memory,
 * unless he asks for them in time: within the batch he does, and the first of the next batch are asked for here. Gathering copies them,
 * and asks for each some rows ahead. The order is known, so the processor need not guess it. */
#include "data/resident.h"

#include <string.h>

#define ROWS_AHEAD 8
#define CACHE_LINE 64

static void prefetch_example(const tri_source *source, int64_t record)
{
    const uint8_t *row = source->rows + (size_t)record * source->example_bytes;
    for (size_t at = 0; at < source->example_bytes + CACHE_LINE - 1; at += CACHE_LINE)
        __builtin_prefetch(row + at);
}

static void point(const tri_source *source, const int64_t *ids, int64_t count, int64_t known, tri__slot *slot)
{
    for (int64_t i = 0; i < count; i++) {
        slot->at[i] = source->rows + (size_t)ids[i] * source->example_bytes;
        slot->labels[i] = source->classes_of[ids[i]];
        if (i + count < known)
            __builtin_prefetch(&source->classes_of[ids[i + count]]);
    }
    for (int64_t i = count; i < count + ROWS_AHEAD && i < known; i++)
        prefetch_example(source, ids[i]);
}

/* x: [count][example_bytes] */
static void gather(const tri_source *source, const int64_t *ids, int64_t count, int64_t known, tri__slot *slot)
{
    size_t bytes = source->example_bytes;
    for (int64_t i = 0; i < count; i++) {
        if (i + ROWS_AHEAD < known)
            prefetch_example(source, ids[i + ROWS_AHEAD]);
        memcpy(slot->x + (size_t)i * bytes, source->rows + (size_t)ids[i] * bytes, bytes);
        slot->labels[i] = source->classes_of[ids[i]];
    }
}

void tri__resident_take(const tri_source *source, const int64_t *ids, int64_t count, int64_t known, tri__slot *slot)
{
    if (slot->at)
        point(source, ids, count, known, slot);
    else
        gather(source, ids, count, known, slot);
}
