/* resident.h: batches of examples that are in memory. The caller's own thread points to the examples or copies them. */
#ifndef TRI_DATA_BATCH_RESIDENT_H
#define TRI_DATA_BATCH_RESIDENT_H

#include "data/batch/batch.h"

/* Record numbers. */
typedef struct {
    const int64_t *ids;
    int64_t count;
} tri__record_numbers;

/* Put the records into the first rows of buffer. coming: the records of the next batch, as far as they are known; the first of them are
 * prefetched into the CPU's cache. */
void tri__resident_take(const tri_source *source, tri__record_numbers records, tri__record_numbers coming, tri__batch_buffer *buffer);

#endif
