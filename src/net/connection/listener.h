/* listener.h: accepts connections on a listening socket, and limits how many there are. */
#ifndef TRI_NET_CONNECTION_LISTENER_H
#define TRI_NET_CONNECTION_LISTENER_H

#include "net/connection/connection.h"

typedef struct tri__listener tri__listener;

typedef struct {
    tri__connection_options connection; /* of each connection; `accepted` gets its context */

    /* A new connection, before anything is read from it. Returns the context for its handlers; where that is NULL, the connection is closed
     * and none of its handlers is called. */
    void *(*accepted)(void *context, tri__connection *connection);

    /* The most connections at a time. A further one is closed at once, unless there are some that are not authenticated yet: then the
     * oldest of those is closed. In clear, a connection over loopback by another user of this machine is closed with that reason
     * (socket_owner.h). */
    int most;

    /* In clear nobody is authenticated: a connection is a newcomer (admission.h) until tri__connection_greeted is called for it. */
    bool awaits_hello;
} tri__listener_options;

/* fd: a listening socket. The listener takes it where this succeeds. */
TRI_MUST_CHECK tri_status tri__listener_create(tri__loop *loop, int fd, const tri__listener_options *options, tri__listener **out);
void tri__listener_destroy(tri__listener *listener); /* its connections stay; accepts NULL */

#endif
