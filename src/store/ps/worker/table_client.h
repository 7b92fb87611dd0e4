/* table_client.h: a worker's side of tables: the rows that a batch names are pulled from the servers that have them, and their gradients
 * pushed there.
 *
 *            expect               sent                  ROWS has come          await_rows
 *    NONE ───────────► TO_ASK ───────────► ASKED ─────────────────────► HERE ──────────────► (given to the plan)
 *     ▲                                                                                          │
 *     └───────────────────────────────── the next expect ───────────────────────────────────────┘
 *
 * A connection that breaks, and all going back, turn ASKED into TO_ASK. The batch at hand and the next one each have their rows: the next
 * one's keys travel while this one is computed. A push is a chunk like others (worker_inside.h), and has its list and values in memory of
 * its own until it is answered. In all modes a worker reads what it wrote: a pull is answered behind the push of the batch before it, which
 * the server has before it or waits for. The lock is held in all calls. */
#ifndef TRI_STORE_PS_WORKER_TABLE_CLIENT_H
#define TRI_STORE_PS_WORKER_TABLE_CLIENT_H

#include "store/ps/worker/worker_inside.h"

TRI_MUST_CHECK tri_status
tri__table_client_create(tri__worker *worker); /* for every chunk that is rows of a table, and the store's tables */
void tri__table_client_destroy(tri__worker *worker);

/* The batch's keys of a table: dealt out to servers, and asked for as soon as it can be. */
TRI_MUST_CHECK tri_status tri__table_client_expect(tri__worker *worker, int table, tri_when when, const int32_t *keys, int64_t count);
/* A step begins: what was expected for it early is for now. True: something is to be asked for. */
bool tri__table_client_begin(tri__worker *worker);
bool tri__table_client_here(const tri__worker *worker, int table); /* all rows that were expected are, and no push is unanswered */
void tri__table_client_give(tri__worker *worker, int table, float *rows);

/* Outside of steps: what was expected is wanted as it is now; and to the store's table with it, when it is here. */
void tri__table_client_at_once(tri__worker *worker, int table);
void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys);

/* The gradient of those rows, in the order of the keys: it is copied, to be pushed. */
TRI_MUST_CHECK tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient);
double tri__table_client_squares(const tri__worker *worker, int table); /* of what was taken */
void tri__table_client_scale(tri__worker *worker, int table, float factor);

/* On the loop's thread. */
void tri__table_client_push(tri__worker *worker, uint32_t chunk);  /* the chunk is ready */
void tri__table_client_ask(tri__worker *worker, int server);       /* for what is to be asked, where it is not to wait */
void tri__table_client_ask_again(tri__worker *worker, int server); /* for what was not answered: all go back */
void tri__table_client_renew(tri__worker *worker, int server);     /* another connection: ask again, and take no list for known */
TRI_MUST_CHECK tri_status tri__table_client_rows(tri__link *link, const tri__message *message, const uint8_t *body); /* ROWS has come */

#endif
