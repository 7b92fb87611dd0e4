/* distinct.c: finds the distinct keys of a batch, by a hash table that is at most half full and is never cleared. */
#include "graph/store/distinct.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

#define AHEAD 8 /* how many features ahead cells are prefetched */

static const char WHAT[] = "a batch's distinct keys";

void tri__distinct_fini(tri__distinct *distinct)
{
    free(distinct->keys);
    free(distinct->at);
    tri__buffer_free(distinct->cell);
    *distinct = (tri__distinct){0};
}

/* Make room for at least `least` cells: a power of two. */
static tri_status reserve_cells(tri__distinct *distinct, int64_t least)
{
    if (least <= distinct->cells)
        return NULL;
    int64_t cells = 1024;
    while (cells < least + least / 4)
        cells *= 2;
    tri__buffer_free(distinct->cell);
    distinct->cell = NULL;
    distinct->cells = 0;
    TRI_TRY(tri__buffer_allocate((size_t)cells * sizeof *distinct->cell, WHAT, &distinct->cell));
    distinct->cells = cells;
    return NULL;
}

static tri_status reserve(tri__distinct *distinct, int64_t features)
{
    if (features > INT32_MAX / 4)
        return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " features, at most %d are possible (use a smaller --batch)", features,
                        INT32_MAX / 4);
    TRI_TRY(tri__reserve(&distinct->keys, &distinct->keys_room, features, sizeof *distinct->keys, WHAT));
    TRI_TRY(tri__reserve(&distinct->at, &distinct->at_room, features, sizeof *distinct->at, WHAT));
    return reserve_cells(distinct, 2 * features);
}

static void next_generation(tri__distinct *distinct)
{
    if (++distinct->generation == 0) { /* once in four billion batches */
        memset(distinct->cell, 0, (size_t)distinct->cells * sizeof *distinct->cell);
        distinct->generation = 1;
    }
}

static inline uint64_t cell_of(int32_t key, uint64_t mask)
{
    return ((uint64_t)(uint32_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & mask;
}

/* The position of a key in found, the distinct keys so far; where it has none, it is added. Whether a key is new cannot be predicted, so
 * nothing branches on that: every key is written behind the keys so far, and only a new one is counted. The loop goes on only if another
 * key has the cell. */
static inline int32_t place_of(int32_t key, uint64_t *cells, uint64_t mask, uint64_t generation, int32_t *found, int64_t *count)
{
    found[*count] = key;
    for (uint64_t at = cell_of(key, mask);; at = (at + 1) & mask) {
        const uint64_t cell = cells[at], added = generation | (uint64_t)*count;
        const bool is_new = (cell ^ generation) >> 32 != 0;
        const uint64_t kept = is_new ? added : cell;
        cells[at] = kept;
        if (found[(uint32_t)kept] == key) {
            *count += is_new;
            return (int32_t)(uint32_t)kept;
        }
    }
}

/* Everything that the loop uses is in a variable of its own: what stands in *distinct would be loaded again after every store. */
tri_status tri__distinct_find(tri__distinct *distinct, const int32_t *keys, int64_t features)
{
    TRI_TRY(reserve(distinct, features ? features : 1));
    next_generation(distinct);
    distinct->features = features;
    uint64_t *const cells = distinct->cell;
    const uint64_t mask = (uint64_t)(distinct->cells - 1), generation = (uint64_t)distinct->generation << 32;
    int32_t *const found = distinct->keys, *const places = distinct->at;
    int64_t count = 0;
    for (int64_t i = 0; i < features; i++) {
        if (i + AHEAD < features)
            __builtin_prefetch(&cells[cell_of(keys[i + AHEAD], mask)], 1);
        places[i] = place_of(keys[i], cells, mask, generation, found, &count);
    }
    distinct->count = count;
    return NULL;
}
