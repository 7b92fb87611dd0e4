/* class_counts.h: how many examples of each class a training run reads. */
#ifndef TRI_DATA_BATCH_CLASS_COUNTS_H
#define TRI_DATA_BATCH_CLASS_COUNTS_H

#include "trireme/dataset.h"

/* Count the examples that the datasets of all workers go through in an epoch, by their class; damaged ones are not counted. Where the
 * source does not know classes without reading, every example is read. Of options, seed, limit, sample and batch matter.
 * counts: [classes]. */
TRI_MUST_CHECK tri_status tri__class_counts(tri_source *source, const tri_dataset_options *options, int64_t *counts);

#endif
