/* study_cells.c: makes cells from factors and rows. */
#include "lab/study/study_cells.h"

#include <string.h>

enum { MOST_CELLS = 10000, MOST_FACTORS = 16 };

typedef struct {
    json_t *rows, *factors;
    int row_keys;
    size_t levels[MOST_FACTORS]; /* how many values each factor of `factors` has */
    int crossed;
} plan;

static tri_status no_memory(const tri__study *study)
{
    return tri_fail(TRI_NO_MEMORY, "%s: no memory for its cells", study->file);
}

static tri_status add_factor(tri__study *study, const char *name)
{
    if (tri__study_factor(study, name) >= 0)
        return tri__study_wrong(study, name, "%s is among the rows and among the factors", name);
    if (study->factor_count == MOST_FACTORS)
        return tri__study_wrong(study, name, "more than %d factors", MOST_FACTORS);
    study->factors[study->factor_count++] = name;
    return NULL;
}

static tri_status read_rows(tri__study *study, plan *from)
{
    const char *name;
    json_t *row, *value;
    size_t index;
    json_object_foreach(json_array_get(from->rows, 0), name, value) TRI_TRY(add_factor(study, name));
    from->row_keys = study->factor_count;
    json_array_foreach(from->rows, index, row)
    {
        for (int i = 0; i < from->row_keys; i++)
            if (!json_is_string(json_object_get(row, study->factors[i])))
                return tri__study_wrong(study, "rows", "row %zu has no %s: all rows have the same names", index + 1, study->factors[i]);
        if ((int)json_object_size(row) != from->row_keys)
            return tri__study_wrong(study, "rows", "row %zu has names that the first row has not", index + 1);
    }
    return NULL;
}

static tri_status read_factors(tri__study *study, plan *from, int64_t *cells)
{
    const char *name;
    json_t *levels, *level;
    size_t index;
    json_object_foreach(from->factors, name, levels)
    {
        TRI_TRY(add_factor(study, name));
        json_array_foreach(levels, index, level) if (!json_is_string(level)) return tri__study_wrong(
            study, name, "the factor %s: expected a list of plain values", name);
        from->levels[from->crossed] = json_is_string(levels) ? 1 : json_array_size(levels);
        if (!from->levels[from->crossed])
            return tri__study_wrong(study, name, "the factor %s has no values", name);
        *cells *= (int64_t)from->levels[from->crossed++];
        if (*cells > MOST_CELLS)
            return tri__study_wrong(study, "factors", "more than %d cells", MOST_CELLS);
    }
    return NULL;
}

/* Fill in cell `cell`: its row, then its factors. The last factor changes quickest. */
static void fill_cell(tri__study *study, const plan *from, int cell)
{
    const char **values = study->values + cell * study->factor_count;
    size_t left = (size_t)cell;
    for (int i = from->crossed - 1; i >= 0; i--) {
        const json_t *levels = json_object_get(from->factors, study->factors[from->row_keys + i]);
        const json_t *level = json_is_string(levels) ? levels : json_array_get(levels, left % from->levels[i]);
        values[from->row_keys + i] = json_string_value(level);
        left /= from->levels[i];
    }
    for (int i = 0; i < from->row_keys; i++)
        values[i] = json_string_value(json_object_get(json_array_get(from->rows, left), study->factors[i]));
}

tri_status tri__study_read_cells(tri__study *study)
{
    plan from = {.rows = json_object_get(study->document, "rows"), .factors = json_object_get(study->document, "factors")};
    if ((from.rows && !json_array_size(from.rows)) || (from.factors && !json_is_object(from.factors)) || (!from.rows && !from.factors))
        return tri__study_wrong(study, from.rows ? "rows" : "factors",
                                "a study needs factors (a mapping of names to lists of values) or rows (a list of such combinations)");
    study->factors = tri__arena_alloc(study->arena, MOST_FACTORS * sizeof *study->factors);
    if (!study->factors)
        return no_memory(study);
    int64_t cells = from.rows ? (int64_t)json_array_size(from.rows) : 1;
    TRI_TRY(read_rows(study, &from));
    TRI_TRY(read_factors(study, &from, &cells));
    study->values = tri__arena_alloc(study->arena, (size_t)cells * (size_t)study->factor_count * sizeof *study->values);
    if (!study->values)
        return no_memory(study);
    study->cell_count = (int)cells;
    for (int cell = 0; cell < study->cell_count; cell++)
        fill_cell(study, &from, cell);
    return NULL;
}
