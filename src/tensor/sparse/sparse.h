/* sparse.h: kernels on rows of a table, for examples that name only the features that they have.
 *
 * A table is [rows][width] floats, its rows `stride` floats apart. A batch's features stand one after another; feature i reads table row
 * at[i]. Functions that read a table compute the examples first … end − 1. Functions that add to a table take a factor, and the part of the
 * table that the caller may change. So the same loops work on a copy of the batch's distinct rows, with a gradient beside it, and on the
 * table itself, where the update is added at once. A feature's cache lines are prefetched some features ahead. The functions allocate
 * nothing and start no threads. Sums run in the order of the features, so a result depends only on the example. */
#ifndef TRI_TENSOR_SPARSE_SPARSE_H
#define TRI_TENSOR_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float *data;
    int64_t stride, width; /* in floats */
    bool cached;           /* it is so small that it stays in a near cache: nothing is prefetched */
} tri__table_view;

/* The examples of a batch. Those that a call computes are first … end − 1. */
typedef struct {
    const int64_t *offsets; /* [examples + 1] */
    const int32_t *at;      /* [features] the table row of each feature */
    const float *values;    /* [features]; NULL: all are 1 */
    int64_t first, end;
} tri__sparse_examples;

/* The table rows that a call may add to. */
typedef struct {
    int32_t first, end;
} tri__table_part;
#define TRI_TABLE_WHOLE ((tri__table_part){0, INT32_MAX})

/* y: [examples][width], y = Σ value · row; with mean, divided by the number of the example's features. */
void tri__sparse_sum(const tri__sparse_examples *examples, tri__table_view table, bool mean, float *y);
void tri__sparse_sum_grad(const tri__sparse_examples *examples, const float *dy, bool mean, float factor, tri__table_part part,
                          tri__table_view to);

/* y: [examples][fields · width], the rows of the example's features side by side, then zeros. No example has more than `fields`
 * features. */
void tri__sparse_gather(const tri__sparse_examples *examples, tri__table_view table, int64_t fields, float *y);
void tri__sparse_gather_grad(const tri__sparse_examples *examples, const float *dy, int64_t fields, float factor, tri__table_part part,
                             tri__table_view to);

/* y: [examples], y = Σ over pairs i < j of ⟨value_i · row_i, value_j · row_j⟩ = ½ Σ over the width of (Σ v·r)² − Σ (v·r)².
 * d row = dy · v · (Σ v·r − v·row). scratch: room for [2 · width]. */
void tri__sparse_pairwise(const tri__sparse_examples *examples, tri__table_view table, float *scratch, float *y);
void tri__sparse_pairwise_grad(const tri__sparse_examples *examples, tri__table_view table, const float *dy, float factor,
                               tri__table_part part, tri__table_view to, float *scratch);

#endif
