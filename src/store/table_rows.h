/* table_rows.h: the rows that a step reads and changes, by key, for stores that have whole tables in memory: local, mirrored, allreduce.
 *
 * Where tables grow (key_map.h), an offered row has one float more than the table is wide: its sightings, which is how often the batch
 * names its key. So the sum of several workers' rows has the sightings of all of them. Sightings are counted once a step, with the first
 * table that is updated, in the order in which the joint batch names the keys. A key that has been seen often enough gets its row, and
 * learns from this step already. Until then it reads 0; or, if one sighting is enough and there is memory, the values with which its row
 * will begin. So all strategies get the same rows as one worker with the joint batch. */
#ifndef TRI_STORE_TABLE_ROWS_H
#define TRI_STORE_TABLE_ROWS_H

#include "graph/store/store.h"
#include "store/table.h"

/* Working memory for one table, used where tables grow. It grows with the largest step and is kept. {0} is empty. */
typedef struct {
    float *offered, *gradient;
    int32_t *row, *kept; /* the row of each key; the rows of those keys that have one */
    int64_t offered_room, gradient_room, row_room, kept_room;
} tri__table_rows;

void tri__table_rows_fini(tri__table_rows *rows);

int64_t tri__offered_width(const tri_store *store, int64_t width); /* floats of an offered row of a table of that width */

/* *out receives what to offer for these keys: [count][offered width]. It is valid until the next call with the same `rows`, and as long as
 * gradient is. */
TRI_MUST_CHECK tri_status tri__table_rows_offer(tri__table_rows *rows, const tri_store *store, int table, tri__table_keys keys,
                                                const float *gradient, const float **out);

/* Copies the weights of a step's keys to out: [count][width]. */
TRI_MUST_CHECK tri_status tri__table_rows_gather(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, float *out);

/* Makes room to apply `count` keys of a table that grows. Then the call below cannot fail. */
TRI_MUST_CHECK tri_status tri__table_rows_reserve(tri__table_rows *rows, int64_t width, int64_t count);

/* Applies the rule to the rows of these keys. sum: what was offered for them, added up: [count][offered width]. Rows that a checkpoint has
 * yet to write are kept for it. */
TRI_MUST_CHECK tri_status tri__table_rows_apply(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, const float *sum,
                                                float scale, const tri_step *step);

/* Σ of the squares of the gradient in such a sum. */
double tri__table_rows_squares(const tri_store *store, int table, const float *sum, int64_t count);

#endif
