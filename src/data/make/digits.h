/* digits.h: drawn digits, one by one and as a source. */
#ifndef TRI_DATA_MAKE_DIGITS_H
#define TRI_DATA_MAKE_DIGITS_H

#include "data/source/source.h"

enum { TRI_DIGITS_SIDE = 28, TRI_DIGITS_PIXELS = TRI_DIGITS_SIDE * TRI_DIGITS_SIDE };

/* Draw a record of the source `digits`. Returns its label. Any thread may call it. */
uint8_t tri__digits_draw(uint64_t seed, tri_part part, int64_t record, uint8_t pixels[TRI_DIGITS_PIXELS]);

/* arguments: N, the number of training examples; NULL if the user gave none. */
TRI_MUST_CHECK tri_status tri__digits_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out);

#endif
