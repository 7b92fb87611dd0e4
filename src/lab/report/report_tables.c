/* report_tables.c: tables of medians with their spread, and of published figures beside them. */
#include "lab/report/report_tables.h"

#include <math.h>
#include <string.h>

#include "lab/figures/statistics.h"
#include "lab/results/numbers.h"
#include "lab/study/reported.h"

enum { MOST_COLUMNS = 40, MOST_TASKS = 64 };

typedef struct {
    const tri__results *results;
    const tri__study *study;
    const json_t *spec;
    tri__arena *arena;
    tri__scope scope;
    int factors[MOST_COLUMNS], factor_count;
    int columns[MOST_COLUMNS], column_count;
    bool published[MOST_COLUMNS]; /* the column has published figures */
    const char *cells[MOST_COLUMNS * 3];
    int used;
} table;

const char *tri__report_number(double number, int digits, char *text, size_t size)
{
    if (isnan(number))
        snprintf(text, size, "–");
    else if (digits >= 0)
        snprintf(text, size, "%.*f", digits, number);
    else
        snprintf(text, size, fabs(number) >= 1000 ? "%.0f" : "%.4g", number);
    return text;
}

static void add(table *self, const char *text)
{
    if (self->used < MOST_COLUMNS * 3)
        self->cells[self->used++] = text ? text : "";
}

/* ---- which columns ---- */

static bool is_published(const tri__study *study, int column)
{
    for (int i = 0; i < study->reported_count; i++)
        if (study->reported[i].column == column)
            return true;
    return false;
}

static tri_status pick_columns(table *self)
{
    const char *by = json_string_value(json_object_get(self->spec, "by"));
    size_t index;
    json_t *name;
    self->scope = !by ? TRI_SCOPE_RUN : !strcmp(by, "host") ? TRI_SCOPE_HOST : TRI_SCOPE_WORKER;
    json_array_foreach(json_object_get(self->spec, "rows"), index, name)
    {
        int factor = tri__study_factor(self->study, json_string_value(name));
        if (self->factor_count == MOST_COLUMNS)
            return tri__study_wrong(self->study, "tables", "tables: rows: at most %d factors", MOST_COLUMNS);
        self->factors[self->factor_count++] = factor;
    }
    json_array_foreach(json_object_get(self->spec, "columns"), index, name)
    {
        int column = tri__study_column_find(self->study, self->scope, json_string_value(name));
        if (self->column_count == MOST_COLUMNS)
            return tri__study_wrong(self->study, "tables", "tables: at most %d columns", MOST_COLUMNS);
        self->published[self->column_count] = is_published(self->study, column);
        self->columns[self->column_count++] = column;
    }
    return NULL;
}

static void put_head(table *self, tri__markup *markup)
{
    self->used = 0;
    for (int i = 0; i < self->factor_count; i++)
        add(self, self->study->factors[self->factors[i]]);
    if (self->scope != TRI_SCOPE_RUN)
        add(self, self->scope == TRI_SCOPE_WORKER ? "worker" : "host");
    for (int i = 0; i < self->column_count; i++) {
        add(self, self->study->columns[self->columns[i]].label);
        if (self->study->repeats > 1)
            add(self, "spread");
        if (self->published[i])
            add(self, "published");
    }
    tri__markup_table_begin(markup, self->cells, self->used);
}

/* ---- rows ---- */

static tri_status add_numbers(table *self, int cell, const char *task, bool *known)
{
    for (int i = 0; i < self->column_count; i++) {
        const tri__study_column *column = &self->study->columns[self->columns[i]];
        char middle[32], low[32], high[32];
        tri__number_list all;
        TRI_TRY(tri__cell_numbers(self->results, cell, self->columns[i], task, self->arena, &all));
        double median = tri__median(all.number, all.count), published = tri__study_reported(self->study, cell, self->columns[i], task);
        *known = *known || !isnan(median) || !isnan(published);
        add(self, tri__arena_copy(self->arena, tri__report_number(median, column->digits, middle, sizeof middle)));
        if (self->study->repeats > 1)
            add(self, tri__arena_format(self->arena, "%s … %s",
                                        tri__report_number(tri__quantile(all.number, all.count, 0), column->digits, low, sizeof low),
                                        tri__report_number(tri__quantile(all.number, all.count, 1), column->digits, high, sizeof high)));
        if (self->published[i])
            add(self, tri__arena_copy(self->arena, tri__report_number(published, -1, middle, sizeof middle)));
    }
    return NULL;
}

static tri_status put_row(table *self, tri__markup *markup, int cell, const char *task, const char *shown)
{
    bool known = false;
    self->used = 0;
    for (int i = 0; i < self->factor_count; i++)
        add(self, tri__study_value(self->study, cell, self->factors[i]));
    if (self->scope != TRI_SCOPE_RUN)
        add(self, tri__arena_copy(self->arena, shown));
    TRI_TRY(add_numbers(self, cell, task, &known));
    if (known || self->scope == TRI_SCOPE_RUN)
        tri__markup_table_row(markup, self->cells, self->used);
    return NULL;
}

/* The first result of a cell, which lists the tasks. */
static const json_t *first_result(const tri__results *results, int cell)
{
    for (int64_t i = 0; i < tri__results_count(results); i++)
        if (tri__results_at(results, i)->cell == cell && tri__results_at(results, i)->result)
            return tri__results_at(results, i)->result;
    return NULL;
}

static tri_status put_cell(table *self, tri__markup *markup, int cell)
{
    const json_t *result = first_result(self->results, cell), *task;
    if (self->scope == TRI_SCOPE_RUN)
        return put_row(self, markup, cell, "", "");
    for (int i = 0; i < MOST_TASKS && (task = tri__result_task(result, self->scope, i)); i++) {
        char shown[64], word[64];
        tri__result_task_name(task, self->scope, shown, sizeof shown);
        TRI_TRY(put_row(self, markup, cell, tri__result_task_word(task, self->scope, word, sizeof word), shown));
    }
    return NULL;
}

static tri_status put_table(table *self, tri__markup *markup)
{
    const char *title = json_string_value(json_object_get(self->spec, "title"));
    TRI_TRY(pick_columns(self));
    tri__markup_heading(markup, title ? title : "Results");
    put_head(self, markup);
    for (int cell = 0; cell < self->study->cell_count; cell++)
        if (tri__study_cell_is_at(self->study, cell, json_object_get(self->spec, "at")))
            TRI_TRY(put_cell(self, markup, cell));
    tri__markup_table_end(markup);
    return NULL;
}

tri_status tri__report_table(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup)
{
    table self = {.results = results, .study = tri__results_study(results), .spec = spec, .arena = arena};
    return put_table(&self, markup);
}
