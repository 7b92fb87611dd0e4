/* standby.h: the standby's end of replication (replication.h). */
#ifndef TRI_STORE_PS_SERVER_REPLICATION_STANDBY_H
#define TRI_STORE_PS_SERVER_REPLICATION_STANDBY_H

#include "store/ps/server/server_inside.h"

void tri__standby_become(tri__server *server, uint32_t pair); /* drops all that it holds, and waits for its primary's hello */
TRI_MUST_CHECK tri_status tri__standby_promote(tri__server *server, uint32_t pair); /* ps:0 makes it the primary */

/* The standby of ps:0's range. standby_state: the step of the last STATE that it was sent; −1: none. send_state sends a new ps:0 where the
 * job stood; in sync: where it stood after that step. */
int64_t tri__standby_state(const tri__server *server);
void tri__standby_send_state(tri__server *server, int64_t step);

/* The stream from the primary: its hello, memory for the body of a message, and a message. */
TRI_MUST_CHECK tri_status tri__standby_hello(tri__peer *peer, const json_t *body);
TRI_MUST_CHECK tri_status tri__standby_body(tri__peer *peer, const tri__message *message, void **body);
TRI_MUST_CHECK tri_status tri__standby_hear(tri__peer *peer, const tri__message *message, const json_t *body);

#endif
