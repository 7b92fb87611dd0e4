/* tls_context.h: what tls.c and tls_stream.c share: how OpenSSL is set up. */
#ifndef TRI_NET_STREAM_TLS_CONTEXT_H
#define TRI_NET_STREAM_TLS_CONTEXT_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "net/stream/tls.h"

enum { TRI_FINGERPRINT = 32 }; /* SHA-256 */

struct tri__tls {
    SSL_CTX *context;
    BIO_METHOD *socket;                 /* how TLS reaches a socket */
    bool pinned;                        /* true: a peer must show our own certificate; false: one that the authority signed */
    unsigned char own[TRI_FINGERPRINT]; /* the fingerprint of our certificate */
};

#endif
