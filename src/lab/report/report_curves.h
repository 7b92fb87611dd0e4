/* report_curves.h: what each host did while a cell ran, from the samples of its run folder: CPU, memory, traffic and disk over time, with a
 * mark where something happened. `curves` in a study's file asks for them (tri__study_curves). The first run of each cell is shown. */
#ifndef TRI_LAB_REPORT_REPORT_CURVES_H
#define TRI_LAB_REPORT_REPORT_CURVES_H

#include "lab/report/markup.h"
#include "lab/results/results.h"

TRI_MUST_CHECK tri_status tri__report_curves(const tri__results *results, tri__markup *markup);

#endif
