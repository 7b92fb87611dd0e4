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

/* CPU seconds that threads have spent on reading and decoding, beside whoever took the batches. */
double tri__dataset_decoding(const tri_dataset *dataset);

#endif
