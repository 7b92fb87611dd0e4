/* norm.h: how long a gradient is, to clip it. */
#ifndef TRI_STORE_NORM_H
#define TRI_STORE_NORM_H

#include <stddef.h>

/* Σ x², in double precision and in an order that depends on count alone. */
double tri__sum_of_squares(const float *x, size_t count);

#endif
