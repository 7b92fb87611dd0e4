/* listener.c: accepts connections. */
#define _GNU_SOURCE /* accept4 */
#include "net/connection/listener.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "net/address/socket_owner.h"
#include "net/connection/admission.h"
#include "net/loop/loop_uv.h"

enum {
    ACCEPTS_AT_ONCE = 32, /* then connections have their turn */
    RETRY = 100,          /* milliseconds until there may be a descriptor again */
};

struct tri__listener {
    tri__loop *loop;
    tri__listener_options options;
    int fd;
    uv_poll_t poll;
    uv_timer_t retry;
    int handles; /* libuv handles that are still open */
    tri__admission *admission;
};

/* In clear, on loopback, only this user's own processes are admitted. */
static void check_owner(const tri__listener *listener, int fd, const struct sockaddr_storage *peer, tri__connection *connection)
{
    tri_status foreign = listener->options.connection.tls ? NULL : tri__socket_owner_check(fd, peer);
    if (foreign)
        tri__connection_end(connection, tri_wrap(foreign, "peer %s", tri__connection_peer(connection)));
}

static void admit(tri__listener *listener, int fd, const struct sockaddr_storage *peer)
{
    tri__admission *admission = listener->admission;
    tri__connection *connection = NULL;
    if (!tri__admission_make_room(admission)) {
        close(fd);
        return;
    }
    tri_status status = tri__connection_accept(listener->loop, fd, peer, &listener->options.connection, admission, &connection);
    if (status) { /* no memory: the peer sees that it is refused */
        tri_status_free(status);
        return;
    }
    tri__admission_entered(admission, connection, listener->options.connection.tls || listener->options.awaits_hello);
    void *context = listener->options.accepted(listener->options.connection.context, connection);
    tri__connection_set_context(connection, context);
    if (context)
        check_owner(listener, fd, peer, connection);
    else
        tri__connection_drop(connection);
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void on_retry(uv_timer_t *timer)
{
    tri__listener *listener = timer->data;
    uv_poll_start(&listener->poll, UV_READABLE, on_poll);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    tri__listener *listener = poll->data;
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t size = sizeof peer;
        int fd = accept4(listener->fd, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            admit(listener, fd, &peer);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            uv_poll_stop(&listener->poll); /* the peer stays in the queue, and polling on would only use up the CPU */
            uv_timer_start(&listener->retry, on_retry, RETRY, 0);
            return;
        } /* else: the peer left meanwhile */
    }
}

tri_status tri__listener_create(tri__loop *loop, int fd, const tri__listener_options *options, tri__listener **out)
{
    assert(options->most > 0 && options->accepted);
    *out = NULL;
    tri__listener *listener = NULL;
    TRI_TRY(tri__allocate(1, sizeof *listener, "a listener", &listener));
    tri_status status = tri__admission_create(options->most, &listener->admission);
    int error = status ? 0 : uv_poll_init(&loop->uv, &listener->poll, fd);
    if (error)
        status = tri_fail(TRI_IO, "cannot wait for connections: %s", uv_strerror(error));
    if (status) {
        tri__admission_release(listener->admission);
        free(listener);
        return status;
    }
    listener->loop = loop;
    listener->options = *options;
    listener->fd = fd;
    listener->handles = 2;
    uv_timer_init(&loop->uv, &listener->retry);
    listener->poll.data = listener->retry.data = listener;
    uv_poll_start(&listener->poll, UV_READABLE, on_poll);
    *out = listener;
    return NULL;
}

static void free_listener(uv_handle_t *handle)
{
    tri__listener *listener = handle->data;
    if (--listener->handles == 0)
        free(listener);
}

void tri__listener_destroy(tri__listener *listener)
{
    if (!listener)
        return;
    uv_close((uv_handle_t *)&listener->poll, free_listener);
    uv_close((uv_handle_t *)&listener->retry, free_listener);
    close(listener->fd);
    tri__admission_release(listener->admission);
}
