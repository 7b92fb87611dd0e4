/* dataset.h: what rooms inside ask of a dataset beside the public calls. */
#ifndef TRI_DATA_BATCH_DATASET_H
#define TRI_DATA_BATCH_DATASET_H

#include "trireme/dataset.h"

/* Something to tell people, once: a record that was left out, a cache that cannot grow. free() it; NULL where there is nothing. */
char *tri__dataset_note(tri_dataset *dataset);

/* The records found damaged so far, rising, and how many there are. They are borrowed until the next call. */
int64_t tri__dataset_damage(const tri_dataset *dataset, const int64_t **records);

/* Let these records, which an earlier run found damaged, count as found. */
TRI_MUST_CHECK tri_status tri__dataset_recall_damage(tri_dataset *dataset, const int64_t *records, int64_t count);

/* The batch that the next tri_dataset_next will give, where it has been made already; NULL elsewhere. Never waits, and takes nothing: the
 * position stays. Its damaged rows are not counted yet. It is borrowed until the next call. */
const tri_batch *tri__dataset_peek(tri_dataset *dataset);

/* CPU seconds that threads have spent on reading and decoding, apart from the thread that takes the batches. */
double tri__dataset_decoding(const tri_dataset *dataset);

#endif
