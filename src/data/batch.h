/* batch.h: batches put together from a source, one after another. */
#ifndef TRI_DATA_BATCH_H
#define TRI_DATA_BATCH_H

#include "data/order.h"
#include "data/source.h"

/* One batch and the memory it stands in. */
typedef struct {
    tri_batch batch;
    uint8_t *x;
    int32_t *labels;
    float *weights;
    int64_t *ids;
    tri_status status; /* what went wrong while it was read; owned */
} tri__slot;

TRI_MUST_CHECK tri_status tri__slot_init(tri__slot *slot, const tri_source *source, int64_t rows);
void tri__slot_fini(tri__slot *slot);

/* Makes batches. Belongs to one thread at a time. */
typedef struct {
    tri_source *source;
    tri__order order;
    int64_t rows;
    int64_t examples; /* in one epoch */
    int64_t end;      /* the position after the last example */
    int64_t position; /* of the next example */
} tri__maker;

TRI_MUST_CHECK tri_status tri__maker_init(tri__maker *maker, tri_source *source, const tri_dataset_options *options);
void tri__maker_fini(tri__maker *maker);

/* Fill slot with the next batch: the rest of the epoch where that is less than a batch. At the end its count is 0. */
TRI_MUST_CHECK tri_status tri__maker_next(tri__maker *maker, tri__slot *slot);

#endif
