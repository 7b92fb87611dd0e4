/* key_map.h: which row a key has in tables that grow. A key gets its row in training, when it has been seen often enough and as long as
 * there is memory for rows. All tables of a store share one map, because they have the same keys.
 *
 * A key without a row reads row number `capacity`, which is always 0, and its gradient is dropped. Keys that wait for a row are counted in
 * the same hash table. When they fill it, all their counts are forgotten, and counting begins again; keys that have a row keep it. Nothing
 * here depends on time or threads: the same sightings in the same order give the same rows. While a thread changes a map, no other thread
 * may change or read it. */
#ifndef TRI_GRAPH_STORE_KEY_MAP_H
#define TRI_GRAPH_STORE_KEY_MAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/random.h"
#include "graph/store/store.h"
#include "trireme/graph.h"

/* The initial values of a table's rows. They depend on key and column, as in a table that has all rows. */
typedef struct {
    tri_init init;
    float value;
    tri__key key; /* of the table's random numbers */
} tri__initial_row;

typedef struct {
    int32_t key;   /* −1: the cell is empty */
    int32_t value; /* the row of the key; or −n: the key was seen n times and has no row */
} tri__key_cell;

typedef struct tri__key_map {
    int64_t features; /* keys are below this */
    int64_t capacity; /* rows that there is memory for */
    int64_t used;     /* rows that keys have: 0 … used − 1 */
    int32_t *key;     /* [capacity] the key of each row */
    int64_t min_count;
    tri__initial_row initial[TRI_STORE_TABLES]; /* by the table's number in the store */
    pthread_mutex_t lock;                       /* held while the sightings of a step are counted; guards `counted` */
    int64_t counted;                            /* the last step whose sightings were counted; −1: none */
    tri__key_cell *cell;
    int64_t cells, waiting;       /* waiting: keys that are counted and have no row */
    int64_t left_rare, left_full; /* sightings of keys without a row: the key was too rare yet, or memory was full */
} tri__key_map;

/* A map for rows of `row_bytes`: as many as fit, with the map itself, into `bytes`, but no more than `most`. TRI_NO_MEMORY where none
 * fits. */
TRI_MUST_CHECK tri_status tri__key_map_create(int64_t features, int64_t most, int64_t row_bytes, int64_t bytes, int64_t min_count,
                                              tri__key_map **out);
void tri__key_map_destroy(tri__key_map *map); /* accepts NULL */
void tri__key_map_empty(tri__key_map *map);   /* afterwards no key has a row, or was seen */

/* How many rows such a map has. TRI_NO_MEMORY where none fits. */
TRI_MUST_CHECK tri_status tri__key_map_fit(int64_t features, int64_t row_bytes, int64_t bytes, int64_t *rows);

int32_t tri__key_map_find(const tri__key_map *map, int32_t key); /* the key's row, or capacity */

/* The same in training, where the key was seen `sightings` times. *fresh: whether the key got its row now. */
int32_t tri__key_map_see(tri__key_map *map, int32_t key, int64_t sightings, bool *fresh);

/* How often a key that waits for a row was seen; 0: it does not wait. */
int32_t tri__key_map_seen(const tri__key_map *map, int32_t key);
/* Would the map forget the keys that wait, if `keys` keys came that it does not know? */
bool tri__key_map_would_forget(const tri__key_map *map, int64_t keys);

/* To restore a map: give the next row to key; note that key was seen `count` times. False where the map is full or has the key. */
bool tri__key_map_give(tri__key_map *map, int32_t key);
bool tri__key_map_recall(tri__key_map *map, int32_t key, int32_t count);

/* The keys that wait for a row, and how often each was seen: both [waiting]. */
void tri__key_map_waiting(const tri__key_map *map, int32_t *keys, int32_t *counts);

/* A copy of what a checkpoint needs of the map as it is now, while training changes the map: the rows, their keys, the keys that wait and
 * the counts of those left out. It shares the map's list of keys; tri__key_map_find and tri__key_map_see must not be called on it. */
TRI_MUST_CHECK tri_status tri__key_map_freeze(const tri__key_map *map, tri__key_map **out);
void tri__key_map_thaw(tri__key_map *frozen); /* destroys the copy; accepts NULL */

#endif
