/* plot.h: points and a fitted line, as SVG. */
#ifndef TRI_LAB_PLOT_H
#define TRI_LAB_PLOT_H

#include <stdint.h>

#include "trireme/status.h"

/* One coordinate system. All is borrowed. */
typedef struct {
    const char *title, *x_label, *y_label;
    const double *x, *y; /* [count] */
    int64_t count;
    double intercept, slope; /* of the line; NaN: none is drawn */
} tri__panel;

/* Write the panels, side by side under one title, to path. */
TRI_MUST_CHECK tri_status tri__plot_write(const char *path, const char *title, const tri__panel *panels, int count);

/* Round steps that cover low … high in about five: the first tick, and the distance to the next. */
void tri__plot_ticks(double low, double high, double *first, double *step);

#endif
