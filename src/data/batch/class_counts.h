/* class_counts.h: how many examples of each class a training run reads. */
#ifndef TRI_DATA_BATCH_CLASS_COUNTS_H
#define TRI_DATA_BATCH_CLASS_COUNTS_H

#include "trireme/dataset.h"

/* Count, by class, the examples that the datasets of all workers go through in an epoch. Damaged examples are not counted. If the source
 * cannot tell classes without reading, every example is read. Only seed, limit, sample and batch of options matter. counts: [classes]. */
TRI_MUST_CHECK tri_status tri__class_counts(tri_source *source, const tri_dataset_options *options, int64_t *counts);

#endif
