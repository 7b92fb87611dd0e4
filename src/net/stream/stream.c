/* stream.c: sockets in clear; tls_stream.c does what is encrypted. */
#define _GNU_SOURCE /* MSG_NOSIGNAL */
#include "net/stream/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stream/tls_stream.h"

static size_t total(const struct iovec *pieces, int count)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += pieces[i].iov_len;
    return sum;
}

static bool must_wait(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK;
}

static tri_status broken(int error)
{
    if (error == ECONNRESET || error == EPIPE)
        return tri_fail(TRI_IO, "the connection was cut by the peer (did it end?)");
    if (error == ETIMEDOUT)
        return tri_fail(TRI_TIMEOUT, "the peer no longer answers (its machine, or the network between, is down?)");
    return tri_fail(TRI_IO, "the connection broke: %s", strerror(error));
}

tri__stream_state tri__stream_handshake(tri__stream *stream, tri_status *failure)
{
    return stream->tls ? tri__tls_stream_handshake(stream->tls, failure) : TRI_STREAM_READY;
}

tri__stream_state tri__stream_read(tri__stream *stream, const struct iovec *places, int count, size_t *size, tri_status *failure)
{
    if (stream->tls)
        return tri__tls_stream_read(stream->tls, places, count, size, failure);
    *size = 0;
    ssize_t got = 0;
    do {
        got = readv(stream->fd, places, count);
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
        *size = (size_t)got;
        /* fewer bytes than there was room for: the kernel has no more, so another call is not needed */
        return *size < total(places, count) ? TRI_STREAM_WANTS_READ : TRI_STREAM_READY;
    }
    if (got == 0)
        return TRI_STREAM_ENDED;
    if (must_wait(errno))
        return TRI_STREAM_WANTS_READ;
    *failure = broken(errno);
    return TRI_STREAM_FAILED;
}

tri__stream_state tri__stream_write(tri__stream *stream, const struct iovec *pieces, int count, size_t *size, tri_status *failure)
{
    if (stream->tls)
        return tri__tls_stream_write(stream->tls, pieces, count, size, failure);
    *size = 0;
    const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)pieces, .msg_iovlen = (size_t)count};
    ssize_t put = 0;
    do {
        put = sendmsg(stream->fd, &message, MSG_NOSIGNAL);
    } while (put < 0 && errno == EINTR);
    if (put >= 0) {
        *size = (size_t)put;
        return *size < total(pieces, count) ? TRI_STREAM_WANTS_WRITE : TRI_STREAM_READY;
    }
    if (must_wait(errno))
        return TRI_STREAM_WANTS_WRITE;
    *failure = broken(errno);
    return TRI_STREAM_FAILED;
}

void tri__stream_close(tri__stream *stream)
{
    tri__tls_stream_destroy(stream->tls);
    if (stream->fd >= 0)
        close(stream->fd);
    *stream = (tri__stream){.fd = -1};
}
