/* batch.h: batches put together from a source, one after another. */
#ifndef TRI_DATA_BATCH_H
#define TRI_DATA_BATCH_H

#include "data/order.h"
#include "data/source.h"

/* One batch and the memory it stands in. */
typedef struct {
    tri_batch batch;
    uint8_t *x;        /* dense: [rows][example_bytes]; in place: one example of zeros, which pads */
    const void **at;   /* in place: [rows] */
    int32_t *keys;     /* sparse: [rows][width] … */
    float *values;     /* … and [rows][width] */
    int32_t *labels;   /* [rows] */
    float *weights;    /* [rows] */
    int64_t *ids;      /* [rows] */
    tri_status status; /* what went wrong while it was read; owned */
} tri__slot;

/* in_place: the batch will point to examples in memory; the source has them there. */
TRI_MUST_CHECK tri_status tri__slot_init(tri__slot *slot, const tri_source *source, int64_t rows, bool in_place);
void tri__slot_fini(tri__slot *slot);

/* Where row i of the slot is to be written; not in place. */
tri__place tri__slot_place(const tri__slot *slot, const tri_source *source, int64_t i);

/* Make the rows from count on worth nothing. */
void tri__slot_pad(tri__slot *slot, const tri_source *source, int64_t count);

/* Makes batches. Belongs to one thread at a time. */
typedef struct {
    tri_source *source;
    tri__reader *reader;
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
