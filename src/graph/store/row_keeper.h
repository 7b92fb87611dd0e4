/* row_keeper.h: keeps rows of a table as they were when a checkpoint began, while training goes on.
 *
 * Before a step changes rows, it touches them: a row that was not touched yet is copied. The thread that writes the checkpoint reads a
 * row's copy where there is one, and otherwise the table. So a checkpoint shows the table after one step, and needs no second copy of the
 * table: there is room for copies of an eighth of the rows. Where that room is full, touch waits until the checkpoint is written, as it
 * would without a keeper. The thread that trains calls begin and touch. The thread that writes calls lock, find and end.
 *
 * A parameter server's thread both trains and sends the rows, so it cannot wait. Its keeper grows: it calls begin, then keep before a row
 * changes, find for the rows that it sends, and pass when they are sent. */
#ifndef TRI_GRAPH_STORE_ROW_KEEPER_H
#define TRI_GRAPH_STORE_ROW_KEEPER_H

#include <stdbool.h>

#include "trireme/store.h"

typedef struct tri__row_keeper tri__row_keeper;

/* The table is borrowed, and does not grow. */
TRI_MUST_CHECK tri_status tri__row_keeper_create(const tri_table *table, tri__row_keeper **out);
TRI_MUST_CHECK tri_status tri__row_keeper_create_growing(const tri_table *table, tri__row_keeper **out); /* begins with little memory */
void tri__row_keeper_destroy(tri__row_keeper *keeper);                                                   /* accepts NULL */

void tri__row_keeper_begin(tri__row_keeper *keeper); /* a checkpoint of the table as it is now */
void tri__row_keeper_end(tri__row_keeper *keeper);   /* the checkpoint is written, or given up */

void tri__row_keeper_touch(tri__row_keeper *keeper, const int32_t *rows, int64_t count); /* rows may name a row several times */

/* Keeps the row, unless it was kept or passed since begin. from: what the row was at begin, [stride]; NULL: what it is now. If there is no
 * room, makes more, where touch waits. */
TRI_MUST_CHECK tri_status tri__row_keeper_keep(tri__row_keeper *keeper, int32_t row, const float *from);
void tri__row_keeper_pass(tri__row_keeper *keeper,
                          int64_t rows); /* the first `rows` rows are sent: no copies of them are needed any more */

/* For tri__moving_rows (tensor/safetensors.h): between lock(true) and lock(false), find returns where the row is as it was at begin. */
void tri__row_keeper_lock(void *keeper, bool locked);
const void *tri__row_keeper_find(void *keeper, int64_t row, const void *where); /* where: a place in the row of the table */

#endif
