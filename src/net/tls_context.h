/* tls_context.h: what tls.c and tls_stream.c share: how OpenSSL is set up, and what its failures mean. */
#ifndef TRI_NET_TLS_CONTEXT_H
#define TRI_NET_TLS_CONTEXT_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "net/tls.h"

enum { TRI_FINGERPRINT = 32 }; /* SHA-256 */

struct tri__tls {
    SSL_CTX *context;
    BIO_METHOD *socket;                 /* how TLS reaches a socket */
    bool pinned;                        /* a peer must show our own certificate; else one that the authority signed */
    unsigned char own[TRI_FINGERPRINT]; /* of our certificate */
};

BIO_METHOD *tri__tls_socket_method(void); /* BIO_meth_free it; NULL when memory is short */

/* What a failed call of OpenSSL's means for this connection, without the peer's name. Empties OpenSSL's list of errors. */
TRI_MUST_CHECK tri_status tri__tls_failure(const SSL *ssl);

/* The same where no connection is concerned: "doing: reason". */
TRI_MUST_CHECK tri_status tri__tls_trouble(tri_code code, const char *doing);

#endif
