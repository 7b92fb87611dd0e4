/* peer.h: one connection of a server: which task is at its other end, and which answers it is still to be sent. */
#ifndef TRI_STORE_PS_SERVER_PEER_H
#define TRI_STORE_PS_SERVER_PEER_H

#include "store/ps/server/server_inside.h"

tri__peer *tri__peer_attach(tri__server *server); /* a stranger, whose connection the caller fills in; NULL: memory is short */
void tri__peer_detach(tri__peer *peer);           /* its connection has ended */
bool tri__peer_is_known(const tri__peer *peer);   /* it has said hello, and is welcome, now or later */

TRI_MUST_CHECK tri_status tri__peer_equip(tri__peer *peer); /* allocates what a worker's connection needs, once */
void tri__peer_refuse(tri__peer *peer, tri_status why);     /* tells it why, then closes. Takes why */
void tri__peer_replaced(tri__peer *before);                 /* its process has made another connection: closes this one */

/* Another process, before, has the place that peer asks for. It may have ended: the end of its connection may still be unread. */
bool tri__peer_in_doubt(const tri__peer *peer, const tri__peer *before);

void tri__peer_answer(tri__peer *peer, uint32_t chunk, bool more); /* sends a chunk's parameters, now or when there is room */
void tri__peer_send_due(tri__peer *peer);                          /* the connection takes more */

#endif
