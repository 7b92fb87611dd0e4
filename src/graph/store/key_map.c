/* key_map.c: finds the rows of keys, by a hash table with linear probing that is never more than three quarters full. */
#include "graph/store/key_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

#define LEAST_SLOTS INT64_C(64)
#define MOST_SLOTS  (INT64_C(1) << 32)

/* Finds the number of cells with which the most rows fit. Half of the cells are for keys that have a row. */
static tri_status fit(int64_t most, int64_t row_bytes, int64_t bytes, int64_t *best, int64_t *cells)
{
    *best = 0;
    for (int64_t some = LEAST_SLOTS; some <= MOST_SLOTS; some *= 2) {
        const int64_t left = bytes - some * (int64_t)sizeof(tri__key_cell) - row_bytes; /* one more row: that of zeros */
        int64_t rows = left / (row_bytes + (int64_t)sizeof(int32_t));
        rows = rows < some / 2 ? rows : some / 2;
        rows = rows < most ? rows : most;
        if (rows > *best) {
            *best = rows;
            *cells = some;
        }
    }
    if (*best < 1)
        return tri_fail(TRI_NO_MEMORY, "a table that may take %" PRId64 " bytes has no room for a row of %" PRId64 " (--table-memory)",
                        bytes, row_bytes);
    return NULL;
}

static void clear(tri__key_map *map)
{
    memset(map->cell, 0xff, (size_t)map->cells * sizeof *map->cell);
    map->waiting = 0;
}

tri_status tri__key_map_fit(int64_t features, int64_t row_bytes, int64_t bytes, int64_t *rows)
{
    int64_t cells;
    return fit(features, row_bytes, bytes, rows, &cells);
}

tri_status tri__key_map_create(int64_t features, int64_t most, int64_t row_bytes, int64_t bytes, int64_t min_count, tri__key_map **out)
{
    int64_t cells = 0, capacity;
    TRI_TRY(fit(features < most ? features : most, row_bytes, bytes, &capacity, &cells));
    tri__key_map *map;
    TRI_TRY(tri__allocate(1, sizeof *map, "the keys of a table", &map));
    *map = (tri__key_map){.features = features, .capacity = capacity, .cells = cells, .min_count = min_count, .counted = -1};
    pthread_mutex_init(&map->lock, NULL);
    tri_status status = tri__buffer_allocate((size_t)cells * sizeof *map->cell, "the keys of a table (--table-memory)", &map->cell);
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

void tri__key_map_empty(tri__key_map *map)
{
    clear(map);
    map->used = map->left_rare = map->left_full = 0;
    map->counted = -1;
}

void tri__key_map_destroy(tri__key_map *map)
{
    if (!map)
        return;
    tri__buffer_free(map->cell);
    tri__buffer_free(map->key);
    pthread_mutex_destroy(&map->lock);
    free(map);
}

/* The cell of a key, or the empty cell where it would be. */
static tri__key_cell *cell_of(const tri__key_map *map, int32_t key)
{
    const uint64_t mask = (uint64_t)map->cells - 1;
    uint64_t at = ((uint64_t)(uint32_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 24 & mask;
    while (map->cell[at].key >= 0 && map->cell[at].key != key)
        at = (at + 1) & mask;
    return &map->cell[at];
}

int32_t tri__key_map_find(const tri__key_map *map, int32_t key)
{
    const tri__key_cell *cell = cell_of(map, key);
    return cell->key >= 0 && cell->value >= 0 ? cell->value : (int32_t)map->capacity;
}

int32_t tri__key_map_seen(const tri__key_map *map, int32_t key)
{
    const tri__key_cell *cell = cell_of(map, key);
    return cell->key >= 0 && cell->value < 0 ? -cell->value : 0;
}

bool tri__key_map_would_forget(const tri__key_map *map, int64_t keys)
{
    return map->used < map->capacity && map->used + map->waiting + keys > map->cells / 4 * 3;
}

/* Forget all keys that wait for a row. */
static void forget(tri__key_map *map)
{
    clear(map);
    for (int64_t row = 0; row < map->used; row++)
        *cell_of(map, map->key[row]) = (tri__key_cell){map->key[row], (int32_t)row};
}

/* An empty cell for a key that has none yet. Where the table is full, all keys that wait are forgotten to make room. */
static tri__key_cell *make_room(tri__key_map *map, tri__key_cell *cell, int32_t key)
{
    if (map->used + map->waiting < map->cells / 4 * 3)
        return cell;
    forget(map);
    return cell_of(map, key);
}

static int32_t leave_out(const tri__key_map *map, int64_t *counter, int64_t sightings)
{
    *counter += sightings;
    return (int32_t)map->capacity;
}

/* The key has been seen often enough: give it a row. */
static int32_t give(tri__key_map *map, tri__key_cell *cell, int32_t key)
{
    map->waiting -= cell->key >= 0;
    *cell = (tri__key_cell){key, (int32_t)map->used};
    map->key[map->used] = key;
    return (int32_t)map->used++;
}

int32_t tri__key_map_see(tri__key_map *map, int32_t key, int64_t sightings, bool *fresh)
{
    tri__key_cell *cell = cell_of(map, key);
    *fresh = false;
    if (cell->key >= 0 && cell->value >= 0)
        return cell->value;
    const int64_t seen = (cell->key >= 0 ? -(int64_t)cell->value : 0) + sightings;
    if (map->used == map->capacity)
        return leave_out(map, seen >= map->min_count ? &map->left_full : &map->left_rare, sightings);
    if (cell->key < 0)
        cell = make_room(map, cell, key);
    if (seen >= map->min_count) {
        *fresh = true;
        return give(map, cell, key);
    }
    map->waiting += cell->key < 0;
    *cell = (tri__key_cell){key, (int32_t)-seen};
    return leave_out(map, &map->left_rare, sightings);
}

bool tri__key_map_give(tri__key_map *map, int32_t key)
{
    tri__key_cell *cell = key >= 0 && map->used < map->capacity ? cell_of(map, key) : NULL;
    if (!cell || cell->key >= 0)
        return false;
    give(map, cell, key);
    return true;
}

bool tri__key_map_recall(tri__key_map *map, int32_t key, int32_t count)
{
    tri__key_cell *cell = key >= 0 && count > 0 && map->used + map->waiting < map->cells / 4 * 3 ? cell_of(map, key) : NULL;
    if (!cell || cell->key >= 0)
        return false;
    *cell = (tri__key_cell){key, -count};
    map->waiting++;
    return true;
}

void tri__key_map_waiting(const tri__key_map *map, int32_t *keys, int32_t *counts)
{
    int64_t found = 0;
    for (int64_t i = 0; i < map->cells && found < map->waiting; i++)
        if (map->cell[i].key >= 0 && map->cell[i].value < 0) {
            keys[found] = map->cell[i].key;
            counts[found++] = -map->cell[i].value;
        }
}

static void copy_waiting(const tri__key_map *map, tri__key_cell *to)
{
    for (int64_t i = 0; i < map->cells; i++)
        if (map->cell[i].key >= 0 && map->cell[i].value < 0)
            *to++ = map->cell[i];
}

tri_status tri__key_map_freeze(const tri__key_map *map, tri__key_map **out)
{
    tri__key_map *frozen;
    TRI_TRY(tri__allocate(1, sizeof *frozen, "the keys of a table", &frozen));
    const size_t bytes = (size_t)(map->waiting ? map->waiting : 1) * sizeof *frozen->cell;
    tri_status status = tri__buffer_allocate(bytes, "the keys that wait for a row", &frozen->cell);
    if (status) {
        free(frozen);
        return status;
    }
    copy_waiting(map, frozen->cell);
    frozen->features = map->features;
    frozen->capacity = map->capacity;
    frozen->used = map->used;
    frozen->key = map->key;
    frozen->min_count = map->min_count;
    frozen->cells = frozen->waiting = map->waiting;
    frozen->left_rare = map->left_rare;
    frozen->left_full = map->left_full;
    *out = frozen;
    return NULL;
}

void tri__key_map_thaw(tri__key_map *frozen)
{
    if (frozen)
        tri__buffer_free(frozen->cell);
    free(frozen);
}
