/* held_out.h: a source without some of its examples, and these as a source of their own: to train on the one and evaluate on the other. */
#ifndef TRI_DATA_SOURCE_HELD_OUT_H
#define TRI_DATA_SOURCE_HELD_OUT_H

#include "data/source/source.h"

/* Draw `share` (above 0, below 1) of the examples by the seed, at least one, into *held_out, and replace *source by the rest, which keeps
 * its order. Both read what *source was, which lives as long as either. TRI_BAD_CALL where there are too few examples; then *source stays
 * as it is. Not for streams. */
TRI_MUST_CHECK tri_status tri__source_hold_out(tri_source **source, double share, uint64_t seed, tri_source **held_out);

#endif
