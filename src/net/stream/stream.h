/* stream.h: reading and writing a non-blocking socket. Sizes say how many bytes moved; the state says what to wait for. */
#ifndef TRI_NET_STREAM_STREAM_H
#define TRI_NET_STREAM_STREAM_H

#include <stddef.h>
#include <sys/uio.h>

#include "trireme/status.h"

typedef enum {
    TRI_STREAM_READY,       /* some bytes moved, and perhaps more can move at once */
    TRI_STREAM_WANTS_READ,  /* perhaps some bytes moved; go on when the socket can be read */
    TRI_STREAM_WANTS_WRITE, /* perhaps some bytes moved; go on when the socket can be written */
    TRI_STREAM_ENDED,       /* the peer has closed in good order, and no bytes moved */
    TRI_STREAM_FAILED,      /* *failure says why, without the peer's name; no bytes moved */
} tri__stream_state;

typedef struct {
    int fd;
    struct tri__tls_stream *tls; /* NULL: in clear */
} tri__stream;

/* The handshake: call it until it is READY, before any other call. */
tri__stream_state tri__stream_handshake(tri__stream *stream, tri_status *failure);

tri__stream_state tri__stream_read(tri__stream *stream, const struct iovec *places, int count, size_t *size, tri_status *failure);

/* A stream may have taken bytes that it has not sent yet: then it returns WANTS_WRITE. Write again, if need be with no pieces, until
 * READY. */
tri__stream_state tri__stream_write(tri__stream *stream, const struct iovec *pieces, int count, size_t *size, tri_status *failure);

/* Tell the peer that the stream ends, where that needs no waiting, and close the socket. */
void tri__stream_close(tri__stream *stream);

#endif
