/* address.h: where tasks listen: "host:port", "[v6]:port". */
#ifndef TRI_NET_ADDRESS_ADDRESS_H
#define TRI_NET_ADDRESS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "trireme/status.h"

typedef struct {
    char *host; /* as given, without brackets */
    uint16_t port;
} tri__address;

TRI_MUST_CHECK tri_status tri__address_parse(const char *text, tri__address *out); /* TRI_BAD_CALL with advice */
void tri__address_fini(tri__address *address);

/* Ask the resolver. A name may get another address later, so each new connection resolves it again. Of several addresses it takes the first
 * IPv4 one, or else the first; so all tasks that see the same addresses take the same one. TRI_NOT_FOUND where the name is not known. */
TRI_MUST_CHECK tri_status tri__address_resolve(const tri__address *address, struct sockaddr_storage *out, socklen_t *size);

/* "127.0.0.1:4242", "[::1]:4242", for messages. */
enum { TRI_ADDRESS_TEXT = 64 };
void tri__address_write(const struct sockaddr_storage *socket_address, char text[TRI_ADDRESS_TEXT]);

bool tri__socket_is_loopback(const struct sockaddr_storage *socket_address);

/* True where every address that the name stands for is of this machine's loopback. */
bool tri__address_is_loopback(const tri__address *address);

/* A listening socket on just this address. Port 0 takes a free port; *port gets the one that was taken. The message of TRI_IO names the
 * address, and says so where the port is in use. close() it, or hand it to a listener or a child. */
TRI_MUST_CHECK tri_status tri__address_listen(const tri__address *address, int *fd, uint16_t *port);

#endif
