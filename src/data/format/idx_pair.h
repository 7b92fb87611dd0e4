/* idx_pair.h: IDX files of a data set put together into pairs of images and labels. */
#ifndef TRI_DATA_FORMAT_IDX_PAIR_H
#define TRI_DATA_FORMAT_IDX_PAIR_H

#include "data/source/file_format.h"

/* Where the set is just one file of images, its labels are looked for beside it. */
extern const tri__file_format tri__idx_format;

#endif
