/* dense.h: a sparse source as a dense one, for models that take every feature of an example. */
#ifndef TRI_DATA_SOURCE_DENSE_H
#define TRI_DATA_SOURCE_DENSE_H

#include "data/source/source.h"

#define TRI_DENSE_MOST_FEATURES 100000 /* 400 kB an example */

/* Replace a sparse source by a dense one, which then owns it; a dense source stays as it is. Features of an example that
 * occur twice are added. TRI_BAD_CALL where there are too many features; then the source stays as it is. */
TRI_MUST_CHECK tri_status tri__source_make_dense(tri_source **source);

#endif
