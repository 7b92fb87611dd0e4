/* gradient_check.h: finds a pushed gradient that would spoil the model, before it is taken. */
#ifndef TRI_STORE_PS_STRETCH_GRADIENT_CHECK_H
#define TRI_STORE_PS_STRETCH_GRADIENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* The largest value that a pushed gradient, the sum over a worker's examples, may have. Training that works stays many orders of magnitude
 * below. The squares of larger values, which adam keeps and norms need, do not fit in a float. */
#define TRI_GRADIENT_MOST 1e20F

/* True: no value is beyond TRI_GRADIENT_MOST, infinite or NaN. Otherwise *at receives the index of the first such value. */
bool tri__gradient_is_sound(const float *values, size_t count, size_t *at);

#endif
