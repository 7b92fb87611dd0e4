/* compare.h: compares two sets of results of one study: what changed by more than noise. */
#ifndef TRI_LAB_RESULTS_COMPARE_H
#define TRI_LAB_RESULTS_COMPARE_H

#include "lab/figures/statistics.h"
#include "lab/results/results.h"

typedef enum {
    TRI_CHANGE_UNKNOWN, /* too few measurements: both sides need two */
    TRI_CHANGE_NONE,    /* no more than noise */
    TRI_CHANGE_REAL,    /* p below 0.05 after Holm's correction, and the medians differ by at least 1 % */
} tri__change;

typedef struct {
    int cell, column;     /* of the first set */
    double before, after; /* medians */
    tri__welch test;
    double p; /* of the test, corrected for the number of tests (Holm) */
    tri__change change;
} tri__comparison;

/* Compare each column of runs in each cell that both have; cells are matched by the values of their factors. comparisons: free() it.
 * TRI_BAD_CALL where the sets are of different studies, or of different scales, or have no cell in common. */
TRI_MUST_CHECK tri_status tri__results_compare(const tri__results *a, const tri__results *b, tri__comparison **comparisons, int64_t *count);

#endif
