/* row_server.h: the rows of tables that workers pull and push.
 *
 * A pull names rows. In sync it also names a step, and the server answers when all steps before that one are applied. In the other modes it
 * may name a push of the same worker that is still to come, and the server answers when that push is applied. So a worker can send the list
 * of a batch early, and the server has it when it can answer. */
#ifndef TRI_STORE_PS_SERVER_ROW_SERVER_H
#define TRI_STORE_PS_SERVER_ROW_SERVER_H

#include "store/ps/protocol/keyed.h"
#include "store/ps/server/server_inside.h"

void tri__peer_tables_destroy(tri__peer_tables *tables); /* accepts NULL */

/* Gives the memory to read the body of a PULL_ROWS or PUSH_ROWS into. TRI_BAD_DATA where its chunk is not a table of this server. */
TRI_MUST_CHECK tri_status tri__rows_body(tri__peer *peer, const tri__message *message, void **body);

/* A pull has been read whole: answers it, now or later. */
TRI_MUST_CHECK tri_status tri__rows_pulled(tri__peer *peer, const tri__message *message);

/* The same for the evaluator, which pulls rows of the snapshot of the whole model. *list receives the rows that it named, valid until its
 * next pull. */
TRI_MUST_CHECK tri_status tri__rows_pulled_whole(tri__peer *peer, const tri__message *message, tri_store *whole, int64_t step,
                                                 const tri__row_list **list);

/* A push, or the primary's update, has been read whole: makes a part from it. The peer owns the part until part_taken. */
TRI_MUST_CHECK tri_status tri__rows_read_push(tri__peer *peer, const tri__message *message);
tri__row_part *tri__rows_part(const tri__peer *peer);
void tri__rows_part_taken(tri__peer *peer); /* the stretch owns it now */

void tri__rows_answer_waiting(tri__server *server, uint32_t chunk); /* the chunk has moved on */
void tri__rows_forget_waiting(tri__peer *peer);                     /* all go back */

#endif
