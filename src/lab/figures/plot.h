/* plot.h: points, lines and error bars, as SVG. The picture follows the reader's light or dark setting, and is legible in print. */
#ifndef TRI_LAB_FIGURES_PLOT_H
#define TRI_LAB_FIGURES_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

/* Points that belong together. All is borrowed. */
typedef struct {
    const char *name;         /* in the legend; NULL: it is not there */
    const double *x, *y;      /* [count]; points that are not finite are left out */
    const double *low, *high; /* [count] ends of the error bars; NULL: none are drawn */
    int64_t count;
    bool joined; /* by a line */
    bool second; /* its axis is the right one */
    bool bare;   /* without its points: for many of them */
    bool hollow; /* figures of others: rings and dashes */
} tri__series;

enum { TRI_MOST_SERIES = 12 };

/* One coordinate system. */
typedef struct {
    const char *title, *x_label, *y_label;
    const char *second_label; /* of the right axis; NULL: there is none */
    const tri__series *series;
    int count;                /* of series, at most TRI_MOST_SERIES */
    bool log_x, log_y;        /* positive numbers only: others are left out */
    const char *const *names; /* [name_count] what stands below x = 0, 1, …; NULL: numbers do */
    int name_count;
    const double *marks; /* [mark_count] where vertical lines are drawn, because something happened there; NULL: none */
    int mark_count;
    double intercept, slope; /* of a straight line; NaN: none is drawn */
} tri__panel;

/* The panels, side by side under one title. text: free() it. */
TRI_MUST_CHECK tri_status tri__plot_draw(const char *title, const tri__panel *panels, int count, char **text);
TRI_MUST_CHECK tri_status tri__plot_write(const char *path, const char *title, const tri__panel *panels, int count);

/* Round steps that cover low … high in about five: the first tick, and the distance to the next. */
void tri__plot_ticks(double low, double high, double *first, double *step);

#endif
