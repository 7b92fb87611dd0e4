/* merge.c: adds up rows of several workers. It puts the keys of all lists one after another; graph/store/distinct.c finds the place of each
 * among the distinct keys, and the gradients are added there. */
#include "store/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

void tri__merge_fini(tri__merge *merge)
{
    tri__distinct_fini(&merge->distinct);
    free(merge->keys);
    free(merge->row);
    tri__buffer_free(merge->sum);
    *merge = (tri__merge){0};
}

/* Uses other bits of the key than distinct.c uses to look it up. */
static inline int part_of(int32_t key, int parts)
{
    return (int)((((uint32_t)key * UINT32_C(0x85ebca6b)) >> 8) % (uint32_t)parts);
}

/* Collects the keys of the part, list by list. Returns how many there are. */
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
    TRI_TRY(tri__reserve(&merge->keys, &merge->keys_room, all, sizeof *merge->keys, "the keys of a step"));
    TRI_TRY(tri__reserve(&merge->row, &merge->row_room, all, sizeof *merge->row, "the keys of a step"));
    const int64_t found = collect(merge, lists, count, width, part, parts);
    TRI_TRY(tri__distinct_find(&merge->distinct, merge->keys, found));
    TRI_TRY(
        tri__buffer_reserve(&merge->sum, &merge->sum_room, merge->distinct.count * width, sizeof *merge->sum, "the gradients of a step"));
    if (merge->distinct.count)
        memset(merge->sum, 0, (size_t)(merge->distinct.count * width) * sizeof *merge->sum);
    for (int64_t i = 0; i < found; i++) {
        float *to = merge->sum + merge->distinct.at[i] * width;
        for (int64_t k = 0; k < width; k++)
            to[k] += merge->row[i][k];
    }
    return NULL;
}
