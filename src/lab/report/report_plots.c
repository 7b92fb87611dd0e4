/* report_plots.c: makes series from columns, and draws them. */
#include "lab/report/report_plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "lab/figures/plot.h"
#include "lab/figures/regression.h"
#include "lab/figures/statistics.h"
#include "lab/results/numbers.h"
#include "lab/study/reported.h"

#define MANY_TIMES 4.0

typedef struct {
    const tri__results *results;
    const tri__study *study;
    const json_t *spec;
    tri__arena *arena;
    int x, split;       /* factors: of the x axis, and of the lines; split −1: one line for all cells */
    const char **names; /* the values of x, where they are not numbers, in their order */
    int name_count;
    tri__series series[TRI_MOST_SERIES];
    int count;
} plot;

static tri_status no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for a plot");
}

static const char *text_of(const plot *self, const char *key)
{
    return json_string_value(json_object_get(self->spec, key));
}

/* ---- x ---- */

/* The place of a cell on the x axis: its number, or the index of its name. */
static double x_of(plot *self, int cell)
{
    const char *value = tri__study_value(self->study, cell, self->x);
    if (!self->names)
        return tri__text_table_number(value);
    int i = 0;
    while (i < self->name_count && strcmp(self->names[i], value))
        i++;
    if (i == self->name_count)
        self->names[self->name_count++] = value;
    return i;
}

static tri_status settle_x(plot *self)
{
    bool numbers = true;
    for (int cell = 0; cell < self->study->cell_count; cell++)
        numbers = numbers && !isnan(tri__text_table_number(tri__study_value(self->study, cell, self->x)));
    if (numbers)
        return NULL;
    self->names = tri__arena_alloc(self->arena, (size_t)self->study->cell_count * sizeof *self->names);
    return self->names ? NULL : no_memory();
}

static bool is_selected(const plot *self, int cell, const char *level)
{
    return (!level || !strcmp(tri__study_value(self->study, cell, self->split), level)) &&
           tri__study_cell_is_at(self->study, cell, json_object_get(self->spec, "at"));
}

/* ---- series ---- */

typedef struct {
    double *x, *y, *low, *high;
} points;

static tri_status allocate(plot *self, points *out)
{
    size_t room = (size_t)self->study->cell_count;
    double *memory = tri__arena_alloc(self->arena, 4 * room * sizeof *memory);
    *out = (points){memory, memory + room, memory + 2 * room, memory + 3 * room};
    return memory ? NULL : no_memory();
}

static tri_status add_series(plot *self, int column, const char *level, bool published, tri__series like)
{
    points at = {0};
    TRI_TRY(allocate(self, &at));
    for (int cell = 0; cell < self->study->cell_count; cell++) {
        tri__number_list all;
        if (!is_selected(self, cell, level))
            continue;
        TRI_TRY(tri__cell_numbers(self->results, cell, column, "", self->arena, &all));
        double theirs = tri__study_reported(self->study, cell, column, "");
        at.x[like.count] = x_of(self, cell);
        at.y[like.count] = published ? theirs : tri__median(all.number, all.count);
        at.low[like.count] = tri__quantile(all.number, all.count, 0);
        at.high[like.count] = tri__quantile(all.number, all.count, 1);
        like.count += !isnan(at.y[like.count]);
    }
    like.x = at.x, like.y = at.y;
    if (!published)
        like.low = at.low, like.high = at.high;
    if (like.count && self->count < TRI_MOST_SERIES)
        self->series[self->count++] = like;
    return NULL;
}

static tri_status add_column(plot *self, const char *name, const char *level, bool second)
{
    int column = tri__study_column_find(self->study, TRI_SCOPE_RUN, name);
    const char *label = self->study->columns[column].label;
    const char *shown = level ? tri__arena_format(self->arena, "%s: %s, %s", label, self->study->factors[self->split], level) : label;
    const char *theirs = tri__arena_format(self->arena, "published %s", shown);
    bool joined = !text_of(self, "fit");
    TRI_TRY(add_series(self, column, level, false, (tri__series){.name = shown, .joined = joined, .second = second}));
    return add_series(self, column, level, true, (tri__series){.name = theirs, .joined = joined, .second = second, .hollow = true});
}

/* Add a series for each value of the factor `split`. */
static tri_status add_levels(plot *self, const char *name, bool second)
{
    if (self->split < 0)
        return add_column(self, name, NULL, second);
    for (int cell = 0; cell < self->study->cell_count; cell++) {
        const char *level = tri__study_value(self->study, cell, self->split);
        bool seen = !is_selected(self, cell, NULL);
        for (int before = 0; before < cell; before++)
            seen = seen || (is_selected(self, before, NULL) && !strcmp(tri__study_value(self->study, before, self->split), level));
        if (!seen)
            TRI_TRY(add_column(self, name, level, second));
    }
    return NULL;
}

static tri_status add_all(plot *self)
{
    const json_t *y = json_object_get(self->spec, "y");
    size_t index;
    json_t *name;
    if (json_is_string(y))
        TRI_TRY(add_levels(self, json_string_value(y), false));
    json_array_foreach((json_t *)(uintptr_t)y, index, name) TRI_TRY(add_levels(self, json_string_value(name), false));
    return text_of(self, "second") ? add_levels(self, text_of(self, "second"), true) : NULL;
}

/* ---- the picture ---- */

static const char *label_of(const plot *self, const char *name)
{
    int column = name ? tri__study_column_find(self->study, TRI_SCOPE_RUN, name) : -1;
    return column >= 0 ? self->study->columns[column].label : name;
}

/* Fit the line through all of our points. */
static void fit(const plot *self, tri__panel *panel)
{
    tri__regression line;
    panel->slope = panel->intercept = NAN;
    if (!text_of(self, "fit"))
        return;
    tri_status status = tri__regression_fit(self->series[0].x, self->series[0].y, self->series[0].count, 1, &line);
    if (!status)
        panel->slope = line.column[0].slope, panel->intercept = line.intercept;
    tri_status_free(status);
}

/* The largest number of the published series, or of our own. */
static double largest(const plot *self, bool published)
{
    double most = 0;
    for (int i = 0; i < self->count; i++)
        for (int64_t k = 0; self->series[i].hollow == published && k < self->series[i].count; k++)
            most = fmax(most, fabs(self->series[i].y[k]));
    return most;
}

/* Published figures that are many times as large as ours, or as small, get the right axis. On one axis the smaller ones would be flat. */
static void part_axes(plot *self, tri__panel *panel)
{
    const double theirs = largest(self, true), ours = largest(self, false);
    if (panel->second_label || panel->log_y || theirs <= 0 || ours <= 0 || fmax(theirs / ours, ours / theirs) < MANY_TIMES)
        return;
    for (int i = 0; i < self->count; i++)
        self->series[i].second = self->series[i].hollow;
    panel->from_zero = true;
    panel->second_label = tri__arena_format(self->arena, "published %s", panel->y_label);
}

static tri_status draw(plot *self, tri__markup *markup)
{
    const char *log = text_of(self, "log"), *title = text_of(self, "title"), *first = text_of(self, "y");
    if (!first)
        first = json_string_value(json_array_get(json_object_get(self->spec, "y"), 0));
    tri__panel panel = {.title = "",
                        .x_label = self->study->factors[self->x],
                        .y_label = label_of(self, first),
                        .second_label = label_of(self, text_of(self, "second")),
                        .series = self->series,
                        .count = self->count,
                        .log_x = log && strchr(log, 'x') && !self->names,
                        .log_y = log && strchr(log, 'y'),
                        .names = self->names,
                        .name_count = self->name_count};
    char *svg;
    fit(self, &panel);
    part_axes(self, &panel);
    TRI_TRY(tri__plot_draw(title ? title : "", &panel, 1, &svg));
    tri_status status = tri__markup_picture(markup, title ? title : "plot", svg);
    free(svg);
    return status;
}

static tri_status put_plot(plot *self, tri__markup *markup)
{
    const char *x = text_of(self, "x"), *split = text_of(self, "series");
    self->x = x ? tri__study_factor(self->study, x) : -1;
    self->split = split ? tri__study_factor(self->study, split) : -1;
    TRI_TRY(settle_x(self));
    TRI_TRY(add_all(self));
    return self->count ? draw(self, markup) : NULL;
}

tri_status tri__report_plot(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup)
{
    plot self = {.results = results, .study = tri__results_study(results), .spec = spec, .arena = arena};
    return put_plot(&self, markup);
}
