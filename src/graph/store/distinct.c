/* distinct.c: finds the distinct keys of a batch, by a hash table that is at most half full.
 *
 * A cell holds a key and its position, so that one load tells whether it is the key's. The table is as large as the batch needs, not as the
 * largest batch so far, and is cleared for each batch: that takes a store for every two features or so, and keeps the cells in a near
 * cache. */
#include "graph/store/distinct.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

#define EMPTY UINT64_MAX /* no cell of a key: keys are not negative */

static const char WHAT[] = "a batch's distinct keys";

void tri__distinct_fini(tri__distinct *distinct)
{
    free(distinct->keys);
    free(distinct->at);
    tri__buffer_free(distinct->cell);
    *distinct = (tri__distinct){0};
}

/* The cells for a batch: a power of two, at least twice its features. */
static int cell_bits(int64_t features)
{
    int bits = 10;
    while ((INT64_C(1) << bits) < 2 * features)
        bits++;
    return bits;
}

static tri_status reserve(tri__distinct *distinct, int64_t features)
{
    if (features > INT32_MAX / 4)
        return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " features, at most %d are possible (use a smaller --batch)", features,
                        INT32_MAX / 4);
    TRI_TRY(tri__reserve(&distinct->keys, &distinct->keys_room, features, sizeof *distinct->keys, WHAT));
    TRI_TRY(tri__reserve(&distinct->at, &distinct->at_room, features, sizeof *distinct->at, WHAT));
    return tri__buffer_reserve(&distinct->cell, &distinct->cells, INT64_C(1) << cell_bits(features), sizeof *distinct->cell, WHAT);
}

/* The position of a key in found, the distinct keys so far; where it has none, it is added. Whether a key is new cannot be predicted, so
 * nothing branches on that: every key is written behind the keys so far, and only a new one is counted. The loop goes on only if another
 * key has the cell. */
static inline int32_t place_of(int32_t key, uint64_t *cells, int bits, int32_t *found, int64_t *count)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1, added = (uint64_t)(uint32_t)key << 32 | (uint64_t)*count;
    found[*count] = key;
    for (uint64_t at = (uint32_t)key * UINT32_C(0x9e3779b9) >> (32 - bits);; at = (at + 1) & mask) {
        const uint64_t cell = cells[at];
        const bool is_new = cell == EMPTY;
        const uint64_t kept = is_new ? added : cell;
        cells[at] = kept;
        if (kept >> 32 == (uint32_t)key) {
            *count += is_new;
            return (int32_t)(uint32_t)kept;
        }
    }
}

/* Everything that the loop uses is in a variable of its own: what stands in *distinct would be loaded again after every store. */
tri_status tri__distinct_find(tri__distinct *distinct, const int32_t *keys, int64_t features)
{
    TRI_TRY(reserve(distinct, features ? features : 1));
    const int bits = cell_bits(features);
    distinct->features = features;
    uint64_t *const cells = distinct->cell;
    int32_t *const found = distinct->keys, *const places = distinct->at;
    int64_t count = 0;
    memset(cells, 0xff, sizeof *cells << bits);
    for (int64_t i = 0; i < features; i++)
        places[i] = place_of(keys[i], cells, bits, found, &count);
    distinct->count = count;
    return NULL;
}
