/* report_fits.c: least squares over all measurements. */
#include "lab/report/report_fits.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "base/text/text_table.h"
#include "lab/figures/regression.h"
#include "lab/report/report_tables.h"
#include "lab/results/numbers.h"

typedef struct {
    const tri__results *results;
    const tri__study *study;
    const json_t *spec;
    tri__arena *arena;
    int column;
    int factors[TRI_MOST_REGRESSORS], count;
    double *x, *y; /* [rows][count], [rows] */
    int64_t rows;
} fits;

static tri_status pick(fits *self)
{
    const char *y = json_string_value(json_object_get(self->spec, "y"));
    size_t index;
    json_t *name;
    self->column = tri__study_column_find(self->study, TRI_SCOPE_RUN, y);
    json_array_foreach(json_object_get(self->spec, "x"), index, name)
    {
        if (self->count == TRI_MOST_REGRESSORS)
            return tri__study_wrong(self->study, "fits", "fits: x is a list of at most %d factors", TRI_MOST_REGRESSORS);
        self->factors[self->count++] = tri__study_factor(self->study, json_string_value(name));
    }
    return NULL;
}

static tri_status gather(fits *self)
{
    size_t room = (size_t)tri__results_count(self->results) + 1;
    self->x = tri__arena_alloc(self->arena, room * (size_t)(self->count + 1) * sizeof *self->x);
    self->y = tri__arena_alloc(self->arena, room * sizeof *self->y);
    if (!self->x || !self->y)
        return tri_fail(TRI_NO_MEMORY, "no memory for a regression");
    for (int64_t i = 0; i < tri__results_count(self->results); i++) {
        const tri__measurement *one = tri__results_at(self->results, i);
        double y = one->result && tri__study_cell_is_at(self->study, one->cell, json_object_get(self->spec, "at"))
                       ? tri__measured_number(self->study, one, self->column, one->result)
                       : NAN;
        if (isnan(y))
            continue;
        for (int j = 0; j < self->count; j++)
            self->x[self->rows * self->count + j] = tri__text_table_number(tri__study_value(self->study, one->cell, self->factors[j]));
        self->y[self->rows++] = y;
    }
    return NULL;
}

static void put_fit(tri__markup *markup, const char *how, const char *name, const tri__regression *fit, int column)
{
    char text[5][32];
    const double numbers[] = {fit->column[column].slope, fit->column[column].error, fit->column[column].t, fit->column[column].p, fit->r2};
    const char *cells[7] = {how, name};
    for (int i = 0; i < 5; i++)
        cells[2 + i] = tri__report_number(numbers[i], -1, text[i], sizeof text[i]);
    tri__markup_table_row(markup, cells, 7);
}

/* Fit one factor alone. A constant factor cannot be fitted, and is not shown. */
static void put_alone(const fits *self, tri__markup *markup, int factor)
{
    double *x = tri__arena_alloc(self->arena, (size_t)(self->rows + 1) * sizeof *x);
    tri__regression fit;
    bool positive = true;
    const char *name = self->study->factors[self->factors[factor]];
    for (int64_t i = 0; x && i < self->rows; i++) {
        x[i] = self->x[i * self->count + factor];
        positive = positive && x[i] > 0;
    }
    tri_status status = x ? tri__regression_fit(x, self->y, self->rows, 1, &fit) : tri_fail(TRI_NO_MEMORY, "no memory");
    if (!status)
        put_fit(markup, "alone", name, &fit, 0);
    if (!status && fit.column[0].p > 0.05 && positive) {
        for (int64_t i = 0; i < self->rows; i++)
            x[i] = log(x[i]);
        status = tri__regression_fit(x, self->y, self->rows, 1, &fit);
        if (!status)
            put_fit(markup, "alone, logarithm", name, &fit, 0);
    }
    tri_status_free(status);
}

/* Fit all factors together. F = (R²/k)/((1 − R²)/freedom) says whether they explain anything. */
static void put_together(const fits *self, tri__markup *markup)
{
    tri__regression fit;
    tri_status status = self->count > 1 ? tri__regression_fit(self->x, self->y, self->rows, self->count, &fit)
                                        : tri_fail(TRI_BAD_CALL, "one factor has nothing to go together with");
    for (int j = 0; j < self->count && !status; j++)
        put_fit(markup, "together", self->study->factors[self->factors[j]], &fit, j);
    tri__markup_table_end(markup);
    if (!status && fit.freedom > 0) {
        char text[200];
        double f = fit.r2 / self->count / ((1 - fit.r2) / (double)fit.freedom);
        snprintf(text, sizeof text, "All factors together: F = %.4g with %d and %lld degrees of freedom, p = %.3g.", f, self->count,
                 (long long)fit.freedom, tri__fisher_p(f, self->count, (double)fit.freedom));
        tri__markup_paragraph(markup, text);
    }
    tri_status_free(status);
}

/* "Regression of images/s, source=photos" */
static void put_title(const fits *self, tri__markup *markup)
{
    char title[400];
    const char *factor;
    json_t *value;
    tri__text text;
    tri__text_init(&text, title, sizeof title);
    tri__text_add(&text, "Regression of %s", self->study->columns[self->column].label);
    json_object_foreach(json_object_get(self->spec, "at"), factor, value)
    {
        tri__text_add(&text, ", %s=%s", factor, json_string_value(value));
    }
    tri__markup_heading(markup, title);
}

static tri_status put_fits(fits *self, tri__markup *markup)
{
    static const char *const names[] = {"fitted", "factor", "slope", "standard error", "t", "p", "R²"};
    TRI_TRY(pick(self));
    TRI_TRY(gather(self));
    put_title(self, markup);
    tri__markup_table_begin(markup, names, 7);
    for (int j = 0; j < self->count; j++)
        put_alone(self, markup, j);
    put_together(self, markup);
    return NULL;
}

tri_status tri__report_fit(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup)
{
    fits self = {.results = results, .study = tri__results_study(results), .spec = spec, .arena = arena};
    return put_fits(&self, markup);
}
