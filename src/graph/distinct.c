/* distinct.c: the distinct keys of a batch, by a hash table that is at most half full and is never cleared. */
#include "graph/distinct.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define AHEAD 8 /* features whose slot is asked for ahead */

void tri__distinct_fini(tri__distinct *distinct)
{
    free(distinct->keys);
    free(distinct->at);
    tri__buffer_free(distinct->slot);
    *distinct = (tri__distinct){0};
}

static tri_status reserve(tri__distinct *distinct, int64_t features)
{
    if (features <= distinct->room)
        return NULL;
    if (features > INT32_MAX / 4)
        return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " features, at most %d are possible (use a smaller --batch)", features,
                        INT32_MAX / 4);
    tri__distinct_fini(distinct);
    const int64_t room = features + features / 4;
    int64_t slots = 1024;
    while (slots < 2 * room)
        slots *= 2;
    TRI_TRY(tri__allocate((size_t)room, sizeof *distinct->keys, "a batch's distinct keys", &distinct->keys));
    TRI_TRY(tri__allocate((size_t)room, sizeof *distinct->at, "a batch's distinct keys", &distinct->at));
    TRI_TRY(tri__buffer_allocate((size_t)slots * sizeof *distinct->slot, "a batch's distinct keys", &distinct->slot));
    distinct->room = room;
    distinct->slots = slots;
    return NULL;
}

static void next_generation(tri__distinct *distinct)
{
    if (++distinct->generation == 0) { /* once in four billion batches */
        memset(distinct->slot, 0, (size_t)distinct->slots * sizeof *distinct->slot);
        distinct->generation = 1;
    }
    distinct->count = 0;
}

static inline uint64_t slot_of(const tri__distinct *distinct, int32_t key)
{
    const uint64_t mixed = (uint64_t)(uint32_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed >> 32) & (uint64_t)(distinct->slots - 1);
}

/* The place of a key, which gets one where it has none. */
static inline int32_t place_of(tri__distinct *distinct, int32_t key)
{
    const uint64_t mask = (uint64_t)(distinct->slots - 1), generation = (uint64_t)distinct->generation << 32;
    for (uint64_t slot = slot_of(distinct, key);; slot = (slot + 1) & mask) {
        const uint64_t found = distinct->slot[slot];
        if ((found & ~(uint64_t)UINT32_MAX) != generation) {
            distinct->slot[slot] = generation | (uint64_t)distinct->count;
            distinct->keys[distinct->count] = key;
            return (int32_t)distinct->count++;
        }
        if (distinct->keys[(uint32_t)found] == key)
            return (int32_t)(uint32_t)found;
    }
}

tri_status tri__distinct_find(tri__distinct *distinct, const int32_t *keys, int64_t features)
{
    TRI_TRY(reserve(distinct, features ? features : 1));
    next_generation(distinct);
    distinct->features = features;
    for (int64_t i = 0; i < features; i++) {
        if (i + AHEAD < features)
            __builtin_prefetch(&distinct->slot[slot_of(distinct, keys[i + AHEAD])], 1);
        distinct->at[i] = place_of(distinct, keys[i]);
    }
    return NULL;
}
