/* key_map.c: keys and their rows, by a hash table with linear probing that is never more than three quarters full. */
#include "graph/key_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST_SLOTS INT64_C(64)
#define MOST_SLOTS  (INT64_C(1) << 32)

/* The number of slots with which most rows fit. Half of the slots are for keys that have a row. */
static int64_t fit(int64_t features, int64_t row_bytes, int64_t bytes, int64_t *slots)
{
    int64_t best = 0;
    for (int64_t some = LEAST_SLOTS; some <= MOST_SLOTS; some *= 2) {
        const int64_t left = bytes - some * (int64_t)sizeof(tri__key_slot) - row_bytes; /* nobody has a row, too */
        int64_t rows = left / (row_bytes + (int64_t)sizeof(int32_t));
        rows = rows < some / 2 ? rows : some / 2;
        rows = rows < features ? rows : features;
        if (rows > best) {
            best = rows;
            *slots = some;
        }
    }
    return best;
}

static void clear(tri__key_map *map)
{
    memset(map->slot, 0xff, (size_t)map->slots * sizeof *map->slot);
    map->waiting = 0;
}

tri_status tri__key_map_create(int64_t features, int64_t row_bytes, int64_t bytes, int64_t min_count, tri__key_map **out)
{
    int64_t slots = 0;
    const int64_t capacity = fit(features, row_bytes, bytes, &slots);
    if (capacity < 1)
        return tri_fail(TRI_NO_MEMORY, "a table that may take %" PRId64 " bytes has no room for a row of %" PRId64 " (--table-memory)",
                        bytes, row_bytes);
    tri__key_map *map;
    TRI_TRY(tri__allocate(1, sizeof *map, "the keys of a table", &map));
    *map = (tri__key_map){.capacity = capacity, .slots = slots, .min_count = min_count};
    tri_status status = tri__buffer_allocate((size_t)slots * sizeof *map->slot, "the keys of a table (--table-memory)", &map->slot);
    if (!status)
        status = tri__buffer_allocate((size_t)capacity * sizeof *map->key, "the keys of a table (--table-memory)", &map->key);
    if (status) {
        tri__key_map_destroy(map);
        return status;
    }
    clear(map);
    *out = map;
    return NULL;
}

void tri__key_map_destroy(tri__key_map *map)
{
    if (!map)
        return;
    tri__buffer_free(map->slot);
    tri__buffer_free(map->key);
    free(map);
}

/* The slot of a key, or the empty one where it would be. */
static tri__key_slot *slot_of(const tri__key_map *map, int32_t key)
{
    const uint64_t mask = (uint64_t)map->slots - 1;
    uint64_t at = ((uint64_t)(uint32_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 24 & mask;
    while (map->slot[at].key >= 0 && map->slot[at].key != key)
        at = (at + 1) & mask;
    return &map->slot[at];
}

int32_t tri__key_map_find(const tri__key_map *map, int32_t key)
{
    const tri__key_slot *slot = slot_of(map, key);
    return slot->key >= 0 && slot->value >= 0 ? slot->value : (int32_t)map->capacity;
}

/* Those that wait are forgotten. */
static void forget(tri__key_map *map)
{
    clear(map);
    for (int64_t row = 0; row < map->used; row++)
        *slot_of(map, map->key[row]) = (tri__key_slot){map->key[row], (int32_t)row};
}

/* An empty slot for a key that waits; another one, where the table had to be cleared for it. */
static tri__key_slot *admit(tri__key_map *map, tri__key_slot *slot, int32_t key)
{
    if (map->used + map->waiting >= map->slots / 4 * 3) {
        forget(map);
        slot = slot_of(map, key);
    }
    *slot = (tri__key_slot){key, 0};
    map->waiting++;
    return slot;
}

static int32_t leave_out(const tri__key_map *map, int64_t *counter)
{
    ++*counter;
    return (int32_t)map->capacity;
}

/* The key has been seen often enough. */
static int32_t give(tri__key_map *map, tri__key_slot *slot, int32_t key)
{
    map->waiting -= slot->key >= 0;
    *slot = (tri__key_slot){key, (int32_t)map->used};
    map->key[map->used] = key;
    return (int32_t)map->used++;
}

int32_t tri__key_map_see(tri__key_map *map, int32_t key, bool *fresh)
{
    tri__key_slot *slot = slot_of(map, key);
    *fresh = false;
    if (slot->key >= 0 && slot->value >= 0)
        return slot->value;
    const int64_t seen = slot->key >= 0 ? -(int64_t)slot->value + 1 : 1;
    if (map->used == map->capacity)
        return leave_out(map, seen >= map->min_count ? &map->left_full : &map->left_rare);
    if (seen >= map->min_count) {
        *fresh = true;
        return give(map, slot, key);
    }
    if (slot->key < 0)
        slot = admit(map, slot, key);
    slot->value = (int32_t)-seen;
    return leave_out(map, &map->left_rare);
}

bool tri__key_map_give(tri__key_map *map, int32_t key)
{
    tri__key_slot *slot = key >= 0 && map->used < map->capacity ? slot_of(map, key) : NULL;
    if (!slot || slot->key >= 0)
        return false;
    give(map, slot, key);
    return true;
}

bool tri__key_map_recall(tri__key_map *map, int32_t key, int32_t count)
{
    tri__key_slot *slot = key >= 0 && count > 0 && map->used + map->waiting < map->slots / 4 * 3 ? slot_of(map, key) : NULL;
    if (!slot || slot->key >= 0)
        return false;
    *slot = (tri__key_slot){key, -count};
    map->waiting++;
    return true;
}

void tri__key_map_waiting(const tri__key_map *map, int32_t *keys, int32_t *counts)
{
    int64_t found = 0;
    for (int64_t i = 0; i < map->slots && found < map->waiting; i++)
        if (map->slot[i].key >= 0 && map->slot[i].value < 0) {
            keys[found] = map->slot[i].key;
            counts[found++] = -map->slot[i].value;
        }
}
