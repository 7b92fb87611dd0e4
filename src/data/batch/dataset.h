/* dataset.h: calls on a dataset for the rest of the library, besides the public ones. */
#ifndef TRI_DATA_BATCH_DATASET_H
#define TRI_DATA_BATCH_DATASET_H

#include "data/photo/augment.h"
#include "trireme/dataset.h"

/* As tri_dataset_create, for a caller that has parsed --augment: options->augment is ignored. */
TRI_MUST_CHECK tri_status tri__dataset_create(tri_source *source, const tri_dataset_options *options, const tri__augment *augment,
                                              tri_dataset **out);

/* A message for the user, given once: a record was left out, or the cache cannot grow. free() it; NULL where there is none. */
char *tri__dataset_note(tri_dataset *dataset);

/* *records receives the numbers of the records found damaged so far, rising; returns how many there are. Borrowed until the next call. */
int64_t tri__dataset_damage(const tri_dataset *dataset, const int64_t **records);

/* Count these records as damaged: an earlier run found them so. */
TRI_MUST_CHECK tri_status tri__dataset_recall_damage(tri_dataset *dataset, const int64_t *records, int64_t count);

/* The batch that the next tri_dataset_next will give, if it is made already; otherwise NULL. Never waits, and the position stays. The
 * batch's damaged rows are not counted yet. It is borrowed until the next call. */
const tri_batch *tri__dataset_peek(tri_dataset *dataset);

/* CPU seconds that reading and decoding have taken so far. */
double tri__dataset_decoding(const tri_dataset *dataset);

#endif
