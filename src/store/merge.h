/* merge.h: adds up the rows that several workers offer in one step: each key once, its gradients in the order of the workers. So the sum of
 * a row has the same bits wherever it is made, and in however many parts. */
#ifndef TRI_STORE_MERGE_H
#define TRI_STORE_MERGE_H

#include "graph/store/distinct.h"
#include "store/table.h"

/* What one worker offers: distinct keys, in any order. */
typedef struct {
    const int32_t *keys;
    const float *gradient; /* [count][width] */
    int64_t count;
} tri__offered_rows;

typedef struct {
    tri__distinct distinct;
    int32_t *keys;     /* the keys of the part, list by list */
    const float **row; /* where the gradient of each of these keys is */
    float *sum;        /* [distinct.count][width] */
    int64_t keys_room, row_room, sum_room;
} tri__merge;

void tri__merge_fini(tri__merge *merge);

/* Adds up part number `part` of `parts`: all keys that fall into it. Memory grows with the longest lists and is kept. */
TRI_MUST_CHECK tri_status tri__merge_rows(tri__merge *merge, const tri__offered_rows *lists, int count, int64_t width, int part, int parts);

/* The keys of the part; merge->sum has their sums. */
static inline tri__table_keys tri__merge_keys(const tri__merge *merge)
{
    return (tri__table_keys){merge->distinct.keys, merge->distinct.count};
}

#endif
