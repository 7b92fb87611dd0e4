/* pair.h: IDX files of a data set put together into pairs of images and labels. */
#ifndef TRI_DATA_FORMAT_PAIR_H
#define TRI_DATA_FORMAT_PAIR_H

#include "data/source/file_format.h"

/* Open one part of a set of IDX files. Where the set is just one file of images, its labels are looked for beside it. */
TRI_MUST_CHECK tri_status tri__pair_open(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out);

#endif
