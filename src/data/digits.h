/* digits.h: drawn digits, one by one; as a source they are opened by tri__digits_open. */
#ifndef TRI_DATA_DIGITS_H
#define TRI_DATA_DIGITS_H

#include "trireme/dataset.h"

enum { TRI_DIGITS_SIDE = 28, TRI_DIGITS_PIXELS = TRI_DIGITS_SIDE * TRI_DIGITS_SIDE };

/* Draw a record of the source digits; gives its label. Any thread. */
uint8_t tri__digits_draw(uint64_t seed, tri_part part, int64_t record, uint8_t pixels[TRI_DIGITS_PIXELS]);

#endif
