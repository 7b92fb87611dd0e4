/* plot.c: draws pictures as SVG: plain elements with a few styles at the top, so that people can change them by hand. The y axis begins at
 * 0 where the lowest point is less than half as high as the highest, so that heights can be compared; a logarithmic axis does not. Each
 * series has its own colour and its own shape, so that either is enough to recognise it. */
#include "lab/figures/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "lab/figures/html.h"

enum { PANEL = 400, HEIGHT = 330, LEFT = 62, RIGHT = 18, TOP = 66, BOTTOM = 52, TITLE = 24, LEGEND = 18, SHAPES = 4, COLOURS = 6 };

/* Maps a value to a place in the picture. */
typedef struct {
    double low, high; /* values at the ends; their logarithms if the axis is logarithmic */
    double from, to;  /* the places of low and high */
    bool log;
} axis;

static double position_on(const axis *a, double value)
{
    return a->from + ((a->log ? log10(value) : value) - a->low) / (a->high - a->low) * (a->to - a->from);
}

static bool can_be_shown(const axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0);
}

void tri__plot_ticks(double low, double high, double *first, double *step)
{
    double rough = (high - low) / 5, power = pow(10, floor(log10(rough))), ratio = rough / power;
    *step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    *first = ceil(low / *step - 1e-9) * *step;
}

/* ---- axes ---- */

/* Widen an axis to hold a value. An axis begins empty: low is above high. */
static void hold(axis *a, double value)
{
    if (!can_be_shown(a, value))
        return;
    double place = a->log ? log10(value) : value;
    a->low = fmin(a->low, place);
    a->high = fmax(a->high, place);
}

/* Add a little room around the values. */
static void settle(axis *a, bool from_zero)
{
    if (a->low > a->high)
        a->low = 0, a->high = 1;
    double room = a->high > a->low ? (a->high - a->low) * 0.08 : fmax(fabs(a->high), 1) * 0.5;
    bool zero = from_zero && !a->log && a->low >= 0 && a->low <= a->high / 2;
    a->low = zero ? 0 : a->low - room;
    a->high += room;
}

static axis x_axis(const tri__panel *panel, double from, double to)
{
    axis x = {.low = INFINITY, .high = -INFINITY, .from = from, .to = to, .log = panel->log_x};
    for (int i = 0; i < panel->count; i++)
        for (int64_t k = 0; k < panel->series[i].count; k++)
            hold(&x, panel->series[i].x[k]);
    settle(&x, false);
    return x;
}

static axis y_axis(const tri__panel *panel, bool second)
{
    axis y = {.low = INFINITY, .high = -INFINITY, .from = HEIGHT - BOTTOM, .to = TOP, .log = panel->log_y};
    for (int i = 0; i < panel->count; i++) {
        const tri__series *series = &panel->series[i];
        for (int64_t k = 0; series->second == second && k < series->count; k++) {
            hold(&y, series->y[k]);
            hold(&y, series->low ? series->low[k] : NAN);
            hold(&y, series->high ? series->high[k] : NAN);
        }
    }
    if (panel->from_zero)
        hold(&y, 0);
    settle(&y, true);
    return y;
}

/* ---- text ---- */

static void put_label(FILE *out, double x, double y, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    tri__html_put(out, text);
    fputs("</text>\n", out);
}

/* A text that is wider than its room is drawn narrower. anchor: "middle" is around x, "end" before it. letter: how wide a letter is,
 * about. */
static void put_within(FILE *out, double x, double y, double room, const char *kind, const char *anchor, double letter, const char *text)
{
    char more[128];
    int length = snprintf(more, sizeof more, "class=\"%s\" text-anchor=\"%s\"", kind, anchor);
    if ((double)strlen(text) * letter > room)
        snprintf(more + length, sizeof more - (size_t)length, " textLength=\"%.0f\" lengthAdjust=\"spacingAndGlyphs\"", room);
    put_label(out, x, y, more, text);
}

static void put_turned(FILE *out, double x, double y, const char *text)
{
    char more[96];
    snprintf(more, sizeof more, "text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    put_label(out, x, y, more, text);
}

/* ---- ticks ---- */

enum { MOST_TICKS = 16, LETTER = 7, TURNED = 20 }; /* LETTER, TURNED: how wide a letter is, and the turned name of an axis with its room */

/* 1, 2, 5, 10, … where the axis is short, otherwise powers of ten. */
static int log_ticks(const axis *a, double *ticks)
{
    static const double steps[] = {1, 2, 5};
    int count = 0, fine = a->high - a->low < 2.5 ? 3 : 1;
    for (int power = (int)floor(a->low); power <= a->high; power++)
        for (int i = 0; i < fine && count < MOST_TICKS; i++) {
            double place = power + log10(steps[i]);
            if (place >= a->low && place <= a->high)
                ticks[count++] = pow(10, place);
        }
    return count;
}

/* "%.*g" needs so many digits to tell the ticks apart: 1000002 and 1000004 need seven. */
static int digits_of(const double *ticks, int count)
{
    enum { USUAL = 6, MOST = 15 };
    double largest = 0, step = count > 1 ? fabs(ticks[1] - ticks[0]) : 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(ticks[i]));
    int digits = step > 0 ? (int)ceil(log10(largest / step)) + 1 : USUAL;
    return digits < USUAL ? USUAL : digits > MOST ? MOST : digits;
}

static int ticks_of(const axis *a, double *ticks)
{
    double first, step;
    int count = 0;
    if (a->log)
        count = log_ticks(a, ticks);
    if (count > 1)
        return count;
    const double low = a->log ? pow(10, a->low) : a->low,
                 high = a->log ? pow(10, a->high) : a->high; /* a short logarithmic axis is nearly even */
    count = 0;
    tri__plot_ticks(low, high, &first, &step);
    for (; count < MOST_TICKS && first + count * step <= high; count++)
        ticks[count] = fabs(first + count * step) < step * 1e-9 ? 0 : first + count * step;
    return count;
}

/* Where a logarithmic x axis has few values, these are its ticks, because the study chose them. */
static int x_ticks(const tri__panel *panel, const axis *x, double *ticks)
{
    int count = 0;
    if (!panel->log_x || panel->series[0].count > 9)
        return ticks_of(x, ticks);
    for (int64_t i = 0; i < panel->series[0].count; i++)
        if (can_be_shown(x, panel->series[0].x[i]))
            ticks[count++] = panel->series[0].x[i];
    return count;
}

static void put_y_ticks(FILE *out, const axis *y, const axis *x, bool second)
{
    double ticks[MOST_TICKS];
    char number[32];
    const int count = ticks_of(y, ticks), digits = digits_of(ticks, count);
    for (int i = 0; i < count; i++) {
        double place = position_on(y, ticks[i]);
        snprintf(number, sizeof number, "%.*g", digits, ticks[i]);
        if (!second)
            fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x->from, place, x->to);
        put_within(out, second ? x->to + 6 : x->from - 6, place + 4, LEFT - 6 - TURNED, "tick", second ? "start" : "end", LETTER, number);
    }
}

/* Where the numbers of an even axis would touch, only every second tick has one, or every third … */
static int ticks_a_number(const axis *x, const double *ticks, int count, int digits)
{
    char number[32];
    int widest = 0, every = 1;
    for (int i = 0; i < count; i++) {
        int width = (snprintf(number, sizeof number, "%.*g", digits, ticks[i]) + 1) * LETTER;
        widest = width > widest ? width : widest;
    }
    while (!x->log && count > 1 && every < count && widest > every * (position_on(x, ticks[1]) - position_on(x, ticks[0])))
        every++;
    return every;
}

static void put_x_ticks(FILE *out, const tri__panel *panel, const axis *x, const axis *y)
{
    double ticks[MOST_TICKS];
    char number[32];
    int count = panel->names ? panel->name_count : x_ticks(panel, x, ticks);
    const double room = panel->names && count > 1 ? position_on(x, 1) - position_on(x, 0) - LETTER : INFINITY;
    const int digits = panel->names ? 1 : digits_of(ticks, count), every = panel->names ? 1 : ticks_a_number(x, ticks, count, digits);
    for (int i = 0; i < count; i++) {
        double value = panel->names ? i : ticks[i], place = position_on(x, value);
        snprintf(number, sizeof number, "%.*g", digits, value);
        fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/>\n", place, y->from);
        if (i % every == 0)
            put_within(out, place, y->from + 17, room, "tick", "middle", LETTER, panel->names ? panel->names[i] : number);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x->from, y->to, y->from, x->to);
}

/* ---- points ---- */

static void put_point(FILE *out, double x, double y, int shape)
{
    switch (shape % SHAPES) {
    case 0:
        fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, y);
        return;
    case 1:
        fprintf(out, "<rect class=\"point\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>\n", x - 3.5, y - 3.5);
        return;
    case 2:
        fprintf(out, "<path class=\"point\" d=\"M%.1f %.1fl4.5 8h-9z\"/>\n", x, y - 5);
        return;
    default:
        fprintf(out, "<path class=\"point\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", x, y - 5);
    }
}

static void put_error_bar(FILE *out, const tri__series *series, int64_t k, double x, const axis *y)
{
    if (!series->low || !series->high || !can_be_shown(y, series->low[k]) || !can_be_shown(y, series->high[k]))
        return;
    double low = position_on(y, series->low[k]), high = position_on(y, series->high[k]);
    if (low - high > 1)
        fprintf(out, "<path class=\"bar\" d=\"M%.1f %.1fV%.1fm-3 0h6M%.1f %.1fh6\"/>\n", x, low, high, x - 3, low);
}

static void put_series(FILE *out, const tri__series *series, int number, const axis *x, const axis *y)
{
    bool begun = false;
    fprintf(out, "<g class=\"c%d%s\">\n", number % COLOURS, series->hollow ? " hollow" : "");
    for (int64_t k = 0; series->joined && k < series->count; k++)
        if (can_be_shown(x, series->x[k]) && can_be_shown(y, series->y[k])) {
            fprintf(out, begun ? "L%.1f %.1f" : "<path class=\"join\" d=\"M%.1f %.1f", position_on(x, series->x[k]),
                    position_on(y, series->y[k]));
            begun = true;
        }
    fputs(begun ? "\"/>\n" : "", out);
    for (int64_t k = 0; k < series->count; k++)
        if (can_be_shown(x, series->x[k]) && can_be_shown(y, series->y[k])) {
            put_error_bar(out, series, k, position_on(x, series->x[k]), y);
            if (!series->bare)
                put_point(out, position_on(x, series->x[k]), position_on(y, series->y[k]), number);
        }
    fputs("</g>\n", out);
}

/* One line for each series, below the x axis. */
static void put_legend(FILE *out, const tri__panel *panel, double left)
{
    double y = HEIGHT;
    for (int i = 0; i < panel->count; i++) {
        const tri__series *series = &panel->series[i];
        if (!series->name)
            continue;
        fprintf(out, "<g class=\"c%d%s\">\n", i % COLOURS, series->hollow ? " hollow" : "");
        if (series->joined)
            fprintf(out, "<path class=\"join\" d=\"M%.1f %.1fh24\"/>\n", left, y - 4);
        if (!series->bare)
            put_point(out, left + 12, y - 4, i);
        put_label(out, left + 32, y, "", series->name);
        fputs("</g>\n", out);
        y += LEGEND;
    }
}

static int legend_lines(const tri__panel *panel)
{
    int lines = 0;
    for (int i = 0; i < panel->count; i++)
        lines += panel->series[i].name != NULL;
    return lines;
}

/* ---- the picture ---- */

/* Draw the part of the fitted line that is inside the axes. It is a curve where an axis is logarithmic. */
static void put_line(FILE *out, const tri__panel *panel, const axis *x, const axis *y)
{
    enum { PIECES = 100 };
    bool begun = false;
    if (isnan(panel->slope) || isnan(panel->intercept))
        return;
    for (int i = 0; i <= PIECES; i++) {
        double place = x->low + (x->high - x->low) * i / PIECES, value = x->log ? pow(10, place) : place;
        double height = panel->intercept + panel->slope * value, at = can_be_shown(y, height) ? position_on(y, height) : NAN;
        if (!(at >= y->to && at <= y->from))
            continue;
        fprintf(out, begun ? "L%.1f %.1f" : "<path class=\"line\" d=\"M%.1f %.1f", position_on(x, value), at);
        begun = true;
    }
    fputs(begun ? "\"/>\n" : "", out);
}

static void put_marks(FILE *out, const tri__panel *panel, const axis *x, const axis *y)
{
    for (int i = 0; i < panel->mark_count; i++) {
        double place = can_be_shown(x, panel->marks[i]) ? position_on(x, panel->marks[i]) : NAN;
        if (place >= x->from && place <= x->to)
            fprintf(out, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/>\n", place, y->from, y->to);
    }
}

static void put_panel(FILE *out, const tri__panel *panel, int number)
{
    double left = number * PANEL, right = panel->second_label ? LEFT : RIGHT, middle = left + (LEFT + PANEL - right) / 2.0;
    axis x = x_axis(panel, left + LEFT, left + PANEL - right), y = y_axis(panel, false), second = y_axis(panel, true);
    put_label(out, middle, TOP - 12, "text-anchor=\"middle\"", panel->title);
    put_y_ticks(out, &y, &x, false);
    put_x_ticks(out, panel, &x, &y);
    put_label(out, middle, HEIGHT - 18, "text-anchor=\"middle\"", panel->x_label);
    put_turned(out, left + 14, (TOP + HEIGHT - BOTTOM) / 2.0, panel->y_label);
    if (panel->second_label) {
        put_y_ticks(out, &second, &x, true);
        fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>\n", x.to, second.from, second.to);
        put_turned(out, left + PANEL - 8, (TOP + HEIGHT - BOTTOM) / 2.0, panel->second_label);
    }
    put_marks(out, panel, &x, &y);
    put_line(out, panel, &x, &y);
    for (int i = 0; i < panel->count; i++)
        put_series(out, &panel->series[i], i, &x, panel->series[i].second ? &second : &y);
    put_legend(out, panel, x.from);
}

static const char style[] =
    "<style>.plot{--ink:#333;--grid:#ddd;--paper:#fff}"
    "@media (prefers-color-scheme:dark){.plot{--ink:#ddd;--grid:#444;--paper:#1b1d20}}@media "
    "print{.plot{--ink:#000;--grid:#ccc;--paper:#fff}}"
    ".plot text{font:12px sans-serif;fill:var(--ink);stroke:none}.plot .title{font-size:15px;font-weight:bold}"
    ".plot .paper{fill:var(--paper)}.plot .axis{stroke:var(--ink);fill:none}.plot .grid{stroke:var(--grid);fill:none}"
    ".plot .c0{stroke:#2b83ba;fill:#2b83ba}.plot .c1{stroke:#d55e00;fill:#d55e00}.plot .c2{stroke:#009e73;fill:#009e73}"
    ".plot .c3{stroke:#cc79a7;fill:#cc79a7}.plot .c4{stroke:#b8860b;fill:#b8860b}.plot .c5{stroke:#7a6fd0;fill:#7a6fd0}"
    ".plot .point{fill-opacity:.75}.plot .hollow .point{fill:none;stroke-width:1.5}.plot .join{fill:none;stroke-width:1.5}"
    ".plot .hollow .join{stroke-dasharray:5 4}.plot .bar{fill:none}.plot .mark{stroke:var(--ink);stroke-dasharray:2 "
    "4;stroke-opacity:.6}.plot .line{stroke:#d62728;stroke-width:2;fill:none}</style>\n";

static void put_picture(FILE *out, const char *title, const tri__panel *panels, int count)
{
    int lines = 0;
    for (int i = 0; i < count; i++)
        lines = legend_lines(&panels[i]) > lines ? legend_lines(&panels[i]) : lines;
    int height = HEIGHT + lines * LEGEND;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n%s",
            count * PANEL, height, count * PANEL, height, style);
    fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", out);
    put_within(out, count * PANEL / 2.0, TITLE, count * PANEL - 10.0, "title", "middle", 9, title);
    for (int i = 0; i < count; i++)
        put_panel(out, &panels[i], i);
    fputs("</svg>\n", out);
}

tri_status tri__plot_draw(const char *title, const tri__panel *panels, int count, char **text)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (out)
        put_picture(out, title, panels, count);
    if (out && !fclose(out))
        return NULL;
    free(*text);
    *text = NULL;
    return tri_fail(TRI_NO_MEMORY, "no memory for the plot '%s'", title);
}

tri_status tri__plot_write(const char *path, const char *title, const tri__panel *panels, int count)
{
    char *text;
    TRI_TRY(tri__plot_draw(title, panels, count, &text));
    tri_status status = tri__file_replace(path, text, strlen(text));
    free(text);
    return status;
}
