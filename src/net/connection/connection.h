/* connection.h: connections that carry frames.
 *
 * A frame is a head of fixed size and a body. When a head has come, the handler says where the body goes, so bodies are read straight into
 * their destination; bodies that are sent are not copied either. Nothing from the wire is trusted: a handler sees a head only after the
 * peer was authenticated (where there is TLS), and says whether it takes a body of that size.
 *
 * A connection lives on a loop, and the loop's thread makes all its calls. It ends once, by the peer, by a failure or by close. `closed` is
 * the last handler that it calls; then it frees itself. */
#ifndef TRI_NET_CONNECTION_CONNECTION_H
#define TRI_NET_CONNECTION_CONNECTION_H

#include <stddef.h>

#include "net/address/address.h"
#include "net/loop/loop.h"
#include "net/stream/tls.h"

typedef struct tri__connection tri__connection;
typedef struct tri__admission tri__admission;

enum { TRI_FRAME_WORDS = 4 };

typedef struct {
    uint32_t type;
    uint32_t size; /* of the body, in bytes */
    uint64_t word[TRI_FRAME_WORDS];
} tri__frame; /* 40 bytes on the wire, little-endian */

typedef struct {
    /* The connection is established, and the peer is authenticated. */
    void (*open)(void *context, tri__connection *connection);
    /* A head has come. Set *body to where its size bytes go; this memory is the connection's until frame is called. Not called where size
     * is 0. A failure ends the connection, and closed gets it. */
    tri_status (*begin)(void *context, tri__connection *connection, const tri__frame *frame, void **body);
    /* The whole frame is there; body is NULL where size is 0. A failure ends the connection, and closed gets it. */
    tri_status (*frame)(void *context, tri__connection *connection, const tri__frame *frame, void *body);
    /* The kernel has taken all that was sent. Called only where some of it still waited when its send returned. May be NULL. */
    void (*drained)(void *context, tri__connection *connection);
    /* The connection has ended. why: NULL where the peer closed in good order between two frames, or close was called; the handler frees
     * it. */
    void (*closed)(void *context, tri__connection *connection, tri_status why);
} tri__connection_handlers;

typedef struct {
    const tri__connection_handlers *handlers;
    void *context;
    tri__tls *tls;   /* NULL: in clear */
    int64_t timeout; /* nanoseconds: for connecting, for the handshake, and without progress in a frame that has begun (either way) */
} tri__connection_options;

/* Begin to connect. open or closed is called later, never inside this call. The options are copied. Fails only where nothing was begun. */
TRI_MUST_CHECK tri_status tri__connection_open(tri__loop *loop, const tri__address *address, const tri__connection_options *options,
                                               tri__connection **out);
void tri__connection_close(tri__connection *connection); /* closed is called from the loop, soon; what was not sent is lost */

/* Send a frame. body is borrowed until nothing is unsent, or closed is called. more: another frame follows at once, so wait with the system
 * call. A failure is reported by closed, never here. May be called inside a handler and outside. */
void tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more);

/* As send, with a copy of body; for small bodies. */
void tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more);

/* Bytes of frames that wait, and whose bodies are still borrowed; with TLS some 64 kB more may wait encrypted. */
size_t tri__connection_unsent(const tri__connection *connection);

void tri__connection_pause(tri__connection *connection, bool paused); /* read nothing, so that the peer has to wait */
void tri__connection_set_context(tri__connection *connection, void *context);
const char *tri__connection_peer(const tri__connection *connection);                             /* "127.0.0.1:4242", for messages */
void tri__connection_count(const tri__connection *connection, int64_t *sent, int64_t *received); /* bytes of frames so far */

/* Say who the peer is ("worker:1"), once: what the connection sends and receives, also what it did before, counts for this peer in the
 * traffic of its loop. */
void tri__connection_name_peer(tri__connection *connection, const char *name);

/* For listeners: a connection on an accepted socket. It takes the socket, also where it fails. It tells admission (admission.h) when the
 * peer is authenticated and when the connection ends. */
TRI_MUST_CHECK tri_status tri__connection_accept(tri__loop *loop, int fd, const struct sockaddr_storage *peer,
                                                 const tri__connection_options *options, tri__admission *admission, tri__connection **out);
void tri__connection_greeted(tri__connection *connection);             /* the peer has said who it is: it is no newcomer any more */
void tri__connection_drop(tri__connection *connection);                /* as close, but none of its handlers is called */
void tri__connection_end(tri__connection *connection, tri_status why); /* as close, with a reason for closed; takes why */

#endif
