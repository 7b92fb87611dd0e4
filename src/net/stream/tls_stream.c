/* tls_stream.c: one connection's TLS.
 *
 * OpenSSL makes records of at most 16 kB. A head and the first part of its body are put together in a small buffer, for one record; a piece
 * that is larger than a record is encrypted straight from where it stands. Records are gathered before they are sent, so that a frame costs
 * one system call, and one wake-up of its receiver, rather than one for every record. What the kernel does not take at once is kept. *
 * OpenSSL reaches the socket through a BIO of ours, because with OpenSSL's own BIO a broken connection would raise SIGPIPE. */
#include "net/stream/tls_stream.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory/memory.h"
#include "net/stream/tls_context.h"
#include "net/stream/tls_error.h"

enum {
    RECORD = SSL3_RT_MAX_PLAIN_LENGTH,
    ENCRYPTED = RECORD + SSL3_RT_HEADER_LENGTH + SSL3_RT_MAX_ENCRYPTED_OVERHEAD, /* the largest encrypted record */
    GATHERED = 4 * ENCRYPTED,
};

struct tri__tls_stream {
    SSL *ssl;
    int fd;
    bool is_dry;            /* in this call the socket gave less than we asked for: to read again is useless */
    tri__stream_state end;  /* READY; ENDED or FAILED once there is nothing more to read: then OpenSSL's answers mean nothing */
    tri_status failure;     /* why it FAILED, until it has been returned */
    uint8_t record[RECORD]; /* small pieces, put together */
    size_t sent, gathered;  /* bytes of `records` that were sent, and that are there in all */
    uint8_t records[GATHERED];
};

static int read_socket(BIO *bio, char *data, size_t size, size_t *got)
{
    tri__tls_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *got = 0;
    ssize_t count = -1;
    errno = EAGAIN;
    while (!stream->is_dry && (count = recv(stream->fd, data, size, 0)) < 0 && errno == EINTR)
        continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        BIO_set_retry_read(bio);
    if (count == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (count <= 0)
        return 0;
    stream->is_dry = (size_t)count < size;
    *got = (size_t)count;
    return 1;
}

/* Keeps records until push sends them. */
static int gather_records(BIO *bio, const char *data, size_t size, size_t *put)
{
    tri__tls_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    size_t room = GATHERED - stream->gathered;
    *put = size < room ? size : room;
    memcpy(stream->records + stream->gathered, data, *put);
    stream->gathered += *put;
    if (*put == 0)
        BIO_set_retry_write(bio);
    return *put > 0;
}

/* Send what is gathered. */
static tri__stream_state push(tri__tls_stream *stream, tri_status *failure)
{
    while (stream->sent < stream->gathered) {
        ssize_t count = send(stream->fd, stream->records + stream->sent, stream->gathered - stream->sent, MSG_NOSIGNAL);
        if (count >= 0) {
            stream->sent += (size_t)count;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return TRI_STREAM_WANTS_WRITE;
        } else if (errno != EINTR) {
            *failure = tri__tls_failure(stream->ssl);
            return TRI_STREAM_FAILED;
        }
    }
    stream->sent = stream->gathered = 0;
    return TRI_STREAM_READY;
}

/* As push, for records that may also leave later: the end of the stream, alerts, new keys. */
static void try_push(tri__tls_stream *stream)
{
    tri_status failure = NULL;
    push(stream, &failure);
    tri_status_free(failure);
}

static long control_socket(BIO *bio, int command, long number, void *pointer)
{
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH; /* push does the flushing */
}

BIO_METHOD *tri__tls_socket_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket without SIGPIPE");
    if (method) {
        BIO_meth_set_read_ex(method, read_socket);
        BIO_meth_set_write_ex(method, gather_records);
        BIO_meth_set_ctrl(method, control_socket);
    }
    return method;
}

tri_status tri__tls_stream_create(tri__tls *tls, int fd, bool accepts, tri__tls_stream **out)
{
    *out = NULL;
    tri__tls_stream *stream = NULL;
    TRI_TRY(tri__allocate(1, sizeof *stream, "a TLS connection", &stream));
    stream->ssl = SSL_new(tls->context);
    BIO *bio = stream->ssl ? BIO_new(tls->socket) : NULL;
    if (!bio) {
        tri__tls_stream_destroy(stream);
        ERR_clear_error();
        return tri_fail(TRI_NO_MEMORY, "no memory for a TLS connection");
    }
    stream->fd = fd;
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    SSL_set_bio(stream->ssl, bio, bio);
    if (accepts)
        SSL_set_accept_state(stream->ssl);
    else
        SSL_set_connect_state(stream->ssl);
    *out = stream;
    return NULL;
}

void tri__tls_stream_destroy(tri__tls_stream *stream)
{
    if (!stream)
        return;
    if (stream->ssl && SSL_is_init_finished(stream->ssl) && stream->end == TRI_STREAM_READY) {
        SSL_shutdown(stream->ssl); /* tells the peer that the stream ends; we do not wait for an answer */
        try_push(stream);
        ERR_clear_error();
    }
    SSL_free(stream->ssl);
    tri_status_free(stream->failure);
    free(stream);
}

/* The state after a call of OpenSSL that moved no bytes. */
static tri__stream_state state_of(const tri__tls_stream *stream, int result, tri_status *failure)
{
    switch (SSL_get_error(stream->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return TRI_STREAM_WANTS_READ;
    case SSL_ERROR_WANT_WRITE:
        return TRI_STREAM_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return TRI_STREAM_ENDED;
    default:
        *failure = tri__tls_failure(stream->ssl);
        return TRI_STREAM_FAILED;
    }
}

tri__stream_state tri__tls_stream_handshake(tri__tls_stream *stream, tri_status *failure)
{
    stream->is_dry = false;
    ERR_clear_error();
    errno = 0;
    int result = SSL_do_handshake(stream->ssl);
    tri__stream_state state = result == 1 ? TRI_STREAM_READY : state_of(stream, result, failure);
    if (state == TRI_STREAM_FAILED) {
        try_push(stream); /* tell the peer why */
        return state;
    }
    tri__stream_state pushed = push(stream, failure);
    return pushed == TRI_STREAM_READY ? state : pushed;
}

/* The state to return once there is nothing more to read. */
static tri__stream_state end_of(tri__tls_stream *stream, tri_status *failure)
{
    *failure = stream->failure;
    stream->failure = NULL;
    if (stream->end == TRI_STREAM_FAILED && !*failure)
        *failure = tri_fail(TRI_IO, "the connection is broken");
    return stream->end;
}

tri__stream_state tri__tls_stream_read(tri__tls_stream *stream, const struct iovec *places, int count, size_t *size, tri_status *failure)
{
    *size = 0;
    if (stream->end != TRI_STREAM_READY)
        return end_of(stream, failure);
    stream->is_dry = false;
    for (int i = 0; i < count; i++) {
        for (size_t done = 0; done < places[i].iov_len;) {
            size_t got = 0;
            ERR_clear_error();
            errno = 0;
            int result = SSL_read_ex(stream->ssl, (uint8_t *)places[i].iov_base + done, places[i].iov_len - done, &got);
            done += got;
            *size += got;
            if (result == 1)
                continue;
            tri__stream_state state = state_of(stream, result, &stream->failure);
            try_push(stream);
            if (state == TRI_STREAM_WANTS_READ || state == TRI_STREAM_WANTS_WRITE)
                return state;
            stream->end = state;
            return *size > 0 ? TRI_STREAM_READY : end_of(stream, failure); /* the bytes before the end come first */
        }
    }
    return TRI_STREAM_READY;
}

/* A position in a list of pieces. */
typedef struct {
    const struct iovec *piece, *end;
    size_t offset; /* in piece */
} position;

static void skip(position *at, size_t size)
{
    at->offset += size;
    while (at->piece < at->end && at->offset >= at->piece->iov_len)
        at->offset -= (at->piece++)->iov_len;
}

/* The bytes for the next record: the rest of one large piece, where it stands; or several small pieces, put together. */
static struct iovec next_record(tri__tls_stream *stream, position at)
{
    size_t left = at.piece->iov_len - at.offset;
    if (left >= RECORD || at.piece + 1 == at.end)
        return (struct iovec){(uint8_t *)at.piece->iov_base + at.offset, left};
    size_t size = 0;
    while (at.piece < at.end && size < RECORD) {
        left = at.piece->iov_len - at.offset;
        size_t part = left < RECORD - size ? left : RECORD - size;
        memcpy(stream->record + size, (const uint8_t *)at.piece->iov_base + at.offset, part);
        size += part;
        skip(&at, part);
    }
    return (struct iovec){stream->record, size};
}

/* A record is begun only where there is room for all of it in encrypted form, so OpenSSL never has to wait in the middle of one. */
tri__stream_state tri__tls_stream_write(tri__tls_stream *stream, const struct iovec *pieces, int count, size_t *size, tri_status *failure)
{
    position at = {pieces, pieces + count, 0};
    tri__stream_state state = TRI_STREAM_READY;
    *size = 0;
    do {
        while (at.piece < at.end && GATHERED - stream->gathered >= ENCRYPTED) {
            const struct iovec next = next_record(stream, at);
            size_t put = 0;
            ERR_clear_error();
            errno = 0;
            int result = SSL_write_ex(stream->ssl, next.iov_base, next.iov_len, &put);
            if (result != 1)
                return state_of(stream, result, failure);
            skip(&at, put);
            *size += put;
        }
        state = push(stream, failure);
    } while (state == TRI_STREAM_READY && at.piece < at.end);
    return state;
}
