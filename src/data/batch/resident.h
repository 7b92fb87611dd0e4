/* resident.h: batches of examples that stand in memory, pointed to or gathered by the caller's own thread. */
#ifndef TRI_DATA_BATCH_RESIDENT_H
#define TRI_DATA_BATCH_RESIDENT_H

#include "data/batch/batch.h"

/* Record numbers. */
typedef struct {
    const int64_t *ids;
    int64_t count;
} tri__record_numbers;

/* The records into the first rows of buffer. Those that come in the batch after it, as far as they are known, are fetched ahead. */
void tri__resident_take(const tri_source *source, tri__record_numbers records, tri__record_numbers coming, tri__batch_buffer *buffer);

#endif
