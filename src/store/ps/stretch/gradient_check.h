/* gradient_check.h: a pushed gradient that would spoil the model is found before it is taken. */
#ifndef TRI_STORE_PS_STRETCH_GRADIENT_CHECK_H
#define TRI_STORE_PS_STRETCH_GRADIENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* The most that a value of a pushed gradient, the sum over a worker's examples, may be. A training that works is many orders of magnitude
 * below. Beyond it, squares, which adam keeps and norms need, are no floats any more. */
#define TRI_GRADIENT_MOST 1e20F

/* True where no value is beyond that, infinite or not a number. Else *at receives the first one that is. */
bool tri__gradient_is_sound(const float *values, size_t count, size_t *at);

#endif
