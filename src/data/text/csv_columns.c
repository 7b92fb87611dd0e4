/* csv_columns.c: writes columns as text, reads them, and finds the column of each field in a file. */
#include "data/text/csv_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/json.h"
#include "base/memory/memory.h"

static const char *const kind_names[] = {
    [TRI_COLUMN_NUMBER] = "number", [TRI_COLUMN_CATEGORY] = "category", [TRI_COLUMN_LEFT_OUT] = "left out", [TRI_COLUMN_LABEL] = "label"};

void tri__csv_columns_fini(tri__csv_columns *columns)
{
    tri__arena_destroy(columns->arena);
    *columns = (tri__csv_columns){0};
}

int64_t tri__csv_category(const tri__csv_column *column, const tri__csv_field *field)
{
    char text[TRI_CSV_VALUE_SIZE];
    float number = 0;
    if (field->size >= sizeof text || (column->value && !tri__csv_field_number(field, &number)))
        return -1;
    tri__csv_field_text(field, text);
    if (!column->value && tri__csv_field_missing(field))
        text[0] = '\0';
    int64_t low = 0, high = column->categories;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const bool below = column->value ? column->value[middle] < number : strcmp(column->category[middle], text) < 0;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    const bool found = low < column->categories && (column->value ? column->value[low] == number : !strcmp(column->category[low], text));
    return found ? low : -1;
}

/* ---- as text ---- */

static tri_status broken(const char *spec)
{
    return tri_fail(TRI_BAD_DATA, "%s: the columns that the model was trained on cannot be read (damaged, or written by another version?)",
                    spec);
}

static tri_status no_memory(const char *spec)
{
    return tri_fail(TRI_NO_MEMORY, "%s: out of memory for its columns", spec);
}

/* words: the categories of a column, or the classes of a label. */
static tri_status read_words(tri__arena *arena, const char *spec, const json_t *words, const json_t *values, tri__csv_column *out)
{
    const size_t count = json_array_size(words);
    float *value = json_is_array(values) ? tri__arena_alloc(arena, count * sizeof *value + 1) : NULL;
    out->category = tri__arena_alloc(arena, count * sizeof *out->category + 1);
    if (!out->category || (json_is_array(values) && !value))
        return no_memory(spec);
    if (value && json_array_size(values) != count)
        return broken(spec);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (!word || strlen(word) >= TRI_CSV_VALUE_SIZE)
            return broken(spec);
        out->category[i] = tri__arena_copy(arena, word);
        if (!out->category[i])
            return no_memory(spec);
        if (value)
            value[i] = (float)json_number_value(json_array_get(values, i));
    }
    out->value = value;
    out->categories = (int64_t)count;
    return NULL;
}

static tri_status read_column(tri__csv_columns *columns, const char *spec, const json_t *object, tri__csv_column *out)
{
    const char *name = json_string_value(json_object_get(object, "name")), *kind = json_string_value(json_object_get(object, "kind"));
    int found = 0;
    while (kind && found <= TRI_COLUMN_LABEL && strcmp(kind, kind_names[found]) != 0)
        found++;
    if (!name || !kind || found > TRI_COLUMN_LABEL)
        return broken(spec);
    out->name = tri__arena_copy(columns->arena, name);
    out->kind = (tri__column_kind)found;
    out->mean = (float)json_number_value(json_object_get(object, "mean"));
    if (!out->name)
        return no_memory(spec);
    return read_words(columns->arena, spec, json_object_get(object, "categories"), json_object_get(object, "values"), out);
}

void tri__csv_columns_place(tri__csv_columns *columns)
{
    columns->features = columns->label_columns = 0;
    columns->label = NULL;
    for (int64_t i = 0; i < columns->columns; i++) {
        tri__csv_column *column = &columns->column[i];
        column->first = column->kind == TRI_COLUMN_LABEL ? columns->label_columns : columns->features;
        columns->label = columns->label || column->kind != TRI_COLUMN_LABEL ? columns->label : column;
        columns->label_columns += column->kind == TRI_COLUMN_LABEL;
        columns->features += column->kind == TRI_COLUMN_NUMBER ? 1 : column->kind == TRI_COLUMN_CATEGORY ? column->categories : 0;
    }
}

static tri_status read_all(const char *spec, const json_t *value, tri__csv_columns *out)
{
    const json_t *list = json_object_get(value, "columns");
    const int64_t labels = tri__json_integer_of(value, "labels", -1);
    out->columns = (int64_t)json_array_size(list);
    if (out->columns < 2 || out->columns > TRI_CSV_COLUMNS || labels < TRI_LABEL_CLASS || labels > TRI_LABEL_SET)
        return broken(spec);
    out->labels = (tri_label_kind)labels;
    out->column = tri__arena_alloc(out->arena, (size_t)out->columns * sizeof *out->column);
    if (!out->column)
        return no_memory(spec);
    for (int64_t i = 0; i < out->columns; i++)
        TRI_TRY(read_column(out, spec, json_array_get(list, (size_t)i), &out->column[i]));
    tri__csv_columns_place(out);
    const bool labelled = out->label && (out->labels != TRI_LABEL_CLASS || out->label->categories > 0);
    return out->features > 0 && labelled ? NULL : broken(spec);
}

tri_status tri__csv_columns_read(const char *spec, const char *text, tri__csv_columns *out)
{
    json_t *value = NULL;
    *out = (tri__csv_columns){0};
    TRI_TRY(tri__json_parse("the columns of a table", text, strlen(text), &value));
    tri_status status = tri__arena_create(&out->arena);
    if (!status)
        status = read_all(spec, value, out);
    if (!status && !(out->text = tri__arena_copy(out->arena, text)))
        status = no_memory(spec);
    json_decref(value);
    if (status)
        tri__csv_columns_fini(out);
    return status;
}

/* NULL if a name or a category is not UTF-8, or memory is short. */
static json_t *column_json(const tri__csv_column *column)
{
    json_t *object = json_pack("{s:s, s:s}", "name", column->name, "kind", kind_names[column->kind]);
    json_t *words = json_array(), *values = json_array();
    int failed = 0;
    for (int64_t i = 0; i < column->categories; i++) {
        failed |= json_array_append_new(words, json_string(column->category[i]));
        if (column->value)
            failed |= json_array_append_new(values, json_real(column->value[i]));
    }
    if (column->kind == TRI_COLUMN_NUMBER)
        failed |= json_object_set_new(object, "mean", json_real(column->mean));
    if (column->categories)
        failed |= json_object_set(object, "categories", words);
    if (column->value)
        failed |= json_object_set(object, "values", values);
    json_decref(words);
    json_decref(values);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

tri_status tri__csv_columns_finish(tri__csv_columns *columns, const char *spec)
{
    tri__csv_columns_place(columns);
    if (columns->features == 0)
        return tri_fail(TRI_BAD_DATA, "%s: no column is left that a model can learn from", spec);
    json_t *list = json_array();
    int failed = 0;
    for (int64_t i = 0; i < columns->columns; i++)
        failed |= json_array_append_new(list, column_json(&columns->column[i]));
    json_t *value = json_pack("{s:i, s:o}", "labels", (int)columns->labels, "columns", list);
    char *text = value && !failed ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(value);
    columns->text = text ? tri__arena_copy(columns->arena, text) : NULL;
    free(text);
    return columns->text
               ? NULL
               : tri_fail(TRI_BAD_DATA, "%s: a name or a category is not text in UTF-8 (iconv -t UTF-8), or memory is short", spec);
}

tri_status tri__csv_columns_note(const tri__csv_columns *columns, const char *spec, char **out)
{
    char text[512] = "";
    int64_t left = 0;
    size_t used = 0;
    *out = NULL;
    if (columns->unsure)
        used += (size_t)snprintf(text, sizeof text, "the first line is taken %s (if that is wrong, put a line of words above it)",
                                 columns->header ? "for the names of the columns" : "for an example, as the others");
    if (columns->missing)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s%" PRId64 " value%s missing: a number counts as its column's mean, a category as one of its own",
                                 used ? "; " : "", columns->missing, columns->missing == 1 ? " is" : "s are");
    if (columns->all_different)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "%sno value of column %.64s comes twice: what a model learns from it does not hold for other examples (leave "
                             "the column out)",
                             used ? "; " : "", columns->all_different);
    for (int64_t i = 0; i < columns->columns; i++)
        if (columns->column[i].kind == TRI_COLUMN_LEFT_OUT && left++ == 0 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%scolumn %.64s is left out: it has more than %d categories, or one of %d bytes or more",
                                     used ? "; " : "", columns->column[i].name, TRI_CSV_CATEGORIES, TRI_CSV_VALUE_SIZE);
    if (left > 1 && used < sizeof text)
        snprintf(text + used, sizeof text - used, ", and %" PRId64 " more like it", left - 1);
    if (!*text)
        return NULL;
    const size_t size = strlen(spec) + strlen(text) + 3;
    TRI_TRY(tri__allocate(size, 1, "a note", out));
    snprintf(*out, size, "%s: %s", spec, text);
    return NULL;
}

/* ---- a file's fields ---- */

const char *tri__csv_column_name(const tri__csv_field *field, int64_t number, char room[TRI_CSV_VALUE_SIZE])
{
    if (field->size >= TRI_CSV_VALUE_SIZE)
        return NULL;
    if (field->size > 0)
        return tri__csv_field_text(field, room);
    snprintf(room, TRI_CSV_VALUE_SIZE, "column %" PRId64, number + 1);
    return room;
}

/* The column that a field of the header names, or −1. guess: the field's number, which mostly is also the column's. */
static int64_t find_name(const tri__csv_columns *columns, const tri__csv_field *field, int64_t guess)
{
    char room[TRI_CSV_VALUE_SIZE];
    const char *text = tri__csv_column_name(field, guess, room);
    if (!text)
        return -1;
    if (guess < columns->columns && !strcmp(columns->column[guess].name, text))
        return guess;
    for (int64_t i = 0; i < columns->columns; i++)
        if (!strcmp(columns->column[i].name, text))
            return i;
    return -1;
}

static tri_status bind_names(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *out)
{
    const char *data = (const char *)file->content.data, *end = data + file->content.size, *at = tri__csv_first_line(data, end);
    bool last = false;
    for (int64_t i = 0; i < out->look.fields && !last; i++) {
        tri__csv_field field;
        if (tri__csv_next(&at, end, out->look.separator, &field, &last))
            return tri_fail(TRI_BAD_DATA, "%s: line 1: the names of the columns cannot be read", file->path);
        out->column[i] = find_name(columns, &field, i);
    }
    return NULL;
}

/* Whether a first line that looked like an example is a header: it has the names of the columns. */
static bool is_header_after_all(const tri__csv_columns *columns, const tri__record_file *file, const tri__csv_look *look)
{
    const char *data = (const char *)file->content.data, *end = data + file->content.size, *at = tri__csv_first_line(data, end);
    bool last = false;
    for (int64_t i = 0; look->unsure && !last; i++) {
        tri__csv_field field;
        if (tri__csv_next(&at, end, look->separator, &field, &last) || find_name(columns, &field, i) < 0)
            return false;
    }
    return look->unsure;
}

/* Bind a file without names: its fields are all columns in their order, or all but the labels. */
static tri_status bind_positions(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *out)
{
    const bool all = out->look.fields == columns->columns;
    if (!all && out->look.fields != columns->columns - columns->label_columns)
        return tri_fail(TRI_BAD_DATA, "%s: lines of %" PRId64 " field%s, where %s%s %" PRId64 " (labels counted)", file->path,
                        out->look.fields, out->look.fields == 1 ? "" : "s",
                        columns->learnt_from ? columns->learnt_from : "the model was trained on", columns->learnt_from ? " has" : "",
                        columns->columns);
    if (is_header_after_all(columns, file, &out->look))
        return tri_fail(TRI_BAD_DATA,
                        "%s: its first line names the columns, but looks like an example: numbers are among the names, and no line below "
                        "tells (leave the line out, or call the columns by words, here and in training)",
                        file->path);
    for (int64_t i = 0, field = 0; i < columns->columns; i++)
        if (all || columns->column[i].kind != TRI_COLUMN_LABEL)
            out->column[field++] = i;
    return NULL;
}

/* Every feature must have one field, every label at most one. times: [columns] zeros, for counting. */
static tri_status check_binding(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *binding, int8_t *times)
{
    int64_t labels = 0;
    for (int64_t field = 0; field < binding->look.fields; field++)
        if (binding->column[field] >= 0 && times[binding->column[field]] < 2)
            times[binding->column[field]]++;
    for (int64_t i = 0; i < columns->columns; i++) {
        const tri__column_kind kind = columns->column[i].kind;
        labels += kind == TRI_COLUMN_LABEL && times[i] > 0;
        if (times[i] > 1 || (times[i] == 0 && (kind == TRI_COLUMN_NUMBER || kind == TRI_COLUMN_CATEGORY)))
            return tri_fail(TRI_BAD_DATA, "%s: %s column '%s', which %s%s (name its columns alike)", file->path,
                            times[i] ? "has twice the" : "has no", columns->column[i].name,
                            columns->learnt_from ? columns->learnt_from : "the model was trained on", columns->learnt_from ? " has" : "");
    }
    binding->labelled = labels == columns->label_columns;
    return NULL;
}

tri_status tri__csv_bind(const tri__csv_columns *columns, const tri__record_file *file, tri__csv_binding *out)
{
    *out = (tri__csv_binding){.look = tri__csv_look_at((const char *)file->content.data, file->content.size)};
    TRI_TRY(tri__allocate((size_t)out->look.fields + 1, sizeof *out->column, "the columns of a table", &out->column));
    int8_t *times = NULL;
    tri_status status = out->look.header ? bind_names(columns, file, out) : bind_positions(columns, file, out);
    if (!status)
        status = tri__allocate((size_t)columns->columns, sizeof *times, "the columns of a table", &times);
    if (!status)
        status = check_binding(columns, file, out, times);
    free(times);
    if (status) {
        free(out->column);
        out->column = NULL;
    }
    return status;
}
