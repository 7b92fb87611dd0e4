/* gradient_check.c: compares floats by their magnitude. */
#include "store/ps/stretch/gradient_check.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes/vector.h"

/* The bits of |x|, as an integer, rise with |x|; infinity and NaN are above all others. */
static uint32_t magnitude(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & UINT32_C(0x7fffffff);
}

/* One integer comparison for each value. This costs a fraction of applying the gradient, and brings its values into the cache. */
TRI_FOR_EVERY_CPU static uint32_t largest_magnitude(const float *x, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = magnitude(x[i]) > largest ? magnitude(x[i]) : largest;
    return largest;
}

bool tri__gradient_is_sound(const float *values, size_t count, size_t *at)
{
    const uint32_t most = magnitude(TRI_GRADIENT_MOST);
    if (largest_magnitude(values, count) <= most)
        return true;
    for (*at = 0; magnitude(values[*at]) <= most;)
        ++*at;
    return false;
}
