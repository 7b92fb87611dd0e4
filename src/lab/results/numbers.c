/* numbers.c: computes the numbers of columns and findings from JSON results. */
#include "lab/results/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "lab/figures/statistics.h"
#include "lab/study/reported.h"

/* ---- tasks ---- */

const json_t *tri__result_task(const json_t *result, tri__scope scope, int number)
{
    if (scope == TRI_SCOPE_RUN)
        return number ? NULL : result;
    return json_array_get(json_object_get(result, scope == TRI_SCOPE_WORKER ? "worker_stats" : "hosts"), (size_t)number);
}

const char *tri__result_task_name(const json_t *task, tri__scope scope, char *text, size_t size)
{
    const char *name = scope == TRI_SCOPE_RUN ? "" : json_string_value(json_object_get(task, scope == TRI_SCOPE_WORKER ? "task" : "host"));
    snprintf(text, size, "%s", name ? name : "");
    return text;
}

const char *tri__result_task_word(const json_t *task, tri__scope scope, char *text, size_t size)
{
    tri__result_task_name(task, scope, text, size);
    char *colon = strchr(text, ':');
    if (colon)
        memmove(colon, colon + 1, strlen(colon));
    return text;
}

/* Whether `name`, such as worker0 or host1, means this task in an expression. */
static bool is_called(const json_t *task, tri__scope scope, const char *name, size_t length)
{
    char word[64];
    tri__result_task_word(task, scope, word, sizeof word);
    return length && strlen(word) == length && !memcmp(word, name, length);
}

static const json_t *find_task(const json_t *result, const char *name, tri__scope scope)
{
    const json_t *task;
    for (int i = 0; (task = tri__result_task(result, scope, i)); i++)
        if (is_called(task, scope, name, strlen(name)))
            return task;
    return NULL;
}

/* ---- columns ---- */

typedef struct {
    const tri__study *study;
    int cell;
    const json_t *task, *result;
} looking;

static double number_of_json(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : json_is_boolean(value) ? json_is_true(value) : NAN;
}

/* The entry of a list that the path names by number or by a task's name; NULL where the number is too high. False where the path names
 * none: it means all entries. */
static bool find_entry(const json_t *list, const char *path, size_t length, const json_t **out)
{
    if (*path >= '0' && *path <= '9') {
        *out = json_array_get(list, (size_t)atoi(path));
        return true;
    }
    for (size_t i = 0; (*out = json_array_get(list, i)); i++)
        if (is_called(*out, TRI_SCOPE_WORKER, path, length) || is_called(*out, TRI_SCOPE_HOST, path, length))
            return true;
    return false;
}

/* Add the numbers that a path leads to. In a list, the path goes on in each entry, or in the one that it names (find_entry). Where out has
 * no memory, the numbers are only counted. */
static void follow(const json_t *from, const char *path, tri__number_list *out)
{
    size_t length = strcspn(path, "."), index;
    const char *rest = path[length] ? path + length + 1 : "";
    if (!*path || !from) {
        if (!from || json_is_object(from) || json_is_array(from))
            return;
        if (out->number)
            out->number[out->count] = number_of_json(from);
        out->count++;
        return;
    }
    json_t *entry;
    const json_t *one;
    if (json_is_array(from) && find_entry(from, path, length, &one)) {
        follow(one, rest, out);
        return;
    }
    json_array_foreach((json_t *)(uintptr_t)from, index, entry) follow(entry, path, out);
    if (json_is_object(from)) {
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        follow(json_object_get(from, key), rest, out);
    }
}

static tri_status find_in_result(void *context, tri__arena *arena, const char *name, const tri__condition *where, tri__wanted wanted,
                                 tri__number_list *out)
{
    const looking *self = context;
    const json_t *from = self->task;
    tri__number_list counted = {0};
    (void)where;
    (void)wanted;
    follow(from, name, &counted);
    if (!counted.count)
        follow(from = self->result, name, &counted);
    *out = (tri__number_list){.number = tri__arena_alloc(arena, (size_t)(counted.count + 1) * sizeof *out->number)};
    if (!out->number)
        return tri_fail(TRI_NO_MEMORY, "no memory for the numbers of a result");
    follow(from, name, out);
    int factor = tri__study_factor(self->study, name);
    if (!out->count && factor >= 0)
        out->number[out->count++] = tri__text_table_number(tri__study_value(self->study, self->cell, factor));
    if (!out->count)
        out->number[out->count++] = NAN;
    return NULL;
}

double tri__measured_number(const tri__study *study, const tri__measurement *measurement, int column, const json_t *task)
{
    looking self = {.study = study, .cell = measurement->cell, .task = task, .result = measurement->result};
    const tri__names names = {.find = find_in_result, .context = &self};
    tri__arena *arena = NULL;
    tri__number_list values = {0};
    tri_status status = task ? tri__arena_create(&arena) : tri_fail(TRI_NOT_FOUND, "no task");
    if (!status)
        status = tri__expression_evaluate(study->columns[column].expression, &names, arena, NULL, &values);
    double number = !status && values.count == 1 ? values.number[0] : NAN;
    tri_status_free(status);
    tri__arena_destroy(arena);
    return number;
}

tri_status tri__cell_numbers(const tri__results *results, int cell, int column, const char *task, tri__arena *arena, tri__number_list *out)
{
    const tri__study *study = tri__results_study(results);
    tri__scope scope = study->columns[column].scope;
    int64_t count = tri__results_count(results);
    *out = (tri__number_list){.number = tri__arena_alloc(arena, (size_t)(count + 1) * sizeof *out->number)};
    if (!out->number)
        return tri_fail(TRI_NO_MEMORY, "no memory for the numbers of a cell");
    for (int64_t i = 0; i < count; i++) {
        const tri__measurement *one = tri__results_at(results, i);
        if (one->cell == cell && one->result)
            out->number[out->count++] =
                tri__measured_number(study, one, column, scope == TRI_SCOPE_RUN ? one->result : find_task(one->result, task, scope));
    }
    return NULL;
}

/* ---- findings ---- */

/* What a finding is asked of. */
typedef struct {
    const tri__results *results;
    bool lacks_cells; /* a cell that the finding speaks of has no result */
} asking;

typedef struct {
    const tri__results *results;
    const tri__study *study;
    int factor, column; /* one of the two is −1 */
    const char *task;
    tri__wanted wanted;
} meaning;

/* accuracy, batch, worker0.steps */
static meaning meaning_of(const tri__results *results, tri__arena *arena, const char *name)
{
    meaning found = {.results = results, .study = tri__results_study(results), .task = ""};
    const char *dot = strchr(name, '.');
    found.factor = tri__study_factor(found.study, name);
    found.column =
        dot ? tri__study_column_find(found.study, TRI_SCOPE_WORKER, dot + 1) : tri__study_column_find(found.study, TRI_SCOPE_RUN, name);
    if (!dot)
        return found;
    if (strncmp(name, "worker", 6) || found.column < 0)
        found.column = tri__study_column_find(found.study, TRI_SCOPE_HOST, dot + 1);
    char *task = tri__arena_copy(arena, name);
    if (task)
        task[dot - name] = 0, found.task = task;
    return found;
}

static bool is_selected(const tri__study *study, int cell, const tri__condition *where)
{
    for (; where; where = where->outer) {
        int factor = tri__study_factor(study, where->name);
        if (factor < 0 || !tri__text_table_same_cell(tri__study_value(study, cell, factor), where->value))
            return false;
    }
    return true;
}

/* Add the numbers of a cell. *lacks: set if they are of results and the cell has none. */
static tri_status add_cell(const meaning *what, int cell, tri__arena *arena, tri__number_list *out, bool *lacks)
{
    tri__number_list numbers;
    double factor = what->factor >= 0 ? tri__text_table_number(tri__study_value(what->study, cell, what->factor)) : NAN;
    TRI_TRY(tri__cell_numbers(what->results, cell, what->column >= 0 ? what->column : 0, what->task, arena, &numbers));
    *lacks = *lacks || (what->factor < 0 && what->wanted != TRI_WANT_REPORTED && !numbers.count);
    if (what->wanted == TRI_WANT_ALL)
        for (int64_t i = 0; i < numbers.count; i++)
            out->number[out->count++] = what->factor >= 0 ? factor : numbers.number[i];
    else if (what->factor >= 0)
        out->number[out->count++] = factor;
    else
        out->number[out->count++] = what->wanted == TRI_WANT_REPORTED ? tri__study_reported(what->study, cell, what->column, what->task)
                                                                      : tri__median(numbers.number, numbers.count);
    return NULL;
}

static tri_status find_in_study(void *context, tri__arena *arena, const char *name, const tri__condition *where, tri__wanted wanted,
                                tri__number_list *out)
{
    asking *self = context;
    meaning what = meaning_of(self->results, arena, name);
    what.wanted = wanted;
    int64_t room = what.study->cell_count + tri__results_count(self->results) + 1;
    *out = (tri__number_list){.number = tri__arena_alloc(arena, (size_t)room * sizeof *out->number)};
    if (!out->number)
        return tri_fail(TRI_NO_MEMORY, "no memory for the numbers of a finding");
    for (int cell = 0; cell < what.study->cell_count; cell++)
        if (is_selected(what.study, cell, where))
            TRI_TRY(add_cell(&what, cell, arena, out, &self->lacks_cells));
    if (!out->count)
        out->number[out->count++] = NAN;
    return NULL;
}

/* A finding is confirmed where it holds for every number of its value. It is unknown while a cell that it speaks of has no result: the
 * least or the largest of the others says nothing about that cell. */
static void decide(const tri__number_list *values, bool lacks_cells, tri__finding_result *out)
{
    bool unknown = !values->count || lacks_cells, all = true;
    for (int64_t i = 0; i < values->count; i++) {
        unknown = unknown || isnan(values->number[i]);
        all = all && values->number[i] != 0;
    }
    out->state = unknown ? TRI_FINDING_UNKNOWN : all ? TRI_FINDING_CONFIRMED : TRI_FINDING_REFUTED;
}

tri_status tri__finding_evaluate(const tri__results *results, int finding, tri__finding_result *out)
{
    asking self = {.results = results};
    const tri__names names = {.find = find_in_study, .context = &self};
    const tri__study *study = tri__results_study(results);
    tri__arena *arena;
    tri__number_list values;
    *out = (tri__finding_result){.evidence.first = NAN};
    TRI_TRY(tri__arena_create(&arena));
    tri_status status = tri__expression_evaluate(study->findings[finding].expression, &names, arena, &out->evidence, &values);
    if (!status)
        decide(&values, self.lacks_cells, out);
    tri__arena_destroy(arena);
    return tri_wrap(status, "%s: the finding '%s'", study->file, study->findings[finding].name);
}

const char *tri__finding_state_name(tri__finding_state state)
{
    static const char *const names[] = {"unknown", "confirmed", "not confirmed"};
    return names[state];
}
