/* key_map.h: which row of its tables a key has, where tables grow: a key gets its row in training, when it has been seen often enough and
 * as long as there is memory for rows. All tables of a store have one map, because they have the same keys.
 *
 * A key without a row is nobody: it reads row number `capacity`, which is always 0, and teaches nothing. Keys that wait for their row are
 * counted in the same hash table. When they fill it, all of them are forgotten, and counting begins again; what has a row keeps it. Nothing
 * here depends on time or threads: the same sightings in the same order give the same rows. One thread calls. */
#ifndef TRI_GRAPH_STORE_KEY_MAP_H
#define TRI_GRAPH_STORE_KEY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    int32_t key;   /* −1: the cell is empty */
    int32_t value; /* its row; or −n: seen n times, without a row */
} tri__key_cell;

typedef struct tri__key_map {
    int64_t capacity; /* rows that there is memory for */
    int64_t used;     /* rows that keys have: 0 … used − 1 */
    int32_t *key;     /* [capacity] of each row */
    int64_t min_count;
    uint64_t seed; /* of initial values */
    tri__key_cell *cell;
    int64_t cells, waiting;       /* waiting: keys that are counted and have no row */
    int64_t left_rare, left_full; /* sightings that taught nothing: of keys seen too seldom, and for want of memory */
} tri__key_map;

/* Rows of `row_bytes`, within `bytes` for them and the map; no more than `features`. TRI_NO_MEMORY where not one fits. */
TRI_MUST_CHECK tri_status tri__key_map_create(int64_t features, int64_t row_bytes, int64_t bytes, int64_t min_count, tri__key_map **out);
void tri__key_map_destroy(tri__key_map *map); /* accepts NULL */

int32_t tri__key_map_find(const tri__key_map *map, int32_t key); /* its row, or capacity */

/* The same, in training: it is a sighting. fresh: the key got its row now. */
int32_t tri__key_map_see(tri__key_map *map, int32_t key, bool *fresh);

/* To restore: the next row belongs to key; a key was seen so often. False where the map is full or has the key. */
bool tri__key_map_give(tri__key_map *map, int32_t key);
bool tri__key_map_recall(tri__key_map *map, int32_t key, int32_t count);

/* The keys that wait, and how often each was seen: [waiting] each. */
void tri__key_map_waiting(const tri__key_map *map, int32_t *keys, int32_t *counts);

#endif
