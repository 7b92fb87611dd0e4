/* dataset.h: what rooms inside ask of a dataset beside the public calls. */
#ifndef TRI_DATA_DATASET_H
#define TRI_DATA_DATASET_H

#include "trireme/dataset.h"

/* Something to tell people, once: a record that was left out, a cache that cannot grow. free() it; NULL where there is nothing. */
char *tri__dataset_note(tri_dataset *dataset);

/* CPU seconds that threads have spent on reading and decoding, beside whoever took the batches. */
double tri__dataset_decoding(const tri_dataset *dataset);

#endif
