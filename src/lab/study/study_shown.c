/* study_shown.c: checks the names in tables, plots, fits and curves. */
#include "lab/study/study_shown.h"

#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

typedef struct {
    const char *part, *key;
    bool column; /* true: it names columns; false: factors */
    bool needed;
} shown;

static const shown names[] = {
    {"tables", "rows", .column = false},
    {"tables", "columns", .column = true, .needed = true},
    {"plots", "x", .column = false, .needed = true},
    {"plots", "series", .column = false},
    {"plots", "y", .column = true, .needed = true},
    {"plots", "second", .column = true},
    {"fits", "x", .column = false, .needed = true},
    {"fits", "y", .column = true, .needed = true},
};

/* A table may have a row for each worker or for each host. */
static tri__scope scope_of(const json_t *spec)
{
    const char *by = json_string_value(json_object_get(spec, "by"));
    return !by ? TRI_SCOPE_RUN : !strcmp(by, "host") ? TRI_SCOPE_HOST : TRI_SCOPE_WORKER;
}

static tri_status check_name(const tri__study *study, const shown *what, const json_t *spec, const char *name)
{
    static const char *const kinds[] = {"column", "worker_column", "host_column"};
    tri__scope scope = scope_of(spec);
    if (what->column ? tri__study_column_find(study, scope, name) >= 0 : tri__study_factor(study, name) >= 0)
        return NULL;
    return tri__study_wrong(study, name, "%s: %s: no %s is called %s", what->part, what->key, what->column ? kinds[scope] : "factor", name);
}

static tri_status check_value(const tri__study *study, const shown *what, const json_t *spec)
{
    const json_t *value = json_object_get(spec, what->key), *entry;
    if (!value && what->needed)
        return tri__study_wrong(study, what->part, "%s: each needs %s: the name of a %s", what->part, what->key,
                                what->column ? "column" : "factor");
    if (json_is_string(value))
        return check_name(study, what, spec, json_string_value(value));
    for (size_t i = 0; (entry = json_array_get(value, i)); i++)
        TRI_TRY(check_name(study, what, spec, json_string_value(entry)));
    return NULL;
}

/* at: which cells */
static tri_status check_cells(const tri__study *study, const char *part, const json_t *spec)
{
    const char *factor;
    json_t *value;
    json_object_foreach(json_object_get(spec, "at"), factor, value) if (tri__study_factor(study, factor) < 0) return tri__study_wrong(
        study, factor, "%s: at: no factor is called %s", part, factor);
    return NULL;
}

/* ---- titles of cells ---- */

static bool is_shown(const tri__study *study, const char *factor)
{
    const json_t *tables = json_object_get(study->document, "tables"), *spec, *name;
    for (size_t i = 0; (spec = json_array_get(tables, i)); i++)
        for (size_t k = 0; (name = json_array_get(json_object_get(spec, "rows"), k)); k++)
            if (!strcmp(json_string_value(name), factor))
                return true;
    return false;
}

const char *tri__study_cell_title(const tri__study *study, int cell, char *text, size_t size)
{
    tri__text words;
    tri__text_init(&words, text, size);
    for (int i = 0; i < study->factor_count; i++)
        if (is_shown(study, study->factors[i]))
            tri__text_add(&words, "%s%s=%s", words.used ? " " : "", study->factors[i], tri__study_value(study, cell, i));
    return words.used ? text : tri__study_cell_text(study, cell, text, size);
}

/* ---- curves ---- */

/* As users type them. */
static const char *const curve_names[TRI_CURVES] = {[TRI_CURVE_CPU] = "cpu",
                                                    [TRI_CURVE_MEMORY] = "memory",
                                                    [TRI_CURVE_SENT] = "sent",
                                                    [TRI_CURVE_RECEIVED] = "received",
                                                    [TRI_CURVE_DISK] = "disk"};

static tri_status choose_curve(const tri__study *study, const char *name, bool chosen[TRI_CURVES])
{
    char all[80];
    tri__text list;
    tri__text_init(&list, all, sizeof all);
    for (int i = 0; i < TRI_CURVES; i++) {
        if (!strcmp(curve_names[i], name)) {
            chosen[i] = true;
            return NULL;
        }
        tri__text_add(&list, "%s%s", i ? ", " : "", curve_names[i]);
    }
    return tri__study_wrong(study, "curves", "curves: no curve is called %s; there are %s (yes: cpu and sent)", name, all);
}

tri_status tri__study_curves(const tri__study *study, bool chosen[TRI_CURVES])
{
    const json_t *value = json_object_get(study->document, "curves"), *name;
    value = json_is_object(value) ? json_object_get(value, "of") : value;
    const char *word = json_string_value(value);
    memset(chosen, 0, TRI_CURVES * sizeof *chosen);
    if (word && !strcmp(word, "yes"))
        chosen[TRI_CURVE_CPU] = chosen[TRI_CURVE_SENT] = true;
    else if (word && strcmp(word, "no") != 0)
        return choose_curve(study, word, chosen);
    for (size_t i = 0; (name = json_array_get(value, i)); i++)
        TRI_TRY(choose_curve(study, json_is_string(name) ? json_string_value(name) : "a list", chosen));
    return NULL;
}

bool tri__study_has_curves(const tri__study *study, int cell)
{
    const json_t *value = json_object_get(study->document, "curves");
    return tri__study_cell_is_at(study, cell, json_object_get(value, "at"));
}

/* of and at: which curves of which cells */
static tri_status check_curves(const tri__study *study)
{
    json_t *value = json_object_get(study->document, "curves"), *part;
    const char *key;
    bool chosen[TRI_CURVES];
    json_object_foreach(value, key, part)
    {
        if (strcmp(key, "of") != 0 && strcmp(key, "at") != 0)
            return tri__study_wrong(study, key, "curves: expected `of`, a list of curves, and `at`, factors with their values; not %s",
                                    key);
    }
    if (json_is_object(value))
        TRI_TRY(check_cells(study, "curves", value));
    return tri__study_curves(study, chosen);
}

tri_status tri__study_check_shown(const tri__study *study)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *list = json_object_get(study->document, names[i].part), *spec;
        for (size_t k = 0; (spec = json_array_get(list, k)); k++) {
            TRI_TRY(check_value(study, &names[i], spec));
            TRI_TRY(check_cells(study, names[i].part, spec));
        }
    }
    return check_curves(study);
}
