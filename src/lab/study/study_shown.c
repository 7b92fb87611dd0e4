/* study_shown.c: checks the names in tables, plots and fits. */
#include "lab/study/study_shown.h"

#include <string.h>

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

tri_status tri__study_check_shown(const tri__study *study)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *list = json_object_get(study->document, names[i].part), *spec;
        for (size_t k = 0; (spec = json_array_get(list, k)); k++) {
            TRI_TRY(check_value(study, &names[i], spec));
            TRI_TRY(check_cells(study, names[i].part, spec));
        }
    }
    return NULL;
}
