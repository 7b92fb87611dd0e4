/* dense.h: makes a dense source of a sparse one, for models that take every feature of an example. */
#ifndef TRI_DATA_SOURCE_DENSE_H
#define TRI_DATA_SOURCE_DENSE_H

#include "data/source/source.h"

#define TRI_DENSE_MOST_FEATURES 100000 /* 400 kB for each example */

/* Replace a sparse source by a dense one, which then owns it; a dense source is left unchanged. If a feature occurs twice in an example,
 * its values are added. TRI_BAD_CALL if there are too many features; then *source is unchanged. */
TRI_MUST_CHECK tri_status tri__source_make_dense(tri_source **source);

#endif
