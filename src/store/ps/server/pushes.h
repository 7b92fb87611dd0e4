/* pushes.h: what a server does with workers' gradients, and what it does when a step is whole. */
#ifndef TRI_STORE_PS_SERVER_PUSHES_H
#define TRI_STORE_PS_SERVER_PUSHES_H

#include "store/ps/server/server_inside.h"

TRI_MUST_CHECK tri_status tri__server_take_push(tri__peer *peer, const tri__message *message); /* a PUSH or PUSH_ROWS, read whole */
void tri__server_take_early(tri__server *server); /* takes the pushes whose step has begun by now; each may let another step begin */

void tri__server_answer_all(tri__server *server, uint32_t chunk); /* sync: a chunk has its next step: sends it to all that pushed it */
void tri__server_settle(tri__server *server);                     /* sync: ends steps that became whole without a push */

void tri__server_go_back(tri__server *server, uint32_t generation, int64_t step); /* the stretch is at `step`: begins anew from there */
void tri__server_forget(tri__server *server);                                     /* all go back: drops answers and a copy that are due */

#endif
