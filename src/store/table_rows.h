/* table_rows.h: the rows that a step reads and changes, by key, for stores that have whole tables in memory: local, mirrored, allreduce.
 *
 * Where tables grow (key_map.h), what is offered of a row has one float more than the table is wide: how often the batch names its key. So
 * the sum of several workers' rows has the sightings of all of them. They are counted once a step, with the first table that is updated, in
 * the order in which the joint batch names the keys: a key that has been seen often enough gets its row and learns from this step already.
 * Until then it reads 0; or, where the first sighting is enough and there is memory, what its row will begin with. So all strategies come
 * to the same rows as one worker with the joint batch. */
#ifndef TRI_STORE_TABLE_ROWS_H
#define TRI_STORE_TABLE_ROWS_H

#include "graph/store/store.h"
#include "store/table.h"

/* Memory of one table that grows with the largest step and is kept; used where tables grow. {0} is empty. */
typedef struct {
    float *offered, *gradient;
    int32_t *row, *kept; /* of each key; of those that have one */
    int64_t offered_room, gradient_room, row_room, kept_room;
} tri__table_rows;

void tri__table_rows_fini(tri__table_rows *rows);

int64_t tri__offered_width(const tri_store *store, int64_t width); /* of a table of that width */

/* What is offered of these keys: [count][offered width]. Until the next call with the same memory, or the gradient's end. */
TRI_MUST_CHECK tri_status tri__table_rows_offer(tri__table_rows *rows, const tri_store *store, int table, tri__table_keys keys,
                                                const float *gradient, const float **out);

/* The weights of a step's keys: [count][width]. */
TRI_MUST_CHECK tri_status tri__table_rows_gather(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, float *out);

/* Room to apply so many keys of a table that grows: the call below cannot fail then. */
TRI_MUST_CHECK tri_status tri__table_rows_reserve(tri__table_rows *rows, int64_t width, int64_t count);

/* Apply the rule to the sum of what was offered of these keys: [count][offered width]. Rows that a checkpoint has yet to write are kept. */
TRI_MUST_CHECK tri_status tri__table_rows_apply(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, const float *sum,
                                                float scale, const tri_step *step);

/* Σ of the squares of the gradient in such a sum. */
double tri__table_rows_squares(const tri_store *store, int table, const float *sum, int64_t count);

#endif
