/* batch.h: a batch and the memory it stands in.
 *
 * Dense examples have a place of their own by their row. Sparse examples are as long as they are: each thread that reads some puts them one
 * after another into a piece of its own, and when all rows are there, tri__batch_buffer_join puts the pieces' rows in the order of the
 * batch. */
#ifndef TRI_DATA_BATCH_BATCH_H
#define TRI_DATA_BATCH_BATCH_H

#include "data/source/source.h"

#define TRI_BATCH_PIECES 65 /* threads that may fill one buffer: prefetch's decoders and its caller */

/* Sparse examples as one thread has read them. */
typedef struct {
    int32_t *keys;      /* [room] */
    float *values;      /* [room] */
    int64_t used, room; /* features */
} tri__batch_piece;

/* Where a sparse row stands until it is joined. */
typedef struct {
    int64_t first, count; /* features of the piece; a row that holds no example has none */
    int piece;
} tri__piece_span;

typedef struct {
    tri_batch batch;
    uint8_t *x;       /* dense: [rows][example_bytes]; in place: one example of zeros, which pads */
    const void **at;  /* in place: [rows] */
    int64_t *offsets; /* sparse: [rows + 1] … */
    int32_t *keys;    /* … [room] … */
    float *values;    /* … and [room] */
    int64_t room;
    tri__piece_span *row;    /* sparse: [rows] */
    tri__batch_piece *piece; /* sparse: [TRI_BATCH_PIECES] */
    int32_t *labels;         /* [rows] */
    float *targets;          /* [rows][outputs], where labels are no classes */
    float *weights;          /* [rows] */
    int64_t *ids;            /* [rows] */
    tri_status *failures;    /* [rows] what went wrong with each, mostly NULL; owned */
} tri__batch_buffer;

/* in_place: the batch will point to examples in memory; the source has them there. */
TRI_MUST_CHECK tri_status tri__batch_buffer_init(tri__batch_buffer *buffer, const tri_source *source, int64_t rows, bool in_place);
void tri__batch_buffer_fini(tri__batch_buffer *buffer);
size_t tri__batch_buffer_bytes(const tri_source *source,
                               int64_t rows); /* that a buffer takes, about where examples are sparse; not in place */

/* Where row i of the buffer is to be written by the thread that has this piece; not in place. Valid until the thread's next call. */
TRI_MUST_CHECK tri_status tri__batch_buffer_row(tri__batch_buffer *buffer, const tri_source *source, int64_t i, int piece,
                                                tri__example_target *out);

/* The thread has written row i to its place. */
void tri__batch_buffer_keep(tri__batch_buffer *buffer, int64_t i, int piece);

/* All rows are there: put sparse ones one after another. One thread calls, when no other fills the buffer. */
TRI_MUST_CHECK tri_status tri__batch_buffer_join(tri__batch_buffer *buffer);

/* The example of row i is damaged: clear the row and give it weight 0. Takes the reason. */
void tri__batch_buffer_mark_damaged(tri__batch_buffer *buffer, const tri_source *source, int64_t i, tri_status reason);
void tri__batch_buffer_clear_failures(tri__batch_buffer *buffer); /* its failures, and what was read into it */

void tri__batch_buffer_unlabel(tri__batch_buffer *buffer, int64_t i); /* row i holds no example: 0 for its label or targets */

/* Clear the rows from count on and give them weight 0. */
void tri__batch_buffer_pad(tri__batch_buffer *buffer, const tri_source *source, int64_t count);

#endif
