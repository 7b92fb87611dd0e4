/* stream_batches.h: the batches of a stream.
 *
 * A thread reads and parses the next batches while the caller computes. It reads up to 65,536 examples ahead, or one batch if that is more.
 * With options->prompt the caller's thread reads: then a batch is given out as soon as no more input is waiting, and nothing is read that
 * was not asked for. */
#ifndef TRI_DATA_BATCH_STREAM_BATCHES_H
#define TRI_DATA_BATCH_STREAM_BATCHES_H

#include "data/batch/batch.h"

typedef struct tri__stream_batches tri__stream_batches;

/* source is a stream, which must outlive the batches. options->batch and options->prompt count. */
TRI_MUST_CHECK tri_status tri__stream_batches_create(tri_source *source, const tri_dataset_options *options, tri__stream_batches **out);
void tri__stream_batches_destroy(tri__stream_batches *batches); /* accepts NULL */

/* The next batch, which is valid until the next call; its rows have no record numbers yet. *came: nothing has come for a second, or the
 * input has ended; then there is no batch. left: the examples that may still be read; the first call decides. */
TRI_MUST_CHECK tri_status tri__stream_batches_next(tri__stream_batches *batches, int64_t left, tri__batch_buffer **out, tri__awaited *came);

#endif
