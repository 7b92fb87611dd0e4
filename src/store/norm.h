/* norm.h: how long a gradient is, to clip it. */
#ifndef TRI_STORE_NORM_H
#define TRI_STORE_NORM_H

#include "trireme/store.h"

/* Σ x², in double precision and in an order that depends on count alone. */
double tri__sum_of_squares(const float *x, size_t count);

/* The same for a range's gradient, without the part that is model state. */
double tri__trained_squares(const tri_rule *rule, tri_range range, const float *gradient);

#endif
