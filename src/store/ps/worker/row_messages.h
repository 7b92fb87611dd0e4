/* row_messages.h: the messages by which rows of tables come and their gradients go. What they are about is in worker_shard.h.
 *
 * All calls are made on the loop's thread, with the lock held. Where memory for a message is missing, the worker's failure says so. */
#ifndef TRI_STORE_PS_WORKER_ROW_MESSAGES_H
#define TRI_STORE_PS_WORKER_ROW_MESSAGES_H

#include "store/ps/worker/worker_inside.h"

void tri__row_messages_ask(tri__worker *worker, int server);       /* for rows in TO_ASK, where they need not wait */
void tri__row_messages_ask_again(tri__worker *worker, int server); /* all go back: for rows that were not answered */
void tri__row_messages_renew(tri__worker *worker, int server);     /* a new connection: asks again, as the server knows no list any more */
bool tri__row_messages_fits(const tri__link *link, const tri__message *message); /* a ROWS is not larger than rows can be */
TRI_MUST_CHECK tri_status tri__row_messages_take(tri__link *link, const tri__message *message, const uint8_t *body); /* ROWS has come */

void tri__row_messages_push(tri__worker *worker, uint32_t chunk); /* the gradient of a chunk that is ready */

#endif
