/* histogram.c: the bits of a float choose its bin. Positive floats have the same order as their bits, negative floats the reverse order. */
#include "watch/report/histogram.h"

#include <math.h>
#include <string.h>

enum { HALF = TRI_HISTOGRAM_BINS / 2, DROPPED_BITS = 21 }; /* keeps 8 bits of exponent and 2 of fraction */

static int bin_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int size = (int)((bits & 0x7fffffff) >> DROPPED_BITS);
    return value < 0 ? HALF - 1 - size : HALF + size;
}

double tri__histogram_limit(int bin)
{
    const uint32_t bits = (uint32_t)(bin < HALF ? HALF - 1 - bin : bin - HALF + 1) << DROPPED_BITS;
    float limit;
    memcpy(&limit, &bits, sizeof limit);
    return bin < HALF ? -(double)limit : (double)limit;
}

void tri__histogram_add(tri__histogram *histogram, const float *value, size_t count, float scale)
{
    if (histogram->count == 0) {
        histogram->least = INFINITY;
        histogram->most = -INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        const float scaled = value[i] * scale;
        if (!isfinite(scaled))
            continue;
        histogram->bin[bin_of(scaled)]++;
        histogram->count++;
        histogram->least = fmin(histogram->least, scaled);
        histogram->most = fmax(histogram->most, scaled);
        histogram->sum += scaled;
        histogram->squares += (double)scaled * scaled;
    }
}
