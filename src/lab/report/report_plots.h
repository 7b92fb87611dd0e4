/* report_plots.h: the plots of a study. In its file `plots` is a list of mappings: `title`; `x`, a factor; `y`, a column, or several for
 * the left axis; `second`, a column for the right axis; `series`, a factor: each of its values has a line of its own; `log: x`, `y` or
 * `xy`; `fit: yes` for the straight line through all measurements; `at`, which cells. Points are medians. Bars reach from the smallest to
 * the largest measurement. Published figures are hollow. */
#ifndef TRI_LAB_REPORT_REPORT_PLOTS_H
#define TRI_LAB_REPORT_REPORT_PLOTS_H

#include "base/memory/arena.h"
#include "lab/report/markup.h"
#include "lab/results/results.h"

/* Write the one that spec, an entry of the list, describes. arena: for memory until it is written. */
TRI_MUST_CHECK tri_status tri__report_plot(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup);

#endif
