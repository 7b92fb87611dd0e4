/* idx_pair.h: the IDX files of a data set, in pairs of images and labels. */
#ifndef TRI_DATA_FORMAT_IDX_PAIR_H
#define TRI_DATA_FORMAT_IDX_PAIR_H

#include "data/source/file_format.h"

/* If the user names a single file of images, the file of its labels is looked for beside it. */
extern const tri__file_format tri__idx_format;

#endif
