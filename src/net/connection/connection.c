/* connection.c: a socket, the frame that is being read, and the frames that wait to be sent.
 *
 * Handlers may do anything to their own connection, so nothing is freed while a handler runs: close only marks the connection as ended, and
 * `finish` runs when the loop makes its deferred calls. Sending tries the kernel at once; only what it does not take waits until the socket
 * can be written. Interest in a socket is changed as rarely as possible, since each change is a system call.
 *
 * Deadlines: a sweep (loop_uv.h) adds up the time in which a frame that has begun did not move, in or out. */
#include "net/connection/connection.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/connection/admission.h"
#include "net/connection/inbox.h"
#include "net/connection/outbox.h"
#include "net/loop/loop_uv.h"
#include "net/stream/stream.h"
#include "net/stream/tls_stream.h"

enum {
    READS_AT_ONCE = 16,   /* then other connections have their turn */
    PIECES_AT_ONCE = 128, /* pieces of frames in one system call */
};

typedef enum { CONNECTING, HANDSHAKING, OPEN, ENDED } stage;

/* How far the bytes that were sent have got. They have left when the kernel has all of them; until then they wait in the outbox or, with
 * TLS, in the stream. Where a send returned before that, `drained` is called once all have left.
 *
 *   ALL_LEFT ──send──► LEAVING ──the send returns──► WAITING
 *      ▲ ▲                │                          │    ▲
 *      │ └───all left─────┘                   all left    send
 *      │                                             ▼    │
 *      └───────────drained was called─────────────── DRAINED */
typedef enum { ALL_LEFT, LEAVING, WAITING, DRAINED } sending;

struct tri__connection {
    tri__connection_options options;
    tri__loop *loop;
    tri__admission *admission; /* NULL: no listener made it, or it has ended */
    stage stage;
    tri_status why; /* why it ended */

    uv_poll_t poll;
    int polled; /* the events that poll waits for */
    tri__stream stream;
    tri__deferred deferred; /* calls visit */
    bool handling;          /* visit is running: it also does what sends left to do */

    tri__inbox inbox;
    bool paused;
    bool read_on; /* there may be something to read that polling the socket does not show */
    int awaits;   /* the events that the handshake waits for; when open, events that reading needs beside UV_READABLE */

    tri__outbox outbox;
    int blocked; /* the event that sending waits for, because the kernel takes no more; 0: the kernel may take some */
    sending sending;
    tri_status unsendable; /* why nothing can be sent any more; what the peer sent before it left is still read */

    tri__swept swept;
    int64_t sent, received;           /* bytes of frames */
    tri__peer_traffic *peer_traffic;  /* receives them, too; NULL: nobody said who the peer is, or traffic is not added up */
    int64_t sent_seen, received_seen; /* sent and received at the last sweep */
    int64_t stalled_out, stalled_in;  /* nanoseconds in which a frame should have moved and did not */
    char peer[TRI_ADDRESS_TEXT];
};

/* ---- the end ---- */

void tri__connection_end(tri__connection *connection, tri_status why)
{
    if (connection->stage == ENDED) {
        tri_status_free(why);
        return;
    }
    connection->stage = ENDED;
    connection->why = why;
    if (connection->admission)
        tri__admission_left(connection->admission, connection);
    connection->admission = NULL;
    tri__loop_defer(connection->loop, &connection->deferred);
}

void tri__connection_close(tri__connection *connection)
{
    tri__connection_end(connection, NULL);
}

static void ignore_end(void *context, tri__connection *connection, tri_status why)
{
    (void)context, (void)connection;
    tri_status_free(why);
}

void tri__connection_drop(tri__connection *connection)
{
    static const tri__connection_handlers nobody = {.closed = ignore_end};
    connection->options.handlers = &nobody;
    tri__connection_close(connection);
}

/* As tri__connection_end, with the peer's name before the reason. */
static void fail(tri__connection *connection, tri_status why)
{
    tri__connection_end(connection, tri_wrap(why, "peer %s", connection->peer));
}

static void free_connection(uv_handle_t *handle)
{
    free(handle->data);
}

static void finish(tri__connection *connection)
{
    tri__loop_sweep_end(connection->loop, &connection->swept);
    uv_close((uv_handle_t *)&connection->poll, free_connection);
    tri__stream_close(&connection->stream);
    tri__outbox_fini(&connection->outbox);
    tri_status_free(connection->unsendable);
    tri__loop_happened(connection->loop);
    connection->options.handlers->closed(connection->options.context, connection, connection->why);
}

/* ---- sending ---- */

static void on_poll(uv_poll_t *poll, int status, int events);

/* Poll for the events that let something go on, and for no others. */
static void arm(tri__connection *connection)
{
    int wanted = connection->awaits | connection->blocked;
    if (connection->stage == OPEN && !connection->paused)
        wanted |= UV_READABLE;
    if (wanted == connection->polled || connection->stage == ENDED)
        return;
    connection->polled = wanted;
    int error = wanted ? uv_poll_start(&connection->poll, wanted, on_poll) : uv_poll_stop(&connection->poll);
    if (error)
        fail(connection, tri_fail(TRI_IO, "cannot wait for the socket: %s", uv_strerror(error)));
}

static int event_for(tri__stream_state state)
{
    return state == TRI_STREAM_WANTS_READ ? UV_READABLE : state == TRI_STREAM_WANTS_WRITE ? UV_WRITABLE : 0;
}

/* Nothing can be sent any more. The peer may have sent the reason before it left: read on, and end with that. */
static void give_up_sending(tri__connection *connection, tri_status why)
{
    tri__outbox_fini(&connection->outbox);
    connection->unsendable = why;
    if (connection->paused) {
        connection->unsendable = NULL;
        fail(connection, why);
    }
}

/* Give the kernel all that it takes. */
static void flush(tri__connection *connection)
{
    tri__outbox *outbox = &connection->outbox;
    if (connection->stage != OPEN || connection->blocked || connection->unsendable || connection->sending == ALL_LEFT ||
        connection->sending == DRAINED)
        return;
    tri_status failure = NULL;
    tri__stream_state state = TRI_STREAM_READY;
    do {
        struct iovec pieces[PIECES_AT_ONCE];
        size_t taken = 0;
        int count = tri__outbox_pieces(outbox, pieces, PIECES_AT_ONCE);
        state = tri__stream_write(&connection->stream, pieces, count, &taken, &failure);
        tri__outbox_taken(outbox, taken);
        connection->sent += (int64_t)taken;
        tri__loop_moved(connection->loop, connection->peer_traffic, taken, 0);
    } while (outbox->bytes > 0 && state == TRI_STREAM_READY);
    connection->blocked = event_for(state);
    if (state == TRI_STREAM_FAILED)
        give_up_sending(connection, failure);
    if (state == TRI_STREAM_READY)
        connection->sending = connection->sending == WAITING ? DRAINED : ALL_LEFT;
}

/* What follows a send: the system call, unless another frame follows at once; then arrange for what is left to do. */
static void post(tri__connection *connection, bool more)
{
    if (!more)
        flush(connection);
    if (connection->sending == LEAVING)
        connection->sending = WAITING;
    if (connection->handling)
        return;
    bool is_held = connection->stage == OPEN && connection->outbox.bytes > 0 && !connection->blocked;
    if (is_held || (connection->sending == DRAINED && connection->options.handlers->drained))
        tri__loop_defer(connection->loop, &connection->deferred);
    if (connection->blocked)
        arm(connection);
}

/* Put a frame into the outbox; false where nothing can be sent any more. */
static bool add(tri__connection *connection, const tri__frame *frame, const void *body)
{
    assert(body || frame->size == 0);
    if (connection->stage == ENDED || connection->unsendable)
        return false;
    tri_status status = tri__outbox_add(&connection->outbox, frame, body);
    if (connection->sending == ALL_LEFT)
        connection->sending = LEAVING;
    else if (connection->sending == DRAINED)
        connection->sending = WAITING;
    if (status)
        fail(connection, status);
    return !status;
}

void tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    if (add(connection, frame, body))
        post(connection, more);
}

void tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    if (!add(connection, frame, body))
        return;
    if (!more)
        flush(connection); /* afterwards there is mostly nothing left to copy */
    tri_status status = connection->outbox.bytes > 0 ? tri__outbox_keep_last(&connection->outbox) : NULL;
    if (status)
        fail(connection, status);
    post(connection, more);
}

/* ---- receiving ---- */

/* Hand over all frames that are whole. False where nothing more is to be read now. */
static bool deliver(tri__connection *connection)
{
    const tri__connection_handlers *handlers = connection->options.handlers;
    tri__inbox *inbox = &connection->inbox;
    while (connection->stage == OPEN && !connection->paused) {
        tri__inbox_event event = tri__inbox_next(inbox);
        if (event == TRI_INBOX_WANTS)
            return true;
        tri__loop_happened(connection->loop);
        tri_status status = NULL;
        void *body = NULL;
        if (event == TRI_INBOX_HEAD)
            status = handlers->begin(connection->options.context, connection, &inbox->frame, &body);
        else
            status = handlers->frame(connection->options.context, connection, &inbox->frame, inbox->body);
        if (status)
            tri__connection_end(connection, status);
        else if (event == TRI_INBOX_HEAD && connection->stage == OPEN)
            tri__inbox_set_body(inbox, body);
    }
    return false;
}

/* The peer will send nothing more. */
static void meet_end(tri__connection *connection)
{
    tri_status why = connection->unsendable;
    connection->unsendable = NULL;
    if (why || tri__inbox_is_between(&connection->inbox)) /* deliver ran before: no frame waits for its place */
        tri__connection_end(connection, tri_wrap(why, "peer %s", connection->peer));
    else
        fail(connection, tri_fail(TRI_IO, "ended in the middle of a message (was it killed?)"));
}

/* Read what has come, frame by frame. */
static void receive(tri__connection *connection)
{
    connection->awaits = 0;
    connection->read_on = false;
    for (int reads = 0; deliver(connection); reads++) {
        if (reads == READS_AT_ONCE) {
            connection->read_on = true;
            tri__loop_defer(connection->loop, &connection->deferred);
            return;
        }
        struct iovec places[TRI_INBOX_PLACES];
        size_t size = 0;
        tri_status failure = NULL;
        int count = tri__inbox_places(&connection->inbox, places);
        tri__stream_state state = tri__stream_read(&connection->stream, places, count, &size, &failure);
        tri__inbox_filled(&connection->inbox, size);
        connection->received += (int64_t)size;
        tri__loop_moved(connection->loop, connection->peer_traffic, 0, size);
        if (state == TRI_STREAM_ENDED) {
            meet_end(connection);
        } else if (state == TRI_STREAM_FAILED) {
            fail(connection, failure);
        } else if (state != TRI_STREAM_READY) {
            connection->awaits = event_for(state) & ~UV_READABLE;
            deliver(connection);
            return;
        }
    }
}

/* ---- the beginning ---- */

static tri_status connect_failure(const tri__connection *connection, int error)
{
    if (error == ECONNREFUSED)
        return tri_fail(TRI_IO, "peer %s: nobody listens there (is it started, and is that the port?)", connection->peer);
    return tri_fail(error == ETIMEDOUT ? TRI_TIMEOUT : TRI_IO, "peer %s: cannot connect: %s", connection->peer, strerror(error));
}

/* Where no process listens on a port, the kernel may choose that port for our own end and connect the socket to itself. */
static bool is_own_end(int fd)
{
    struct sockaddr_storage own = {0}, other = {0};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    return !getsockname(fd, (struct sockaddr *)&own, &own_size) && !getpeername(fd, (struct sockaddr *)&other, &other_size) &&
           own_size == other_size && memcmp(&own, &other, own_size) == 0;
}

static void connected(tri__connection *connection)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(connection->stream.fd, SOL_SOCKET, SO_ERROR, &error, &size))
        error = errno;
    if (!error && is_own_end(connection->stream.fd))
        error = ECONNREFUSED;
    if (error)
        tri__connection_end(connection, connect_failure(connection, error));
    else
        connection->stage = HANDSHAKING;
}

void tri__connection_greeted(tri__connection *connection)
{
    if (connection->admission)
        tri__admission_passed(connection->admission, connection);
}

static void shake_hands(tri__connection *connection)
{
    tri_status failure = NULL;
    tri__stream_state state = tri__stream_handshake(&connection->stream, &failure);
    connection->awaits = event_for(state);
    if (state == TRI_STREAM_FAILED) {
        fail(connection, failure);
    } else if (state == TRI_STREAM_READY) {
        connection->stage = OPEN;
        connection->read_on = true;
        if (connection->options.tls)
            tri__connection_greeted(connection);
        tri__loop_happened(connection->loop);
        connection->options.handlers->open(connection->options.context, connection);
    }
}

static void say_drained(tri__connection *connection)
{
    connection->sending = ALL_LEFT;
    if (!connection->options.handlers->drained)
        return;
    tri__loop_happened(connection->loop);
    connection->options.handlers->drained(connection->options.context, connection);
}

/* Do all that can be done now, then what sends and handlers have left to do. */
static void visit(tri__connection *connection, int events)
{
    connection->handling = true;
    if (connection->stage == CONNECTING && events)
        connected(connection);
    if (connection->stage == HANDSHAKING)
        shake_hands(connection);
    if (events & connection->blocked)
        connection->blocked = 0;
    flush(connection);
    if (connection->stage == OPEN && (connection->read_on || (events & (UV_READABLE | connection->awaits))))
        receive(connection);
    flush(connection); /* frames that handlers sent with `more`, though none followed */
    if (connection->sending == DRAINED && connection->stage == OPEN)
        say_drained(connection);
    connection->handling = false;
    post(connection, true);
    arm(connection);
}

/* libuv reports an error only by a status, and stops polling: the system calls that we make next say more. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
    tri__connection *connection = poll->data;
    if (connection->stage == ENDED)
        return;
    if (status < 0)
        connection->polled = 0;
    visit(connection, status < 0 ? UV_READABLE | UV_WRITABLE : events);
}

static void on_deferred(void *owner)
{
    tri__connection *connection = owner;
    if (connection->stage == ENDED)
        finish(connection);
    else
        visit(connection, 0);
}

/* Add up the time in which nothing moved, though something should have. */
static void count_stall(bool should_move, int64_t moved, int64_t *seen, int64_t *stalled, int64_t elapsed)
{
    *stalled = should_move && moved == *seen ? *stalled + elapsed : 0;
    *seen = moved;
}

static const char *stall_phrase(const tri__connection *connection)
{
    switch (connection->stage) {
    case CONNECTING:
        return "could not be reached";
    case HANDSHAKING:
        return "did not finish the handshake";
    default:
        return connection->stalled_in > connection->stalled_out ? "stopped in the middle of a message" : "took nothing any more";
    }
}

static void on_sweep(void *owner, int64_t elapsed)
{
    tri__connection *connection = owner;
    bool is_open = connection->stage == OPEN;
    bool should_read = !is_open || (!connection->paused && !tri__inbox_is_between(&connection->inbox));
    count_stall(should_read, connection->received, &connection->received_seen, &connection->stalled_in, elapsed);
    count_stall(connection->blocked, connection->sent, &connection->sent_seen, &connection->stalled_out, elapsed);
    int64_t timeout = connection->options.timeout;
    if (connection->stalled_in >= timeout || connection->stalled_out >= timeout)
        fail(connection, tri_fail(TRI_TIMEOUT, "%s for %.3g s (is it stopped or overloaded, or the network cut?)", stall_phrase(connection),
                                  tri__clock_seconds(timeout)));
}

/* Small frames leave at once, and a peer whose machine or network is gone is noticed within the timeout. Where a socket cannot do one of
 * these, it is used without. */
static void tune(int fd, int64_t timeout)
{
    const int yes = 1, milliseconds = (int)(timeout / 1000000 < INT_MAX ? timeout / 1000000 : INT_MAX);
    const int seconds = milliseconds / 4000 > 1 ? milliseconds / 4000 : 1, probes = 3;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/* A connection on fd, which it takes, also where it fails. It does nothing yet. */
static tri_status create(tri__loop *loop, int fd, bool accepts, const struct sockaddr_storage *peer, const tri__connection_options *options,
                         tri__connection **out)
{
    assert(options->timeout > 0 && options->handlers->open && options->handlers->closed);
    *out = NULL;
    tri__connection *connection = NULL;
    tri__tls_stream *tls = NULL;
    tri_status status = tri__allocate(1, sizeof *connection, "a connection", &connection);
    if (!status && options->tls)
        status = tri__tls_stream_create(options->tls, fd, accepts, &tls);
    int error = status ? 0 : uv_poll_init(&loop->uv, &connection->poll, fd);
    if (error)
        status = tri_fail(TRI_IO, "cannot wait for a socket: %s", uv_strerror(error));
    if (status) {
        tri__tls_stream_destroy(tls);
        free(connection);
        close(fd);
        return status;
    }
    tune(fd, options->timeout);
    tri__address_write(peer, connection->peer);
    connection->options = *options;
    connection->loop = loop;
    connection->poll.data = connection;
    connection->stream = (tri__stream){fd, tls};
    connection->deferred = (tri__deferred){.call = on_deferred, .owner = connection};
    connection->swept = (tri__swept){.visit = on_sweep, .owner = connection};
    tri__loop_sweep(loop, &connection->swept, options->timeout);
    *out = connection;
    return NULL;
}

tri_status tri__connection_open(tri__loop *loop, const tri__address *address, const tri__connection_options *options, tri__connection **out)
{
    *out = NULL;
    struct sockaddr_storage peer;
    socklen_t size = 0;
    TRI_TRY(tri__address_resolve(address, &peer, &size));
    int fd = socket(peer.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return tri_fail(TRI_IO, "cannot make a socket for %s: %s", address->host, strerror(errno));
    TRI_TRY(create(loop, fd, false, &peer, options, out));
    tri__connection *connection = *out;
    connection->stage = CONNECTING;
    connection->awaits = UV_WRITABLE;
    if (connect(fd, (const struct sockaddr *)&peer, size) && errno != EINPROGRESS)
        tri__connection_end(connection, connect_failure(connection, errno));
    arm(connection);
    return NULL;
}

tri_status tri__connection_accept(tri__loop *loop, int fd, const struct sockaddr_storage *peer, const tri__connection_options *options,
                                  tri__admission *admission, tri__connection **out)
{
    TRI_TRY(create(loop, fd, true, peer, options, out));
    (*out)->stage = HANDSHAKING;
    (*out)->admission = admission;
    tri__loop_defer(loop, &(*out)->deferred);
    return NULL;
}

size_t tri__connection_unsent(const tri__connection *connection)
{
    return connection->outbox.bytes;
}

/* The socket is polled on until something arrives while it is paused: so a short pause costs no system call. */
void tri__connection_pause(tri__connection *connection, bool paused)
{
    if (connection->paused && !paused) {
        connection->read_on = true;
        tri__loop_defer(connection->loop, &connection->deferred);
    }
    connection->paused = paused;
}

void tri__connection_set_context(tri__connection *connection, void *context)
{
    connection->options.context = context;
}

const char *tri__connection_peer(const tri__connection *connection)
{
    return connection->peer;
}

void tri__connection_name_peer(tri__connection *connection, const char *name)
{
    if (!connection->loop->traffic || connection->peer_traffic)
        return;
    tri__peer_traffic *peer = connection->peer_traffic = tri__traffic_peer(connection->loop->traffic, name);
    if (!peer)
        return;
    atomic_fetch_add_explicit(&peer->sent, connection->sent, memory_order_relaxed);
    atomic_fetch_add_explicit(&peer->received, connection->received, memory_order_relaxed);
}

void tri__connection_count(const tri__connection *connection, int64_t *sent, int64_t *received)
{
    *sent = connection->sent;
    *received = connection->received;
}
