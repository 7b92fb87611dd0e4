/* admission.h: counts the connections of a listener, and knows which of them have not shown yet who they are.
 *
 * A connection is a newcomer until it is authenticated; in clear, until its owner says that it is greeted. There are few newcomers; when
 * there are too many, the one that has waited longest is closed. A handshake of a real peer takes milliseconds, so a flood of strangers
 * does not keep real peers out for long.
 *
 * The listener and each of its connections hold a reference. */
#ifndef TRI_NET_CONNECTION_ADMISSION_H
#define TRI_NET_CONNECTION_ADMISSION_H

#include "net/connection/connection.h"

TRI_MUST_CHECK tri_status tri__admission_create(int most, tri__admission **out);
void tri__admission_release(tri__admission *admission); /* the listener's reference; accepts NULL */

/* Whether there is room for one more connection. Where there is none, the oldest newcomer is closed to make it. */
bool tri__admission_make_room(tri__admission *admission);

/* A connection was accepted. It holds a reference from now on, until tri__admission_left. */
void tri__admission_entered(tri__admission *admission, tri__connection *connection, bool newcomer);
void tri__admission_passed(tri__admission *admission, tri__connection *connection); /* it is a newcomer no more */
void tri__admission_left(tri__admission *admission, tri__connection *connection);   /* it has ended, and gives up its reference */

#endif
