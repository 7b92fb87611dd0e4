/* admission.h: what a listener and its connections know of each other.
 *
 * Whoever connects is a newcomer until it is authenticated. Newcomers are few, and where there are too many the one that has waited
 * longest goes: a member's handshake takes milliseconds, so a flood of strangers holds up nobody for long. */
#ifndef TRI_NET_ADMISSION_H
#define TRI_NET_ADMISSION_H

#include "net/connection.h"

enum { TRI_NEWCOMERS = 128 };

typedef struct {
    int references; /* the listener and each connection */
    int most, standing;
    int most_newcomers, newcomer_count;
    tri__connection *newcomers[TRI_NEWCOMERS]; /* in the order in which they came */
} tri__admission;

void tri__admission_passed(tri__admission *admission, tri__connection *connection); /* it is authenticated */
void tri__admission_left(tri__admission *admission, tri__connection *connection);   /* it has ended; forget the admission */

/* A connection on a socket that was accepted, which it takes in any case. */
TRI_MUST_CHECK tri_status tri__connection_accept(tri__loop *loop, int fd, const struct sockaddr_storage *peer,
                                                 const tri__connection_options *options, tri__admission *admission, tri__connection **out);
void tri__connection_drop(tri__connection *connection);                /* as close, and none of its handlers hears of it */
void tri__connection_end(tri__connection *connection, tri_status why); /* as close, with a reason, which it takes */

#endif
