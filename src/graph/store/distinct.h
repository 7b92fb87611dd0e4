/* distinct.h: finds the distinct keys of a batch, and where each feature's key stands among them. */
#ifndef TRI_GRAPH_STORE_DISTINCT_H
#define TRI_GRAPH_STORE_DISTINCT_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    int32_t *keys; /* [count] in the order in which they first occur */
    int64_t count;
    int64_t features; /* of the batch, each as often as it occurs */
    int32_t *at;      /* [features] the position of each feature's key in keys */
    int64_t keys_room, at_room;
    uint64_t *cell; /* [cells] a hash table: a key, and its position */
    int64_t cells;
} tri__distinct;

void tri__distinct_fini(tri__distinct *distinct);

/* Find the distinct keys. Memory grows with the largest batch and is kept. keys: [features], none negative. */
TRI_MUST_CHECK tri_status tri__distinct_find(tri__distinct *distinct, const int32_t *keys, int64_t features);

#endif
