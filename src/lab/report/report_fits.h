/* report_fits.h: regressions of a study. In its file `fits` is a list of mappings: `y`, a column; `x`, a list of factors; `at`, which
 * cells. y is fitted to each factor alone, and to all together. Where a straight line does not fit (p > .05), a curve is tried: y on log
 * x. */
#ifndef TRI_LAB_REPORT_REPORT_FITS_H
#define TRI_LAB_REPORT_REPORT_FITS_H

#include "base/memory/arena.h"
#include "lab/report/markup.h"
#include "lab/results/results.h"

/* Write the one that spec, an entry of the list, describes. arena: for memory until it is written. */
TRI_MUST_CHECK tri_status tri__report_fit(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup);

#endif
