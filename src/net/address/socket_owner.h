/* socket_owner.h: which user of this machine is at the other end of a loopback connection.
 *
 * Traffic on loopback goes in clear, so every user of the machine could connect. The kernel knows whose socket the other end is: that is
 * one question when a connection is made, and costs nothing afterwards. */
#ifndef TRI_NET_ADDRESS_SOCKET_OWNER_H
#define TRI_NET_ADDRESS_SOCKET_OWNER_H

#include <sys/socket.h>

#include "trireme/status.h"

/* NULL where the other end of fd, which was accepted from peer, is this process's user or root, or where peer is not on loopback: beyond it
 * TLS decides. TRI_BAD_CALL names the other user; TRI_IO where the kernel does not say, or where the connection has ended. */
TRI_MUST_CHECK tri_status tri__socket_owner_check(int fd, const struct sockaddr_storage *peer);

#endif
