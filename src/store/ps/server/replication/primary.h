/* primary.h: the primary's end of replication (replication.h). A server without a standby is a primary that is alone. */
#ifndef TRI_STORE_PS_SERVER_REPLICATION_PRIMARY_H
#define TRI_STORE_PS_SERVER_REPLICATION_PRIMARY_H

#include "store/ps/server/server_inside.h"

void tri__primary_lead_alone(tri__server *server); /* hangs up on the standby, and sends all answers that are owed */
void tri__primary_watch(tri__server *server);      /* there is a stretch now: its updates go to the standby */
void tri__primary_tick(tri__server *server);

void tri__primary_answer(tri__peer *peer, uint32_t chunk); /* its push is in: answers it, now or when both servers have it */
void tri__primary_forget(const tri__peer *peer);           /* its connection has ended: nothing is owed to it */
void tri__primary_met(tri__server *server, int task);      /* a worker was welcomed: tells the standby */

void tri__primary_state(tri__server *server, json_t *state); /* ps:0 with an open stream: sends where the job stands. Lets go of state */

/* Events of the stream to the standby: it is open, it takes more, a message came, it broke. */
void tri__primary_greet(tri__peer *peer);
void tri__primary_drained(tri__server *server);
TRI_MUST_CHECK tri_status tri__primary_hear(tri__server *server, const tri__message *message);
void tri__primary_stream_closed(tri__server *server);

#endif
