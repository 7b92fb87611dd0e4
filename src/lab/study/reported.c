/* reported.c: joins published tables with the cells of a study. */
#include "lab/study/reported.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/nearest.h"
#include "base/text/text_table.h"
#include "lab/study/builtin_studies.h"

enum { LARGEST = 1 << 20 };

typedef struct {
    tri__study *study;
    json_t *block;
    const char *name; /* of the table */
    tri__text_table table;
    int worker;   /* the table's column with the worker's number; −1: none */
    int64_t room; /* of study->reported */
} join;

/* ---- the table ---- */

static tri_status parse_builtin(join *self)
{
    tri__nearest nearest = tri__nearest_of(self->name);
    for (const tri__builtin_text *row = tri__builtin_reported; row->name; row++) {
        if (!strcmp(row->name, self->name))
            return tri__text_table_parse(self->name, row->text, self->study->arena, &self->table);
        tri__nearest_offer(&nearest, row->name);
    }
    char hint[TRI_NEAREST_HINT];
    return tri__study_wrong(self->study, self->name, "no published table is called %s%s", self->name, tri__nearest_hint(&nearest, hint));
}

/* A bare name means a table in the folder `reported` beside the study. */
static tri_status parse_file(join *self)
{
    char *folder = tri__path_parent(self->study->file), *text = NULL;
    const char *name = strpbrk(self->name, "/.") ? self->name : tri__arena_format(self->study->arena, "reported/%s.csv", self->name);
    char *path = folder && name ? tri__path_join(folder, name) : NULL;
    size_t size;
    tri_status status = path ? tri__file_read(path, LARGEST, &text, &size) : tri_fail(TRI_NO_MEMORY, "no memory for a path");
    if (!status)
        status = tri__text_table_parse(path, text, self->study->arena, &self->table);
    free(text);
    free(path);
    free(folder);
    return status;
}

static tri_status find_column(const join *self, const char *name, int *out)
{
    tri__nearest nearest = tri__nearest_of(name);
    *out = tri__text_table_find_column(&self->table, name);
    for (int i = 0; i < self->table.columns; i++)
        tri__nearest_offer(&nearest, self->table.names[i]);
    char hint[TRI_NEAREST_HINT];
    return *out >= 0 ? NULL
                     : tri__study_wrong(self->study, name, "%s has no column %s%s", self->name, name, tri__nearest_hint(&nearest, hint));
}

/* ---- which rows go with which cells ---- */

static const char *text_in(const json_t *block, const char *part, const char *key)
{
    return json_string_value(json_object_get(json_object_get(block, part), key));
}

/* The factor's value for a word of the table, by the study's `values`. */
static const char *translated(const join *self, const char *factor, const char *word)
{
    const char *other = text_in(json_object_get(self->block, "values"), factor, word);
    return other ? other : word;
}

static bool row_counts(const join *self, int64_t row)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(self->block, "where"), name, value)
    {
        int column = tri__text_table_find_column(&self->table, name);
        if (column >= 0 && !tri__text_table_same_cell(tri__text_table_cell(&self->table, row, column), json_string_value(value)))
            return false;
    }
    return true;
}

static bool row_is_of_cell(const join *self, int64_t row, int cell)
{
    const tri__study *study = self->study;
    for (int i = 0; i < study->factor_count; i++) {
        const char *factor = study->factors[i], *value = tri__study_value(study, cell, i), *key = text_in(self->block, "keys", factor);
        const char *fixed = text_in(self->block, "at", factor);
        int column = tri__text_table_find_column(&self->table, key ? key : factor);
        if (fixed ? !tri__text_table_same_cell(fixed, value)
                  : column >= 0 &&
                        !tri__text_table_same_cell(translated(self, factor, tri__text_table_cell(&self->table, row, column)), value))
            return false;
    }
    return true;
}

/* ---- numbers ---- */

static tri_status add_number(join *self, tri__reported like)
{
    tri__study *study = self->study;
    if (study->reported_count == self->room) {
        int64_t room = self->room ? 2 * self->room : 64;
        tri__reported *larger = tri__arena_alloc(study->arena, (size_t)room * sizeof *larger);
        if (!larger)
            return tri_fail(TRI_NO_MEMORY, "no memory for published figures");
        if (study->reported_count)
            memcpy(larger, study->reported, (size_t)study->reported_count * sizeof *larger);
        study->reported = larger;
        self->room = room;
    }
    study->reported[study->reported_count++] = like;
    return NULL;
}

/* Whose number a row has: a host's, a worker's, or "", the run's. NULL when memory is short. */
static const char *task_of(const join *self, int64_t row, const char *host)
{
    const char *worker = self->worker < 0 ? "" : tri__text_table_cell(&self->table, row, self->worker);
    return *worker ? tri__arena_format(self->study->arena, "worker%s", worker) : host ? host : "";
}

/* host: whose numbers these are; NULL: those of workers or of runs. */
static tri_status add_column(join *self, const char *name, const char *in_table, const char *host)
{
    const tri__study *study = self->study;
    const tri__scope scope = host ? TRI_SCOPE_HOST : self->worker >= 0 ? TRI_SCOPE_WORKER : TRI_SCOPE_RUN;
    int from, column = tri__study_column_find(study, scope, name);
    if (column < 0)
        return tri__study_wrong(study, name, "reported: the study has no %scolumn %s", host ? "host " : "", name);
    TRI_TRY(find_column(self, in_table, &from));
    for (int64_t row = 0; row < self->table.rows; row++)
        for (int cell = 0; cell < study->cell_count; cell++) {
            double number = tri__text_table_number(tri__text_table_cell(&self->table, row, from));
            if (isnan(number) || !row_counts(self, row) || !row_is_of_cell(self, row, cell))
                continue;
            const char *task = task_of(self, row, host);
            if (!task)
                return tri_fail(TRI_NO_MEMORY, "no memory for published figures");
            TRI_TRY(add_number(self, (tri__reported){.cell = cell, .column = column, .task = task, .number = number}));
        }
    return NULL;
}

/* `hosts`: from hosts to the table's columns, all with numbers of one column of the study. */
static tri_status add_hosts(join *self)
{
    const char *host, *column = json_string_value(json_object_get(self->block, "column"));
    json_t *in_table, *hosts = json_object_get(self->block, "hosts");
    if (!column != !hosts)
        return tri__study_wrong(self->study, hosts ? "hosts" : "column", "reported: hosts and column go together");
    json_object_foreach(hosts, host, in_table) TRI_TRY(add_column(self, column, json_string_value(in_table), host));
    return NULL;
}

static tri_status read_block(join *self)
{
    const char *name, *worker = json_string_value(json_object_get(self->block, "worker"));
    json_t *in_table;
    self->name = json_string_value(json_object_get(self->block, "file"));
    self->worker = -1;
    if (!self->name)
        return tri__study_wrong(self->study, "reported", "reported: expected a file, the table that was published");
    TRI_TRY(self->study->builtin ? parse_builtin(self) : parse_file(self));
    if (worker)
        TRI_TRY(find_column(self, worker, &self->worker));
    json_object_foreach(json_object_get(self->block, "columns"), name, in_table)
        TRI_TRY(add_column(self, name, json_is_string(in_table) ? json_string_value(in_table) : name, NULL));
    return add_hosts(self);
}

tri_status tri__study_read_reported(tri__study *study)
{
    json_t *reported = json_object_get(study->document, "reported"), *block;
    join self = {.study = study, .block = reported};
    size_t index;
    if (json_is_object(reported))
        return read_block(&self);
    json_array_foreach(reported, index, block)
    {
        self.block = block;
        TRI_TRY(read_block(&self));
    }
    return NULL;
}

double tri__study_reported(const tri__study *study, int cell, int column, const char *task)
{
    for (int i = 0; i < study->reported_count; i++) {
        const tri__reported *one = &study->reported[i];
        if (one->cell == cell && one->column == column && !strcmp(one->task, task))
            return one->number;
    }
    return NAN;
}
