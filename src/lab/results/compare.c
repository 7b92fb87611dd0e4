/* compare.c: Welch's test for each column of each cell. Among many tests, some find a difference by chance, so the p-values are corrected
 * by Holm's method: the smallest is multiplied by the number of tests, the next by one less, and so on. */
#include "lab/results/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/text_table.h"
#include "lab/results/numbers.h"

#define SIGNIFICANT 0.05
#define WORTH       0.01 /* smallest difference that counts, as a share of the larger median */

/* The cell of another study with the same values of the factors; −1: there is none. */
static int find_cell(const tri__study *from, int cell, const tri__study *in)
{
    for (int other = 0; other < in->cell_count; other++) {
        bool same = from->factor_count == in->factor_count;
        for (int i = 0; same && i < from->factor_count; i++) {
            int factor = tri__study_factor(in, from->factors[i]);
            same = factor >= 0 && tri__text_table_same_cell(tri__study_value(from, cell, i), tri__study_value(in, other, factor));
        }
        if (same)
            return other;
    }
    return -1;
}

static tri_status compare_one(const tri__results *a, const tri__results *b, int other_cell, int other_column, tri__comparison *out)
{
    tri__arena *arena;
    tri__number_list before, after;
    TRI_TRY(tri__arena_create(&arena));
    tri_status status = tri__cell_numbers(a, out->cell, out->column, "", arena, &before);
    if (!status)
        status = tri__cell_numbers(b, other_cell, other_column, "", arena, &after);
    if (!status) {
        out->before = tri__median(before.number, before.count);
        out->after = tri__median(after.number, after.count);
        out->test = tri__welch_test(before.number, before.count, after.number, after.count);
        out->p = out->test.p;
    }
    tri__arena_destroy(arena);
    return status;
}

static int by_p(const void *left, const void *right)
{
    const tri__comparison *const *a = left, *const *b = right;
    return ((*a)->test.p > (*b)->test.p) - ((*a)->test.p < (*b)->test.p);
}

static tri_status correct(tri__comparison *all, int64_t count)
{
    tri__comparison **sorted;
    int64_t known = 0;
    double largest = 0;
    TRI_TRY(tri__allocate((size_t)count + 1, sizeof(tri__comparison *), "comparisons", &sorted));
    for (int64_t i = 0; i < count; i++)
        if (!isnan(all[i].test.p))
            sorted[known++] = &all[i];
    qsort(sorted, (size_t)known, sizeof *sorted, by_p);
    for (int64_t i = 0; i < known; i++) {
        largest = fmax(largest, fmin(1, sorted[i]->test.p * (double)(known - i)));
        sorted[i]->p = largest;
    }
    free(sorted);
    return NULL;
}

static tri__change classify_change(const tri__comparison *one)
{
    double larger = fmax(fabs(one->before), fabs(one->after));
    if (isnan(one->p))
        return TRI_CHANGE_UNKNOWN;
    return one->p < SIGNIFICANT && fabs(one->after - one->before) >= WORTH * larger ? TRI_CHANGE_REAL : TRI_CHANGE_NONE;
}

static tri_status compare_all(const tri__results *a, const tri__results *b, tri__comparison *all, int64_t *count)
{
    const tri__study *first = tri__results_study(a), *second = tri__results_study(b);
    for (int cell = 0; cell < first->cell_count; cell++) {
        int other = find_cell(first, cell, second);
        for (int column = 0; other >= 0 && column < first->column_count; column++) {
            int other_column = tri__study_column_find(second, TRI_SCOPE_RUN, first->columns[column].name);
            if (first->columns[column].scope != TRI_SCOPE_RUN || other_column < 0)
                continue;
            all[*count] = (tri__comparison){.cell = cell, .column = column};
            TRI_TRY(compare_one(a, b, other, other_column, &all[*count]));
            ++*count;
        }
    }
    return NULL;
}

/* Numbers of two studies, or of one at two scales, may have the same names and mean different things. */
static tri_status check_alike(const tri__study *first, const tri__study *second)
{
    if (strcmp(first->name, second->name) && strcmp(first->title, second->title))
        return tri_fail(TRI_BAD_CALL, "these are results of two studies, %s (%s) and %s (%s): give two folders of the same study",
                        first->name, first->title, second->name, second->title);
    if (first->scale != second->scale)
        return tri_fail(TRI_BAD_CALL, "%s was run at two scales, %s and %s, with other settings each: give two folders of the same scale",
                        first->name, tri__scale_name(first->scale), tri__scale_name(second->scale));
    return NULL;
}

tri_status tri__results_compare(const tri__results *a, const tri__results *b, tri__comparison **comparisons, int64_t *count)
{
    const tri__study *study = tri__results_study(a);
    *count = 0;
    TRI_TRY(check_alike(study, tri__results_study(b)));
    TRI_TRY(tri__allocate((size_t)study->cell_count * (size_t)study->column_count, sizeof **comparisons, "comparisons", comparisons));
    tri_status status = compare_all(a, b, *comparisons, count);
    if (!status && !*count)
        status = tri_fail(TRI_BAD_CALL, "%s: the two have no cell in common: its factors or their values were changed between them",
                          study->title);
    if (!status)
        status = correct(*comparisons, *count);
    for (int64_t i = 0; i < *count && !status; i++)
        (*comparisons)[i].change = classify_change(&(*comparisons)[i]);
    if (status) {
        free(*comparisons);
        *comparisons = NULL;
    }
    return status;
}
