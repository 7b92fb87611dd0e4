/* plot.h: draws points, lines and error bars as SVG. The picture follows the reader's light or dark setting, and is legible in print. */
#ifndef TRI_LAB_FIGURES_PLOT_H
#define TRI_LAB_FIGURES_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

/* Points that belong together. Everything is borrowed. */
typedef struct {
    const char *name;         /* for the legend; NULL: the series is not in the legend */
    const double *x, *y;      /* [count]; points that are not finite are left out */
    const double *low, *high; /* [count] ends of the error bars; NULL: none are drawn */
    int64_t count;
    bool joined; /* a line joins the points */
    bool second; /* y is on the right axis */
    bool bare;   /* the line is drawn without its points: for many points */
    bool hollow; /* drawn as rings and dashes: published figures */
} tri__series;

enum { TRI_MOST_SERIES = 12 };

/* One coordinate system. */
typedef struct {
    const char *title, *x_label, *y_label;
    const char *second_label; /* of the right axis; NULL: there is none */
    const tri__series *series;
    int count;                /* of series, at most TRI_MOST_SERIES */
    bool log_x, log_y;        /* only positive numbers are drawn */
    bool from_zero;           /* both y axes hold 0, so that the left one compares with the right one */
    const char *const *names; /* [name_count] the labels below x = 0, 1, …; NULL: numbers are the labels */
    int name_count;
    const double *marks; /* [mark_count] where vertical lines are drawn, because something happened there; NULL: none */
    int mark_count;
    double intercept, slope; /* of a straight line; NaN: none is drawn */
} tri__panel;

/* Draw the panels side by side under one title. text: free() it. */
TRI_MUST_CHECK tri_status tri__plot_draw(const char *title, const tri__panel *panels, int count, char **text);
TRI_MUST_CHECK tri_status tri__plot_write(const char *path, const char *title, const tri__panel *panels, int count);

/* Choose about five round ticks for low … high: the first tick, and the distance to the next. */
void tri__plot_ticks(double low, double high, double *first, double *step);

#endif
