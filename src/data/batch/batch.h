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
} tri__batch_buffer;

/* in_place: the batch will point to examples in memory; the source has them there. */
TRI_MUST_CHECK tri_status tri__batch_buffer_init(tri__batch_buffer *buffer, const tri_source *source, int64_t rows, bool in_place);
void tri__batch_buffer_fini(tri__batch_buffer *buffer);
size_t tri__batch_buffer_bytes(const tri_source *source, int64_t rows); /* that a buffer takes, not in place */

/* Where row i of the buffer is to be written; not in place. */
tri__example_target tri__batch_buffer_row(const tri__batch_buffer *buffer, const tri_source *source, int64_t i);

/* The example of row i is damaged: clear the row and give it weight 0. Takes the reason. */
void tri__batch_buffer_mark_damaged(tri__batch_buffer *buffer, const tri_source *source, int64_t i, tri_status reason);
void tri__batch_buffer_clear_failures(tri__batch_buffer *buffer); /* its failures */

/* Clear the rows from count on and give them weight 0. */
void tri__batch_buffer_pad(tri__batch_buffer *buffer, const tri_source *source, int64_t count);

#endif
