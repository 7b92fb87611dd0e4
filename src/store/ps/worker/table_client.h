/* table_client.h: a worker's side of tables: which rows a batch names and on which servers they are, the rows that the plan gets, and the
 * gradients that go back. row_messages.c sends and receives them.
 *
 * A push is a chunk like others (worker_inside.h), and keeps its list and values in memory of its own until the server has answered. In all
 * modes a worker reads what it wrote: a server answers a pull only after it has applied this worker's push of the batch before. The caller
 * holds the lock in all calls. */
#ifndef TRI_STORE_PS_WORKER_TABLE_CLIENT_H
#define TRI_STORE_PS_WORKER_TABLE_CLIENT_H

#include "store/ps/worker/worker_inside.h"

TRI_MUST_CHECK tri_status
tri__table_client_create(tri__worker *worker); /* makes a shard for every chunk that is rows of a table, and the store's tables */
void tri__table_client_destroy(tri__worker *worker);

/* Deals the batch's keys of a table out to servers, and asks for their rows as soon as possible. */
TRI_MUST_CHECK tri_status tri__table_client_expect(tri__worker *worker, int table, tri_when when, const int32_t *keys, int64_t count);
/* A step begins: rows that were expected for the next step are now those of this step. True: some are still to be asked for. */
bool tri__table_client_begin(tri__worker *worker);
void tri__table_client_refresh(tri__worker *worker);               /* between steps: rows that were asked for are to be asked for again */
bool tri__table_client_here(const tri__worker *worker, int table); /* all rows that were expected have come, and every push is answered */
void tri__table_client_give(tri__worker *worker, int table, float *rows);

/* Between steps: at_once asks for the expected rows as they are now; keep writes them to the store's table when they are here. */
void tri__table_client_at_once(tri__worker *worker, int table);
void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys);

/* Copies the gradient of those rows, in the order of the keys, to push it. */
TRI_MUST_CHECK tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient);
double tri__table_client_squares(const tri__worker *worker, int table); /* Σ of the squares of what was taken */
void tri__table_client_scale(tri__worker *worker, int table, float factor);

#endif
