/* study.c: reads a study's file and its parts. Factors and cells are in study_cells.c, published figures in reported.c. */
#include "lab/study/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes/sha256.h"
#include "base/file/file.h"
#include "base/file/yaml.h"
#include "base/text/duration.h"
#include "base/text/nearest.h"
#include "base/text/text.h"
#include "base/text/text_table.h"
#include "base/thread/clock.h"
#include "lab/study/builtin_studies.h"
#include "lab/study/reported.h"
#include "lab/study/study_cells.h"
#include "lab/study/study_parts.h"
#include "lab/study/study_shown.h"
#include "lab/study/template.h"

enum { LARGEST = 1 << 20, MOST_REPEATS = 1000 };

const char *tri__scale_name(tri__scale scale)
{
    static const char *const names[] = {"usual", "quick", "full"};
    return names[scale];
}

/* ---- messages ---- */

/* Where text is a key of the file; otherwise its first occurrence. */
static const char *find_text(const tri__study *study, const char *text)
{
    char key[96];
    snprintf(key, sizeof key, "%.94s:", text);
    const char *found = strstr(study->text, key);
    return found ? found : strstr(study->text, text);
}

/* The line and column where text is in the study's file; line 0 where it is not found. */
static tri__text_position find_position(const tri__study *study, const char *text)
{
    tri__text_position position = {.file = study->file, .line = 0, .column = 1};
    const char *found = *text ? find_text(study, text) : NULL, *line = study->text;
    if (!found)
        return position;
    position.line = 1;
    for (const char *at = study->text; at < found; at++)
        if (*at == '\n')
            position.line++, line = at + 1;
    position.column = (int)(found - line) + 1;
    return position;
}

tri_status tri__study_wrong(const tri__study *study, const char *text, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tri__text_position position = find_position(study, text);
    if (!position.line)
        return tri_fail(TRI_BAD_DATA, "%s: %s", study->file, what);
    return tri_fail(TRI_BAD_DATA, "%s: line %d, column %d: %s", study->file, position.line, position.column, what);
}

/* ---- simple values ---- */

static tri_status read_text(const tri__study *study, const char *key, const char **out)
{
    *out = json_string_value(json_object_get(study->document, key));
    return *out ? NULL : tri__study_wrong(study, "", "a study needs a %s, one line of text", key);
}

static tri_status read_count(const tri__study *study, const char *key, int64_t most, int64_t *out)
{
    const char *text = json_string_value(json_object_get(study->document, key));
    char *end = NULL;
    if (!json_object_get(study->document, key))
        return NULL;
    *out = text ? strtoll(text, &end, 10) : -1;
    if (!text || *end || *out < 1 || *out > most)
        return tri__study_wrong(study, text ? text : key, "%s: expected a whole number from 1 to %lld", key, (long long)most);
    return NULL;
}

static tri_status read_simple(tri__study *study)
{
    int64_t repeats = 1;
    const char *timeout = json_string_value(json_object_get(study->document, "timeout"));
    TRI_TRY(read_text(study, "title", &study->title));
    TRI_TRY(read_text(study, "command", &study->command));
    study->about = json_string_value(json_object_get(study->document, "about"));
    study->seed = 1;
    study->patience = 3600 * TRI_SECOND;
    TRI_TRY(read_count(study, "seed", INT64_MAX - MOST_REPEATS, &study->seed));
    TRI_TRY(read_count(study, "repeats", MOST_REPEATS, &repeats));
    study->repeats = (int)repeats;
    if (timeout && !tri__duration_parse(timeout, &study->patience))
        return tri__study_wrong(study, timeout, "timeout: expected a time such as 90s or 10m");
    return NULL;
}

/* ---- columns and findings ---- */

static tri_status parse_expression(const tri__study *study, const char *text, tri__expression **out)
{
    tri__text_position position = find_position(study, text);
    return tri__expression_parse(&position, text, out);
}

/* A column is an expression, or a mapping of value, label and digits. */
static tri_status read_column(tri__study *study, tri__scope scope, const char *name, const json_t *from)
{
    tri__study_column *column = &study->columns[study->column_count];
    const json_t *value = json_is_object(from) ? json_object_get(from, "value") : from;
    const char *label = json_string_value(json_object_get(from, "label")), *digits = json_string_value(json_object_get(from, "digits"));
    *column = (tri__study_column){.scope = scope, .name = name, .label = label ? label : name, .digits = digits ? atoi(digits) : -1};
    if (!json_is_string(value))
        return tri__study_wrong(study, name, "the column %s needs an expression such as `100 * test_accuracy`", name);
    if (scope == TRI_SCOPE_RUN && tri__study_factor(study, name) >= 0)
        return tri__study_wrong(study, name, "%s is a factor: give the column another name", name);
    TRI_TRY(parse_expression(study, json_string_value(value), &column->expression));
    study->column_count++;
    return NULL;
}

static tri_status read_columns(tri__study *study)
{
    static const char *const keys[] = {"columns", "worker_columns", "host_columns"};
    size_t count = 0;
    for (int scope = 0; scope < 3; scope++)
        count += json_object_size(json_object_get(study->document, keys[scope]));
    if (!count)
        return tri__study_wrong(study, "", "a study needs columns: what is looked at in each result, as `accuracy: 100 * test_accuracy`");
    study->columns = tri__arena_alloc(study->arena, count * sizeof *study->columns);
    if (!study->columns)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for its columns", study->file);
    for (int scope = 0; scope < 3; scope++) {
        const char *name;
        json_t *value;
        json_object_foreach(json_object_get(study->document, keys[scope]), name, value)
            TRI_TRY(read_column(study, (tri__scope)scope, name, value));
    }
    return NULL;
}

/* worker0.steps and host1.cpu: a column of workers or of hosts. */
static bool is_column(const tri__study *study, const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return tri__study_column_find(study, TRI_SCOPE_RUN, name) >= 0;
    return tri__study_column_find(study, TRI_SCOPE_WORKER, dot + 1) >= 0 || tri__study_column_find(study, TRI_SCOPE_HOST, dot + 1) >= 0;
}

/* A name in a finding must be a column or a factor. A condition must name a factor; its value is not checked, since values may depend on
 * the scale. */
static tri_status check_name(void *context, const char *name, const char *value)
{
    const tri__study *study = context;
    if (tri__study_factor(study, name) >= 0 || (!value && is_column(study, name)))
        return NULL;
    tri__nearest nearest = tri__nearest_of(name);
    for (int i = 0; i < study->factor_count; i++)
        tri__nearest_offer(&nearest, study->factors[i]);
    for (int i = 0; i < study->column_count && !value; i++)
        tri__nearest_offer(&nearest, study->columns[i].name);
    char hint[TRI_NEAREST_HINT];
    return tri_fail(TRI_BAD_DATA, "no %s is called %s%s", value ? "factor" : "column or factor", name, tri__nearest_hint(&nearest, hint));
}

/* A finding is an expression, or a mapping of holds and why. */
static tri_status read_finding(tri__study *study, const char *name, const json_t *from)
{
    tri__study_finding *finding = &study->findings[study->finding_count];
    const json_t *holds = json_is_object(from) ? json_object_get(from, "holds") : from;
    *finding = (tri__study_finding){.name = name, .why = json_string_value(json_object_get(from, "why"))};
    if (!json_is_string(holds))
        return tri__study_wrong(study, name, "the finding '%s' needs an expression such as `accuracy at batch=10 > 90`", name);
    TRI_TRY(parse_expression(study, json_string_value(holds), &finding->expression));
    study->finding_count++;
    return tri__expression_check(finding->expression, check_name, study);
}

static tri_status read_findings(tri__study *study)
{
    json_t *findings = json_object_get(study->document, "findings"), *value;
    const char *name;
    study->findings = tri__arena_alloc(study->arena, (json_object_size(findings) + 1) * sizeof *study->findings);
    if (!study->findings)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for its findings", study->file);
    json_object_foreach(findings, name, value) TRI_TRY(read_finding(study, name, value));
    return NULL;
}

/* ---- commands ---- */

typedef struct {
    const tri__study *study;
    int cell; /* −1: a command that runs before all cells */
    const tri__study_names *names;
    char number[24];
} naming;

static const char *value_of_name(void *context, const char *name)
{
    naming *self = context;
    int factor = self->cell >= 0 ? tri__study_factor(self->study, name) : -1;
    if (factor >= 0)
        return tri__study_value(self->study, self->cell, factor);
    if (!strcmp(name, "data"))
        return self->names->data;
    if (!strcmp(name, "cluster"))
        return self->names->cluster;
    if (!strcmp(name, "run"))
        return self->names->run;
    bool seed = !strcmp(name, "seed");
    if (seed || !strcmp(name, "repeat")) {
        snprintf(self->number, sizeof self->number, "%lld", (long long)self->names->repeat + (seed ? self->study->seed - 1 : 0));
        return self->number;
    }
    return json_string_value(json_object_get(json_object_get(self->study->document, "settings"), name));
}

static tri_status fill(const tri__study *study, int cell, const tri__study_names *names, const char *text, tri__command_line *line)
{
    naming self = {.study = study, .cell = cell, .names = names};
    return tri_wrap(tri__template_fill(text, value_of_name, &self, line), "%s", study->file);
}

tri_status tri__study_command(const tri__study *study, int cell, const tri__study_names *names, tri__command_line *line)
{
    return fill(study, cell, names, study->command, line);
}

tri_status tri__study_preparation(const tri__study *study, int number, const char *data, tri__command_line *line)
{
    const tri__study_names names = {.data = data, .repeat = 1};
    const char *text = json_string_value(json_array_get(json_object_get(study->document, "prepare"), (size_t)number));
    return text ? fill(study, -1, &names, text, line) : tri__command_line_check(line);
}

/* Make every command once, so that mistakes are found before the first one runs. */
static tri_status check_commands(const tri__study *study)
{
    const tri__study_names names = {
        .data = "data", .run = "run", .repeat = 1, .cluster = json_object_get(study->document, "cluster") ? "cluster" : NULL};
    tri_status status = NULL;
    for (int cell = 0; cell < study->cell_count && !status; cell++) {
        tri__command_line line = TRI_COMMAND_LINE_INIT;
        status = tri__study_command(study, cell, &names, &line);
        if (!status && !line.count)
            status = tri__study_wrong(study, "command", "the command is empty");
        tri__command_line_fini(&line);
    }
    for (size_t i = 0; i < json_array_size(json_object_get(study->document, "prepare")) && !status; i++) {
        tri__command_line line = TRI_COMMAND_LINE_INIT;
        status = tri__study_preparation(study, (int)i, names.data, &line);
        if (!status && !line.count)
            status = tri__study_wrong(study, "prepare", "prepare: command %zu is empty", i + 1);
        tri__command_line_fini(&line);
    }
    return status;
}

/* ---- the whole study ---- */

/* Replace parts of the document by those of quick or full, name by name. */
static tri_status scale_document(tri__study *study)
{
    json_t *part = json_object_get(study->document, tri__scale_name(study->scale));
    tri_status status = part ? tri__study_check_parts(study, part) : NULL;
    if (!status && part && json_object_update_recursive(study->document, part))
        status = tri_fail(TRI_BAD_DATA, "%s: '%s' is no mapping", study->file, tri__scale_name(study->scale));
    json_object_del(study->document, "quick");
    json_object_del(study->document, "full");
    return status;
}

static tri_status find_digest(tri__study *study)
{
    char *text = json_dumps(study->document, JSON_SORT_KEYS | JSON_COMPACT);
    tri__sha256 hash;
    if (!text)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for its digest", study->file);
    tri__sha256_init(&hash);
    tri__sha256_update(&hash, text, strlen(text));
    tri__sha256_final(&hash, study->digest);
    free(text);
    return NULL;
}

static tri_status read_document(tri__study *study)
{
    TRI_TRY(tri__yaml_parse(study->file, study->text, strlen(study->text), &study->document));
    if (!json_is_object(study->document))
        return tri_fail(TRI_BAD_DATA, "%s: expected a mapping with title, command, factors and columns", study->file);
    TRI_TRY(tri__study_check_parts(study, study->document));
    TRI_TRY(scale_document(study));
    TRI_TRY(tri__study_check_parts(study, study->document));
    TRI_TRY(read_simple(study));
    TRI_TRY(tri__study_read_cells(study));
    TRI_TRY(read_columns(study));
    TRI_TRY(read_findings(study));
    TRI_TRY(tri__study_check_shown(study));
    TRI_TRY(tri__study_read_reported(study));
    TRI_TRY(check_commands(study));
    return find_digest(study);
}

static const tri__builtin_text *find_builtin(const char *name)
{
    for (const tri__builtin_text *row = tri__builtin_studies; row->name; row++)
        if (!strcasecmp(row->name, name))
            return row;
    return NULL;
}

static tri_status not_found(const char *name)
{
    tri__nearest nearest = tri__nearest_of(name);
    for (const tri__builtin_text *row = tri__builtin_studies; row->name; row++)
        tri__nearest_offer(&nearest, row->name);
    char hint[TRI_NEAREST_HINT];
    return tri_fail(TRI_NOT_FOUND, "%s: no study of that name is built in%s, and there is no such file (trireme lab list)", name,
                    tri__nearest_hint(&nearest, hint));
}

/* "A1" of "experiments/A1.yaml" */
static const char *short_name(tri__study *study, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = tri__arena_copy(study->arena, slash ? slash + 1 : path), *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = 0;
    return name;
}

tri_status tri__study_parse(const tri__study_text *from, tri__scale scale, tri__study **out)
{
    tri__study *study = calloc(1, sizeof *study);
    *out = NULL;
    if (!study)
        return tri_fail(TRI_NO_MEMORY, "no memory for the study %s", from->file);
    study->scale = scale;
    study->builtin = from->builtin;
    tri_status status = tri__arena_create(&study->arena);
    if (!status) {
        study->file = tri__arena_copy(study->arena, from->file);
        study->name = short_name(study, from->file);
        study->text = strdup(from->text);
        status = study->text && study->file && study->name ? read_document(study)
                                                           : tri_fail(TRI_NO_MEMORY, "no memory for the study %s", from->file);
    }
    if (status)
        tri__study_destroy(study);
    else
        *out = study;
    return status;
}

tri_status tri__study_load(const char *name_or_path, tri__scale scale, tri__study **out)
{
    const tri__builtin_text *row = tri__file_exists(name_or_path) ? NULL : find_builtin(name_or_path);
    if (row)
        return tri__study_parse(&(tri__study_text){.file = row->name, .text = row->text, .builtin = true}, scale, out);
    *out = NULL;
    if (!tri__file_exists(name_or_path))
        return not_found(name_or_path);
    char *text;
    size_t size;
    TRI_TRY(tri__file_read(name_or_path, LARGEST, &text, &size));
    tri_status status = tri__study_parse(&(tri__study_text){.file = name_or_path, .text = text}, scale, out);
    free(text);
    return status;
}

void tri__study_destroy(tri__study *study)
{
    if (!study)
        return;
    for (int i = 0; i < study->column_count; i++)
        tri__expression_destroy(study->columns[i].expression);
    for (int i = 0; i < study->finding_count; i++)
        tri__expression_destroy(study->findings[i].expression);
    json_decref(study->document);
    tri__arena_destroy(study->arena);
    free(study->text);
    free(study);
}

/* ---- looking things up ---- */

const char *tri__study_value(const tri__study *study, int cell, int factor)
{
    return study->values[cell * study->factor_count + factor];
}

int tri__study_factor(const tri__study *study, const char *name)
{
    for (int i = 0; i < study->factor_count; i++)
        if (!strcmp(study->factors[i], name))
            return i;
    return -1;
}

int tri__study_column_find(const tri__study *study, tri__scope scope, const char *name)
{
    for (int i = 0; i < study->column_count; i++)
        if (study->columns[i].scope == scope && !strcmp(study->columns[i].name, name))
            return i;
    return -1;
}

bool tri__study_cell_is_at(const tri__study *study, int cell, const json_t *conditions)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)conditions, name, value)
    {
        int factor = tri__study_factor(study, name);
        if (factor < 0 || !json_is_string(value) ||
            !tri__text_table_same_cell(tri__study_value(study, cell, factor), json_string_value(value)))
            return false;
    }
    return true;
}

const char *tri__study_cell_text(const tri__study *study, int cell, char *text, size_t size)
{
    tri__text words;
    tri__text_init(&words, text, size);
    for (int i = 0; i < study->factor_count; i++)
        tri__text_add(&words, "%s%s=%s", i ? " " : "", study->factors[i], tri__study_value(study, cell, i));
    return text;
}
