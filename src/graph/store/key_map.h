/* key_map.h: which row of its tables a key has, where tables grow: a key gets its row in training, when it has been seen often enough and
 * as long as there is memory for rows. All tables of a store have one map, because they have the same keys.
 *
 * A key without a row is nobody: it reads row number `capacity`, which is always 0, and teaches nothing. Keys that wait for their row are
 * counted in the same hash table. When they fill it, all of them are forgotten, and counting begins again; what has a row keeps it. Nothing
 * here depends on time or threads: the same sightings in the same order give the same rows. One thread changes a map at a time, and nobody
 * reads it then. */
#ifndef TRI_GRAPH_STORE_KEY_MAP_H
#define TRI_GRAPH_STORE_KEY_MAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/random.h"
#include "graph/store/store.h"
#include "trireme/graph.h"

/* How the rows of a table begin: by key and column, as in a table that has all rows. */
typedef struct {
    tri_init init;
    float value;
    tri__key key; /* of the table's random numbers */
} tri__initial_row;

typedef struct {
    int32_t key;   /* −1: the cell is empty */
    int32_t value; /* its row; or −n: seen n times, without a row */
} tri__key_cell;

typedef struct tri__key_map {
    int64_t features; /* keys are below */
    int64_t capacity; /* rows that there is memory for */
    int64_t used;     /* rows that keys have: 0 … used − 1 */
    int32_t *key;     /* [capacity] of each row */
    int64_t min_count;
    tri__initial_row initial[TRI_STORE_TABLES]; /* by the store's number of the table */
    pthread_mutex_t lock;                       /* held by whoever counts the sightings of a step: */
    int64_t counted;                            /* the last step whose sightings are; −1: none */
    tri__key_cell *cell;
    int64_t cells, waiting;       /* waiting: keys that are counted and have no row */
    int64_t left_rare, left_full; /* sightings that taught nothing: of keys seen too seldom, and for want of memory */
} tri__key_map;

/* Rows of `row_bytes`, within `bytes` for them and the map; no more than `most`. TRI_NO_MEMORY where not one fits. */
TRI_MUST_CHECK tri_status tri__key_map_create(int64_t features, int64_t most, int64_t row_bytes, int64_t bytes, int64_t min_count,
                                              tri__key_map **out);
void tri__key_map_destroy(tri__key_map *map); /* accepts NULL */
void tri__key_map_empty(tri__key_map *map);   /* as it was made: no key has a row, or was seen */

/* How many rows such a map has. TRI_NO_MEMORY where not one fits. */
TRI_MUST_CHECK tri_status tri__key_map_fit(int64_t features, int64_t row_bytes, int64_t bytes, int64_t *rows);

int32_t tri__key_map_find(const tri__key_map *map, int32_t key); /* its row, or capacity */

/* The same, in training: so many sightings. fresh: the key got its row now. */
int32_t tri__key_map_see(tri__key_map *map, int32_t key, int64_t sightings, bool *fresh);

/* To restore: the next row belongs to key; a key was seen so often. False where the map is full or has the key. */
bool tri__key_map_give(tri__key_map *map, int32_t key);
bool tri__key_map_recall(tri__key_map *map, int32_t key, int32_t count);

/* The keys that wait, and how often each was seen: [waiting] each. */
void tri__key_map_waiting(const tri__key_map *map, int32_t *keys, int32_t *counts);

/* What a checkpoint needs of the map as it is now, while the map goes on: rows, their keys, those that wait and what was left out. It reads
 * the map's list of keys; nothing can be found or seen in it. */
TRI_MUST_CHECK tri_status tri__key_map_freeze(const tri__key_map *map, tri__key_map **out);
void tri__key_map_thaw(tri__key_map *frozen); /* destroys it; accepts NULL */

#endif
