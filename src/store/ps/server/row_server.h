/* row_server.h: a server's side of keyed messages: the rows of tables that workers pull and push.
 *
 * A pull names rows. In sync it also names the step before which it wants them, and is answered when the steps before that one are applied.
 * Otherwise it may name a push of the same worker that is still to come, and is answered when that is applied. So lists may come early, and
 * are here when the answer can be given. */
#ifndef TRI_STORE_PS_SERVER_ROW_SERVER_H
#define TRI_STORE_PS_SERVER_ROW_SERVER_H

#include "store/ps/server/server_inside.h"

void tri__peer_rows_destroy(tri__peer_rows *rows); /* accepts NULL */

/* Where the body of a PULL_ROWS or PUSH_ROWS goes. Its chunk is one of ours, whose rows it names. */
TRI_MUST_CHECK tri_status tri__rows_body(tri__peer *peer, const tri__message *message, void **body);

/* The whole pull is here: answer it, now or later. */
TRI_MUST_CHECK tri_status tri__rows_pulled(tri__peer *peer, const tri__message *message);

/* The same, of the evaluator, which pulls rows of the whole. */
TRI_MUST_CHECK tri_status tri__rows_pulled_whole(tri__peer *peer, const tri__message *message, tri_store *whole, int64_t step);

/* The whole push is here: make a part of it, which stays the peer's. */
TRI_MUST_CHECK tri_status tri__rows_read_push(tri__peer *peer, const tri__message *message);
tri__row_part *tri__rows_part(const tri__peer *peer);
void tri__rows_part_taken(tri__peer *peer); /* it is somebody else's now */

void tri__rows_answer_waiting(tri__server *server, uint32_t chunk); /* the chunk has moved on */
void tri__rows_forget_waiting(tri__peer *peer);                     /* all go back */

#endif
