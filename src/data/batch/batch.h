/* batch.h: a batch and the memory it stands in. */
#ifndef TRI_DATA_BATCH_BATCH_H
#define TRI_DATA_BATCH_BATCH_H

#include "data/source/source.h"

typedef struct {
    tri_batch batch;
    uint8_t *x;           /* dense: [rows][example_bytes]; in place: one example of zeros, which pads */
    const void **at;      /* in place: [rows] */
    int32_t *keys;        /* sparse: [rows][width] … */
    float *values;        /* … and [rows][width] */
    int32_t *labels;      /* [rows] */
    float *weights;       /* [rows] */
    int64_t *ids;         /* [rows] */
    tri_status *failures; /* [rows] what went wrong with each, mostly NULL; owned */
} tri__slot;

/* in_place: the batch will point to examples in memory; the source has them there. */
TRI_MUST_CHECK tri_status tri__slot_init(tri__slot *slot, const tri_source *source, int64_t rows, bool in_place);
void tri__slot_fini(tri__slot *slot);
size_t tri__slot_bytes(const tri_source *source, int64_t rows); /* that a slot takes, not in place */

/* Where row i of the slot is to be written; not in place. */
tri__place tri__slot_place(const tri__slot *slot, const tri_source *source, int64_t i);

/* The example of row i is damaged: let the row be worth nothing. Takes the reason. */
void tri__slot_spoil(tri__slot *slot, const tri_source *source, int64_t i, tri_status reason);
void tri__slot_forget(tri__slot *slot); /* its failures */

/* Make the rows from count on worth nothing. */
void tri__slot_pad(tri__slot *slot, const tri_source *source, int64_t count);

#endif
