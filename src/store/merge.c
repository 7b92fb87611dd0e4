/* merge.c: rows of several workers, added up. The keys of all lists are put one after another, graph/distinct.c finds where each stands
 * among the distinct ones, and gradients are added there. */
#include "store/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void tri__merge_fini(tri__merge *merge)
{
    tri__distinct_fini(&merge->distinct);
    free(merge->keys);
    free(merge->row);
    tri__buffer_free(merge->sum);
    *merge = (tri__merge){0};
}

static tri_status reserve_keys(tri__merge *merge, int64_t count)
{
    if (count <= merge->room)
        return NULL;
    const size_t room = (size_t)(count + count / 4);
    free(merge->keys);
    free(merge->row);
    merge->keys = NULL;
    merge->row = NULL;
    merge->room = 0;
    TRI_TRY(tri__allocate(room, sizeof *merge->keys, "the keys of a step", &merge->keys));
    TRI_TRY(tri__allocate(room, sizeof *merge->row, "the keys of a step", &merge->row));
    merge->room = (int64_t)room;
    return NULL;
}

static tri_status reserve_sum(tri__merge *merge, int64_t floats)
{
    if (floats <= merge->sum_floats)
        return NULL;
    tri__buffer_free(merge->sum);
    merge->sum = NULL;
    merge->sum_floats = 0;
    TRI_TRY(tri__buffer_allocate((size_t)(floats + floats / 4) * sizeof *merge->sum, "the gradients of a step", &merge->sum));
    merge->sum_floats = floats + floats / 4;
    return NULL;
}

/* Other bits of the key than those that distinct.c looks it up by. */
static inline int part_of(int32_t key, int parts)
{
    return (int)((((uint32_t)key * UINT32_C(0x85ebca6b)) >> 8) % (uint32_t)parts);
}

/* Those of the part, list by list. Returns how many there are. */
static int64_t collect(tri__merge *merge, const tri__offered_rows *lists, int count, int64_t width, int part, int parts)
{
    int64_t found = 0;
    for (int l = 0; l < count; l++)
        for (int64_t i = 0; i < lists[l].count; i++) {
            if (parts > 1 && part_of(lists[l].keys[i], parts) != part)
                continue;
            merge->keys[found] = lists[l].keys[i];
            merge->row[found++] = lists[l].gradient + i * width;
        }
    return found;
}

tri_status tri__merge_rows(tri__merge *merge, const tri__offered_rows *lists, int count, int64_t width, int part, int parts)
{
    int64_t all = 0;
    for (int l = 0; l < count; l++)
        all += lists[l].count;
    TRI_TRY(reserve_keys(merge, all));
    const int64_t found = collect(merge, lists, count, width, part, parts);
    TRI_TRY(tri__distinct_find(&merge->distinct, merge->keys, found));
    TRI_TRY(reserve_sum(merge, merge->distinct.count * width));
    if (merge->distinct.count)
        memset(merge->sum, 0, (size_t)(merge->distinct.count * width) * sizeof *merge->sum);
    for (int64_t i = 0; i < found; i++) {
        float *to = merge->sum + merge->distinct.at[i] * width;
        for (int64_t k = 0; k < width; k++)
            to[k] += merge->row[i][k];
    }
    return NULL;
}
