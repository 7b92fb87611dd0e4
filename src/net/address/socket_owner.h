/* socket_owner.h: which user of this machine is at the other end of a loopback connection.
 *
 * Traffic on loopback goes in clear, so every user of the machine could connect. The kernel knows which user has the socket at the other
 * end. We ask it once, when a connection is made. */
#ifndef TRI_NET_ADDRESS_SOCKET_OWNER_H
#define TRI_NET_ADDRESS_SOCKET_OWNER_H

#include <sys/socket.h>

#include "trireme/status.h"

/* fd was accepted from peer. NULL where the other end belongs to this process's user or to root, or where peer is not on loopback: there
 * TLS decides. TRI_BAD_CALL names the other user; TRI_IO where the kernel does not say, or where the connection has ended. */
TRI_MUST_CHECK tri_status tri__socket_owner_check(int fd, const struct sockaddr_storage *peer);

#endif
