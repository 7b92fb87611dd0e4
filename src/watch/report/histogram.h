/* histogram.h: how often values of each size occur, in one pass over them: bins by sign, exponent and the first two bits of the fraction,
 * four to each doubling. Zero and all that is near it has a bin, too. Values that are not finite are left out. */
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

/* Add value[i] × scale of all i. */
void tri__histogram_add(tri__histogram *histogram, const float *value, size_t count, float scale);

/* Values of a bin are below this, or for negative ones at most equal. */
double tri__histogram_limit(int bin);

#endif
