/* resident.h: batches of examples that stand in memory, pointed to or gathered by the caller's own thread. */
#ifndef TRI_DATA_RESIDENT_H
#define TRI_DATA_RESIDENT_H

#include "data/batch.h"

/* Records ids[0 … count) into the slot's first rows. The order is known further, up to `known`: what comes next is fetched ahead. */
void tri__resident_take(const tri_source *source, const int64_t *ids, int64_t count, int64_t known, tri__slot *slot);

#endif
