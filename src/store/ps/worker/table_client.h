/* table_client.h: a worker's side of tables: the rows that a batch names are pulled from the servers that have them, and their gradients
 * pushed there.
 *
 *            expect               sent                  ROWS has come          await_rows
 *    NONE ───────────► TO_ASK ───────────► ASKED ─────────────────────► HERE ──────────────► (given to the plan)
 *     ▲                                                                                          │
 *     └───────────────────────────────── the next expect ───────────────────────────────────────┘
 *
 * A connection that breaks, and all going back, turn ASKED into TO_ASK. The batch at hand and the next one each have their rows: the next
 * one's keys travel while this one is computed. A push is a chunk like others (worker_inside.h), and keeps its list and values in memory of
 * its own until the server has answered. In all modes a worker reads what it wrote: a server answers a pull only after it has applied this
 * worker's push of the batch before. The caller holds the lock in all calls. */
#ifndef TRI_STORE_PS_WORKER_TABLE_CLIENT_H
#define TRI_STORE_PS_WORKER_TABLE_CLIENT_H

#include "store/ps/worker/worker_inside.h"

TRI_MUST_CHECK tri_status
tri__table_client_create(tri__worker *worker); /* for every chunk that is rows of a table, and the store's tables */
void tri__table_client_destroy(tri__worker *worker);

/* Deals the batch's keys of a table out to servers, and asks for their rows as soon as possible. */
TRI_MUST_CHECK tri_status tri__table_client_expect(tri__worker *worker, int table, tri_when when, const int32_t *keys, int64_t count);
/* A step begins: rows that were expected for the next step are now those at hand. True: some are still to be asked for. */
bool tri__table_client_begin(tri__worker *worker);
bool tri__table_client_here(const tri__worker *worker, int table); /* all rows that were expected have come, and every push is answered */
void tri__table_client_give(tri__worker *worker, int table, float *rows);

/* Between steps: asks for the expected rows as they are now; and, when they are here, writes them to the store's table. */
void tri__table_client_at_once(tri__worker *worker, int table);
void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys);

/* Copies the gradient of those rows, in the order of the keys, to push it. */
TRI_MUST_CHECK tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient);
double tri__table_client_squares(const tri__worker *worker, int table); /* of what was taken */
void tri__table_client_scale(tri__worker *worker, int table, float factor);

/* On the loop's thread. */
void tri__table_client_push(tri__worker *worker, uint32_t chunk);  /* the chunk is ready */
void tri__table_client_ask(tri__worker *worker, int server);       /* for rows in TO_ASK, where they need not wait */
void tri__table_client_ask_again(tri__worker *worker, int server); /* all go back: for rows that were not answered */
void tri__table_client_renew(tri__worker *worker,
                             int server); /* there is a new connection: asks again; the server knows no list any more */
bool tri__table_client_fits(const tri__link *link, const tri__message *message); /* a ROWS is not larger than rows can be */
TRI_MUST_CHECK tri_status tri__table_client_rows(tri__link *link, const tri__message *message, const uint8_t *body); /* ROWS has come */

#endif
