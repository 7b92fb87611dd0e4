/* batch.h: a batch and the memory that holds it.
 *
 * A dense example has a fixed place, which its row number gives. Sparse examples differ in length: each thread writes those that it reads
 * one after another into a piece of its own. When all rows are read, tri__batch_buffer_join copies them from the pieces in the order of
 * the batch; if they stand in one piece in that order already, the batch points there. */
#ifndef TRI_DATA_BATCH_BATCH_H
#define TRI_DATA_BATCH_BATCH_H

#include "data/source/source.h"

#define TRI_BATCH_PIECES 65 /* one for each thread that may fill a buffer: prefetch's decoders and its caller */

/* Sparse examples, in the order in which one thread has read them. */
typedef struct {
    int32_t *keys;      /* [room] */
    float *values;      /* [room] */
    int64_t used, room; /* in features */
} tri__batch_piece;

/* Where a sparse row is until tri__batch_buffer_join copies it. */
typedef struct {
    int64_t first, count; /* features of the piece; count is 0 where the row holds no example */
    int piece;
} tri__piece_span;

typedef struct {
    tri_batch batch;
    uint8_t *x;              /* dense: [rows][example_bytes]; in place: one example of zeros, to which padded rows point */
    const void **at;         /* in place: [rows] */
    int64_t *offsets;        /* sparse: [rows + 1] */
    int32_t *keys;           /* sparse: [room] */
    float *values;           /* sparse: [room] */
    int64_t room;            /* sparse: of keys and of values */
    tri__piece_span *row;    /* sparse: [rows] */
    tri__batch_piece *piece; /* sparse: [TRI_BATCH_PIECES] */
    int32_t *labels;         /* [rows] */
    float *targets;          /* [rows][outputs], where labels are not classes, or are shares of classes */
    float *weights;          /* [rows] */
    int64_t *ids;            /* [rows] */
    tri_status *failures;    /* [rows] why a row could not be read, mostly NULL; owned */
} tri__batch_buffer;

/* in_place: the batch points to the examples in the source's memory instead of copying them; the source must be resident. */
TRI_MUST_CHECK tri_status tri__batch_buffer_init(tri__batch_buffer *buffer, const tri_source *source, int64_t rows, bool in_place);
void tri__batch_buffer_fini(tri__batch_buffer *buffer);

/* Size of a buffer that is not in place; an estimate where examples are sparse. mixed_classes: as in tri__batch_buffer_add_shares; 0:
 * none. */
size_t tri__batch_buffer_bytes(const tri_source *source, int64_t rows, int64_t mixed_classes);

/* For a source of classes: make targets [rows][mixed_classes], the share of each class in an example's label. */
TRI_MUST_CHECK tri_status tri__batch_buffer_add_shares(tri__batch_buffer *buffer, int64_t mixed_classes);

/* Where a thread must write row i; piece is the thread's own. Not for a buffer in place. *out is valid until the thread's next call. */
TRI_MUST_CHECK tri_status tri__batch_buffer_row(tri__batch_buffer *buffer, const tri_source *source, int64_t i, int piece,
                                                tri__example_target *out);

/* The thread has written row i to the place that tri__batch_buffer_row gave. */
void tri__batch_buffer_keep(tri__batch_buffer *buffer, int64_t i, int piece);

/* When all rows are read: make sparse rows follow each other in the batch. One thread calls this, when no other thread fills the buffer. */
TRI_MUST_CHECK tri_status tri__batch_buffer_join(tri__batch_buffer *buffer);

/* The example of row i is damaged: clear the row and give it weight 0. The buffer takes ownership of reason. */
void tri__batch_buffer_mark_damaged(tri__batch_buffer *buffer, const tri_source *source, int64_t i, tri_status reason);
void tri__batch_buffer_clear_failures(tri__batch_buffer *buffer); /* also forgets the sparse rows that were read */

void tri__batch_buffer_unlabel(tri__batch_buffer *buffer, int64_t i); /* row i holds no example: sets its label and targets to 0 */

/* Clear the rows from count on and give them weight 0. */
void tri__batch_buffer_pad(tri__batch_buffer *buffer, const tri_source *source, int64_t count);

#endif
