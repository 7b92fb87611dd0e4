/* histogram.h: counts values by their size, in one pass. Sign, exponent and the first two bits of the fraction choose the bin, so there are
 * four bins for each doubling. Zero and values near it have a bin, too. Values that are not finite are left out. */
#ifndef TRI_WATCH_REPORT_HISTOGRAM_H
#define TRI_WATCH_REPORT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { TRI_HISTOGRAM_BINS = 2048 };

typedef struct {
    int64_t count;
    double least, most, sum, squares; /* of all values: the smallest, the largest, Σ value, Σ value² */
    int64_t bin[TRI_HISTOGRAM_BINS];  /* from the most negative values to the largest */
} tri__histogram;                     /* zeroed, it is empty */

/* Add value[i] × scale for all i below count. */
void tri__histogram_add(tri__histogram *histogram, const float *value, size_t count, float scale);

/* The upper limit of a bin: positive values are below it; negative values are below it or equal. */
double tri__histogram_limit(int bin);

#endif
