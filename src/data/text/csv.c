/* csv.c: a source over tables of separated values.
 *
 * Files are mapped, and scanned once for their lines, which the index keeps. If no checkpoint gives the columns, the files are read twice
 * more to learn them. A plain number is parsed at once; only other fields go through the parser of csv_fields.h. */
#include "data/text/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/source/file_source.h"
#include "data/text/csv_columns.h"
#include "data/text/lines.h"
#include "data/text/number.h"

enum { FAULT = 160, SHOWN = 32 }; /* bytes of a message, and of a field in it */

typedef struct {
    tri__file_source base;
    tri__csv_columns columns;
    tri__csv_binding *binding; /* [files] */
    bool to_predict;           /* a label that makes no sense counts as missing */
} csv_source;

/* ---- the lines of a file ---- */

static bool is_empty(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\r'))
        at++;
    return at == end || *at == '\n';
}

static void merge_facts(int64_t *facts, const int64_t *others)
{
    facts[TRI_LINES_EMPTY] += others[TRI_LINES_EMPTY];
}

/* A line with the names of columns is not a record. */
static tri_status scan_lines(const char *begin, const char *from, const char *to, tri__index *index)
{
    bool header = from == begin && tri__csv_look_at(begin, (size_t)(to - begin)).header;
    index->facts[TRI_LINES_EMPTY] = 0;
    for (const char *at = from == begin ? tri__text_begin(begin, to) : from; at < to; at = tri__line_next(at, to)) {
        const bool passed_over = is_empty(at, to) || header;
        header = header && is_empty(at, to);
        index->facts[TRI_LINES_EMPTY] += passed_over;
        if (!passed_over)
            TRI_TRY(tri__index_add(index, at - begin));
    }
    return NULL;
}

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    const char *refused = tri__csv_refused((const char *)content->data, content->size);
    if (refused)
        return tri_fail(TRI_BAD_DATA, "%s: %s", path, refused);
    return tri__lines_scan(content, scan_lines, merge_facts, index);
}

/* ---- one example ---- */

static tri_status wrong_field(const tri__line *line, const tri__csv_column *column, const tri__csv_field *field, const char *what)
{
    char text[FAULT];
    snprintf(text, sizeof text, "'%.*s' in column %.40s, %s", field->size < SHOWN ? (int)field->size : SHOWN, field->at, column->name,
             what);
    return tri__line_damaged(line, field->at, text);
}

/* Write the label. Returns what is wrong with it, or NULL. */
static const char *take_label(const csv_source *self, const tri__csv_column *column, const tri__csv_field *field,
                              const tri__example_target *to)
{
    float value;
    if (self->columns.labels == TRI_LABEL_CLASS) {
        const int64_t class = tri__csv_category(column, field);
        *to->label = (int32_t) class;
        return class >= 0 ? NULL : "the label, which is none of the classes";
    }
    to->targets[column->first] = NAN;
    if (!tri__csv_field_number(field, &value))
        return "the label, where a number should stand";
    if (self->columns.labels == TRI_LABEL_SET && value != 0 && value != 1)
        return "a label, where 0 or 1 should stand";
    to->targets[column->first] = value;
    return NULL;
}

static tri_status read_label(const csv_source *self, const tri__line *line, const tri__csv_column *column, const tri__csv_field *field,
                             const tri__example_target *to)
{
    const char *wrong = take_label(self, column, field, to);
    return wrong && !self->to_predict ? wrong_field(line, column, field, wrong) : NULL;
}

/* Read a field that is not a plain number. x: [features] zeros */
static tri_status read_field(const csv_source *self, const tri__line *line, const tri__csv_column *column, const tri__csv_field *field,
                             const tri__example_target *to)
{
    float *x = (float *)(void *)to->x;
    const bool missing = column->kind == TRI_COLUMN_NUMBER && tri__csv_field_missing(field);
    switch (column->kind) {
    case TRI_COLUMN_NUMBER:
        if (!missing && !tri__csv_field_number(field, &x[column->first]))
            return wrong_field(line, column, field, "where a number should stand");
        x[column->first] = missing ? column->mean : x[column->first];
        return NULL;
    case TRI_COLUMN_CATEGORY: {
        const int64_t category = tri__csv_category(column, field);
        if (category >= 0)
            x[column->first + category] = 1;
        return NULL;
    }
    case TRI_COLUMN_LABEL:
        return self->base.source.info.unlabelled ? NULL : read_label(self, line, column, field, to);
    case TRI_COLUMN_LEFT_OUT:
        break;
    }
    return NULL;
}

/* Read a field that is a plain number, without quotes or blanks, as most are. Returns where it ends; NULL if it is something else. */
static inline const char *read_plain(const char *at, const char *end, char separator, float *value)
{
    const char *behind = tri__number_float(at, end, value);
    const char next = behind ? tri__text_look(behind, end) : 0;
    return behind && (behind == end || next == separator || next == '\n') && isfinite(*value) ? behind : NULL;
}

static void clear_label(const tri_source_info *info, const tri__example_target *to)
{
    if (info->outputs)
        memset(to->targets, 0, (size_t)info->outputs * sizeof *to->targets);
    else
        *to->label = 0;
}

static tri_status wrong_count(const tri__line *line, int64_t count, int64_t expected)
{
    char what[FAULT];
    snprintf(what, sizeof what, "%" PRId64 " field%s, where the first line has %" PRId64, count, count == 1 ? "" : "s", expected);
    return tri__line_damaged(line, line->at, what);
}

/* A field is wrong. If the line has more or fewer fields than it should, that is the reason, and the field is only where it shows. at: the
 * next field, unless the wrong one was the last. Takes over status. */
static tri_status explain(tri_status status, const tri__line *line, const char *at, bool last, char separator, int64_t count,
                          int64_t expected)
{
    for (tri__csv_field field; !last; count++)
        if (tri__csv_next(&at, line->end, separator, &field, &last))
            return status;
    if (count == expected)
        return status;
    tri_status_free(status);
    return wrong_count(line, count, expected);
}

static tri_status csv_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const csv_source *self = (const csv_source *)reader->source;
    const tri__line line = tri__line_find(&self->base.files, record);
    const tri__csv_binding *binding = &self->binding[line.file - self->base.files.files];
    const char separator = binding->look.separator, *at = line.at, *behind;
    float *x = (float *)(void *)to->x;
    memset(x, 0, reader->source->example_bytes);
    if (reader->source->info.unlabelled)
        clear_label(&reader->source->info, to);
    int64_t count = 0;
    for (bool last = false; !last; count++) {
        const int64_t index = count < binding->look.fields ? binding->column[count] : -1;
        const tri__csv_column *column = index < 0 ? NULL : &self->columns.column[index];
        if (column && column->kind == TRI_COLUMN_NUMBER && (behind = read_plain(at, line.end, separator, &x[column->first]))) {
            last = behind == line.end || *behind == '\n';
            at = last ? behind : behind + 1;
            continue;
        }
        tri__csv_field field;
        const char *wrong = tri__csv_next(&at, line.end, separator, &field, &last);
        if (wrong)
            return tri__line_damaged(&line, at, wrong);
        tri_status status = column ? read_field(self, &line, column, &field, to) : NULL;
        if (status)
            return explain(status, &line, at, last, separator, count + 1, binding->look.fields);
    }
    return count == binding->look.fields ? NULL : wrong_count(&line, count, binding->look.fields);
}

/* ---- the source ---- */

static void csv_destroy(tri_source *source)
{
    csv_source *self = (csv_source *)source;
    for (size_t i = 0; self->binding && i < self->base.files.count; i++)
        free(self->binding[i].column);
    free(self->binding);
    tri__csv_columns_fini(&self->columns);
    tri__file_source_destroy(source);
}

static const tri__source_kind csv_kind = {.read = csv_read, .file_of = tri__file_source_path, .destroy = csv_destroy};

/* If only some of the files have labels, all are read as if they had none. */
static tri_status bind_files(csv_source *self)
{
    const tri__record_files *files = &self->base.files;
    bool labelled = true;
    TRI_TRY(tri__allocate(files->count, sizeof *self->binding, "the columns of a table", &self->binding));
    for (size_t i = 0; i < files->count; i++) {
        TRI_TRY(tri__csv_bind(&self->columns, &files->files[i], &self->binding[i]));
        labelled &= self->binding[i].labelled;
    }
    self->base.source.info.unlabelled = !labelled;
    return NULL;
}

static tri_status describe(tri__file_source *base, const tri__file_set *set, const int64_t *facts, const tri_source_options *options)
{
    (void)facts;
    csv_source *self = (csv_source *)base;
    tri_source_info *info = &base->source.info;
    TRI_TRY(options->columns ? tri__csv_columns_read(set->spec, options->columns, &self->columns)
                             : tri__csv_columns_learn(&base->files, set->spec, options, &self->columns));
    const tri__csv_columns *columns = &self->columns;
    self->to_predict = options->labels_optional;
    TRI_TRY(bind_files(self));
    TRI_TRY(tri__source_set_shape(&base->source, TRI_SHAPE(columns->features)));
    info->format = "csv";
    info->type = TRI_F32;
    base->source.example_bytes *= sizeof(float);
    info->features_by = TRI_FEATURES_BY_NAME;
    info->columns = columns->text;
    if (columns->labels != TRI_LABEL_CLASS)
        tri__source_set_targets(&base->source, columns->labels, columns->label_columns);
    else {
        info->classes = columns->label->categories;
        info->class_names = columns->label->category;
    }
    char *note = NULL;
    TRI_TRY(tri__csv_columns_note(columns, set->spec, &note));
    info->note = note;
    return NULL;
}

static const tri__file_source_format source_format = {
    .size = sizeof(csv_source),
    .index = {.name = "csv-2", .scan = scan},
    .kind = &csv_kind,
    .describe = describe,
};

const tri__file_format tri__csv_format = {
    .name = "CSV",
    .description = "CSV or TSV tables",
    .marks = {".csv", ".tsv"},
    .is = tri__csv_is,
    .records = &source_format,
    .aside = true,
};
