/* held_out.h: splits a source into two, to train on one and evaluate on the other. */
#ifndef TRI_DATA_SOURCE_HELD_OUT_H
#define TRI_DATA_SOURCE_HELD_OUT_H

#include "data/source/source.h"

/* The seed draws a `share` (above 0, below 1) of the examples, at least one, for *held_out. *source is replaced by a source of the others,
 * in their old order. Both read the old *source, which lives as long as either. TRI_BAD_CALL if there are too few examples; then *source
 * is unchanged. Not for streams. */
TRI_MUST_CHECK tri_status tri__source_hold_out(tri_source **source, double share, uint64_t seed, tri_source **held_out);

#endif
