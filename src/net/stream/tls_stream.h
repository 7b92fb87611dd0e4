/* tls_stream.h: a stream's TLS part. Calls and states are those of stream.h. */
#ifndef TRI_NET_STREAM_TLS_STREAM_H
#define TRI_NET_STREAM_TLS_STREAM_H

#include <openssl/bio.h>
#include <stdbool.h>

#include "net/stream/stream.h"
#include "net/stream/tls.h"

typedef struct tri__tls_stream tri__tls_stream;

BIO_METHOD *tri__tls_socket_method(void); /* how TLS reaches a socket; BIO_meth_free it; NULL when memory is short */

/* Speak TLS on the socket, which stays the caller's. accepts: this is the side that accepted the connection. */
TRI_MUST_CHECK tri_status tri__tls_stream_create(tri__tls *tls, int fd, bool accepts, tri__tls_stream **out);
void tri__tls_stream_destroy(tri__tls_stream *stream); /* tells the peer that the stream ends, where that needs no waiting */

tri__stream_state tri__tls_stream_handshake(tri__tls_stream *stream, tri_status *failure);
tri__stream_state tri__tls_stream_read(tri__tls_stream *stream, const struct iovec *places, int count, size_t *size, tri_status *failure);
tri__stream_state tri__tls_stream_write(tri__tls_stream *stream, const struct iovec *pieces, int count, size_t *size, tri_status *failure);

#endif
