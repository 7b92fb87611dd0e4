/* plot.c: points and a fitted line, as SVG: plain elements with a few styles at the top, so that people can change the picture by hand.
 * The y axis begins at 0 where no point is below it, so that heights can be compared. */
#include "lab/plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file/file.h"

enum { PANEL = 340, HEIGHT = 330, LEFT = 62, RIGHT = 14, TOP = 66, BOTTOM = 52, TITLE = 24 };

/* From a value to a place on the picture. */
typedef struct {
    double low, high; /* values at the ends */
    double from, to;  /* their places */
} axis;

static double position_on(const axis *a, double value)
{
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

void tri__plot_ticks(double low, double high, double *first, double *step)
{
    double rough = (high - low) / 5, power = pow(10, floor(log10(rough))), ratio = rough / power;
    *step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    *first = ceil(low / *step - 1e-9) * *step;
}

/* The values' range with a little room around it. */
static axis axis_of(const double *values, int64_t count, bool from_zero, double from, double to)
{
    double low = values[0], high = values[0];
    for (int64_t i = 1; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    double room = high > low ? (high - low) * 0.08 : fmax(fabs(high), 1) * 0.5;
    bool zero = from_zero && low >= 0;
    return (axis){.low = zero ? 0 : low - room, .high = high + room, .from = from, .to = to};
}

/* Text between tags: &, < and > are spelled out. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else
            fputc(*text, out);
}

static void put_label(FILE *out, double x, double y, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    put_text(out, text);
    fputs("</text>\n", out);
}

static void put_ticks(FILE *out, const axis *x, const axis *y)
{
    char number[32];
    double first, step;
    tri__plot_ticks(y->low, y->high, &first, &step);
    for (int i = 0; first + i * step <= y->high; i++) {
        const double value = first + i * step;
        snprintf(number, sizeof number, "%.6g", fabs(value) < step * 1e-9 ? 0 : value);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x->from, position_on(y, value), x->to);
        put_label(out, x->from - 6, position_on(y, value) + 4, "text-anchor=\"end\"", number);
    }
    tri__plot_ticks(x->low, x->high, &first, &step);
    for (int i = 0; first + i * step <= x->high; i++) {
        const double value = first + i * step;
        snprintf(number, sizeof number, "%.6g", fabs(value) < step * 1e-9 ? 0 : value);
        fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", position_on(x, value), y->from);
        put_label(out, position_on(x, value), y->from + 17, "text-anchor=\"middle\"", number);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x->from, y->to, y->from, x->to);
}

static void put_line(FILE *out, const tri__panel *panel, const axis *x, const axis *y, int number)
{
    if (isnan(panel->slope) || isnan(panel->intercept))
        return;
    fprintf(out, "<clipPath id=\"inside%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n", number, x->from,
            y->to, x->to - x->from, y->from - y->to);
    fprintf(out, "<path class=\"line\" clip-path=\"url(#inside%d)\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", number, x->from,
            position_on(y, panel->intercept + panel->slope * x->low), x->to, position_on(y, panel->intercept + panel->slope * x->high));
}

static void put_panel(FILE *out, const tri__panel *panel, int number)
{
    double left = number * PANEL, middle = left + (LEFT + PANEL - RIGHT) / 2.0;
    axis x = axis_of(panel->x, panel->count, false, left + LEFT, left + PANEL - RIGHT);
    axis y = axis_of(panel->y, panel->count, true, HEIGHT - BOTTOM, TOP);
    put_label(out, middle, TOP - 12, "text-anchor=\"middle\"", panel->title);
    put_ticks(out, &x, &y);
    put_label(out, middle, HEIGHT - 14, "text-anchor=\"middle\"", panel->x_label);
    char turned[80];
    snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", left + 14, (TOP + HEIGHT - BOTTOM) / 2.0);
    put_label(out, left + 14, (TOP + HEIGHT - BOTTOM) / 2.0, turned, panel->y_label);
    for (int64_t i = 0; i < panel->count; i++)
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", position_on(&x, panel->x[i]), position_on(&y, panel->y[i]));
    put_line(out, panel, &x, &y, number);
}

static void put_picture(FILE *out, const char *title, const tri__panel *panels, int count)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:bold}.axis{stroke:#333;fill:none}"
            ".grid{stroke:#ddd;fill:none}circle{fill:#1f77b4;fill-opacity:.6}.line{stroke:#d62728;stroke-width:2;fill:none}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            count * PANEL, HEIGHT, count * PANEL, HEIGHT);
    put_label(out, count * PANEL / 2.0, TITLE, "class=\"title\" text-anchor=\"middle\"", title);
    for (int i = 0; i < count; i++)
        put_panel(out, &panels[i], i);
    fputs("</svg>\n", out);
}

tri_status tri__plot_write(const char *path, const char *title, const tri__panel *panels, int count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        put_picture(out, title, panels, count);
    if (!out || fclose(out)) {
        free(text);
        return tri_fail(TRI_NO_MEMORY, "no memory for the plot %s", path);
    }
    tri_status status = tri__file_replace(path, text, size);
    free(text);
    return status;
}
