/* example_reader.h: puts one example into its row of a batch: from the cache or the source, its picture changed, mixed with another one.
 *
 * Each thread has a reader of its own; all readers share one pipeline. What a row holds depends on the pipeline, the epoch and the record
 * number alone, whatever thread fills it. */
#ifndef TRI_DATA_BATCH_EXAMPLE_READER_H
#define TRI_DATA_BATCH_EXAMPLE_READER_H

#include "data/batch/batch.h"
#include "data/batch/cache.h"
#include "data/order/epoch_order.h"
#include "data/photo/augment.h"

/* What is done with every example. It stays the same as long as a reader uses it, and all that it points to is borrowed. */
typedef struct {
    tri_source *source;
    tri__cache *cache;             /* or NULL */
    const tri__epoch_order *order; /* which record is at a position, and back */
    tri__augment augment;
    uint64_t seed;         /* of augmentation */
    int64_t mixed_classes; /* whose shares stand in each example's label; 0: none */
} tri__example_pipeline;

typedef struct {
    const tri__example_pipeline *pipeline;
    tri__reader *reader;
    uint8_t *scratch;          /* one example, before it is augmented; NULL if pictures are not changed */
    tri__example_target other; /* the example to mix with; its x is NULL without mixup */
    int32_t other_label;       /* the label of `other` */
    _Atomic int64_t record;    /* the record that it reads, or has read last; −1: none yet. Any thread may ask */
} tri__example_reader;

TRI_MUST_CHECK tri_status tri__example_reader_init(tri__example_reader *self, const tri__example_pipeline *pipeline);

/* A reader that never reads the source, because a read may hang: all its records must be in the cache (tri__cache_holds), and nothing is
 * augmented. It needs no fini. */
void tri__example_reader_init_cached(tri__example_reader *self, const tri__example_pipeline *pipeline);
void tri__example_reader_fini(tri__example_reader *self);

/* Fill row i of the buffer, whose record number and epoch are there already. piece: as in tri__batch_buffer_row. If this fails, the row is
 * undefined: TRI_BAD_DATA says that its record is damaged. */
TRI_MUST_CHECK tri_status tri__example_reader_fill(tri__example_reader *self, tri__batch_buffer *buffer, int64_t i, int piece);

#endif
