/* row_messages.h: the messages that pull rows of tables and push their gradients. worker_shard.h has the rows.
 *
 * All calls are made on the loop's thread, with the lock held. If there is no memory for a message, worker->failure says so. */
#ifndef TRI_STORE_PS_WORKER_ROW_MESSAGES_H
#define TRI_STORE_PS_WORKER_ROW_MESSAGES_H

#include "store/ps/worker/worker_inside.h"

void tri__row_messages_ask(tri__worker *worker, int server);                     /* pulls the rows that are TO_ASK, if they need not wait */
void tri__row_messages_ask_again(tri__worker *worker, int server);               /* all go back: pulls rows again that have not come */
void tri__row_messages_renew(tri__worker *worker, int server);                   /* a new connection: its server knows no list yet */
bool tri__row_messages_fits(const tri__link *link, const tri__message *message); /* a ROWS is not too large for the chunk */
TRI_MUST_CHECK tri_status tri__row_messages_take(tri__link *link, const tri__message *message, const uint8_t *body); /* ROWS has come */

void tri__row_messages_push(tri__worker *worker, uint32_t chunk); /* sends the gradient of a chunk that is ready */

#endif
