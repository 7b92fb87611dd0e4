/* folder.h: data files in a folder, recognised by what they hold and put together into the parts of a data set. */
#ifndef TRI_DATA_FOLDER_H
#define TRI_DATA_FOLDER_H

#include "trireme/dataset.h"

/* Open one part of the data set at path: a folder with IDX pairs or CIFAR-10 batches, or the images file of one IDX pair (whose labels
 * are beside it, and which is a train part). classes: 0 where unknown. */
TRI_MUST_CHECK tri_status tri__folder_open(const char *path, tri_part part, int64_t classes, const char *cache_folder, tri_source **out);

#endif
