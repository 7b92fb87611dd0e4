/* fixture.h: two ends of a connection on one loop, over a real socket on loopback; and a bare socket in the place of one of them. */
#ifndef TESTS_NET_FIXTURE_H
#define TESTS_NET_FIXTURE_H

#include "support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/connection.h"

enum { FIXTURE_MOST = 16, FIXTURE_BODY = 1 << 20 };
static const int64_t FIXTURE_PATIENCE = (int64_t)60 * 1000000000;

typedef enum { CLOSE_NEVER, CLOSE_IN_OPEN, CLOSE_IN_BEGIN, CLOSE_IN_FRAME, CLOSE_IN_DRAINED, FAIL_IN_BEGIN, FAIL_IN_FRAME } fixture_habit;

/* One end, and what has happened to it. */
typedef struct {
    tri__connection *connection; /* NULL once it is closed */
    fixture_habit habit;
    bool echoes; /* every frame, as it came */
    bool opened, closed;
    tri_status why;
    int begun, frames, drained;
    tri__frame last;
    void (*got)(void *owner, const tri__frame *frame, const uint8_t *body); /* may be NULL */
    void *owner;
    uint8_t *body; /* of FIXTURE_BODY bytes */
} fixture_end;

typedef struct {
    tri__loop *loop;
    tri__listener *listener;
    uint16_t port;
    fixture_end ends[FIXTURE_MOST]; /* of the listener, in the order in which they came */
    int accepted;
    fixture_end client;
    fixture_habit habit; /* of those that are accepted */
    bool echoes;
    int64_t timeout;
    tri__tls *server_tls, *client_tls;
} fixture;

static inline void fixture_close_in(fixture_end *end, fixture_habit habit)
{
    if (end->habit == habit)
        tri__connection_close(end->connection);
}

static inline void fixture_open(void *context, tri__connection *connection)
{
    fixture_end *end = context;
    assert_ptr_equal(end->connection, connection);
    assert_false(end->opened);
    end->opened = true;
    fixture_close_in(end, CLOSE_IN_OPEN);
}

static inline tri_status fixture_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    fixture_end *end = context;
    assert_ptr_equal(end->connection, connection);
    end->begun++;
    if (end->habit == FAIL_IN_BEGIN || frame->size > FIXTURE_BODY)
        return tri_fail(TRI_BAD_DATA, "a body of %u bytes is not taken", frame->size);
    fixture_close_in(end, CLOSE_IN_BEGIN);
    if (!end->body)
        end->body = malloc(FIXTURE_BODY);
    *body = end->body;
    return NULL;
}

static inline tri_status fixture_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    fixture_end *end = context;
    assert_ptr_equal(end->connection, connection);
    assert_true((frame->size == 0) == (body == NULL));
    end->frames++;
    end->last = *frame;
    if (end->got)
        end->got(end->owner, frame, body);
    if (end->echoes)
        tri__connection_send_copy(connection, frame, body, false);
    fixture_close_in(end, CLOSE_IN_FRAME);
    return end->habit == FAIL_IN_FRAME ? tri_fail(TRI_BAD_DATA, "no such frame") : NULL;
}

static inline void fixture_drained(void *context, tri__connection *connection)
{
    fixture_end *end = context;
    assert_ptr_equal(end->connection, connection);
    end->drained++;
    fixture_close_in(end, CLOSE_IN_DRAINED);
}

static inline void fixture_closed(void *context, tri__connection *connection, tri_status why)
{
    fixture_end *end = context;
    assert_ptr_equal(end->connection, connection);
    assert_false(end->closed);
    end->closed = true;
    end->why = why;
    end->connection = NULL;
}

static const tri__connection_handlers fixture_handlers = {fixture_open, fixture_begin, fixture_frame, fixture_drained, fixture_closed};

static inline void *fixture_accepted(void *context, tri__connection *connection)
{
    fixture *f = context;
    assert_true(f->accepted < FIXTURE_MOST);
    fixture_end *end = &f->ends[f->accepted++];
    end->connection = connection;
    end->habit = f->habit;
    end->echoes = f->echoes;
    return end;
}

/* A listener on a free port; most: of its connections. Set tls before. */
static inline void fixture_listen(fixture *f, int most)
{
    if (f->timeout == 0)
        f->timeout = FIXTURE_PATIENCE;
    assert_ok(tri__loop_create(&f->loop));
    int fd = -1;
    assert_ok(tri__address_listen(&(tri__address){(char *)(uintptr_t) "127.0.0.1", 0}, &fd, &f->port));
    const tri__listener_options options = {
        .connection = {.handlers = &fixture_handlers, .context = f, .tls = f->server_tls, .timeout = f->timeout},
        .accepted = fixture_accepted,
        .most = most,
    };
    assert_ok(tri__listener_create(f->loop, fd, &options, &f->listener));
}

static inline void fixture_connect(fixture *f)
{
    const tri__connection_options options = {
        .handlers = &fixture_handlers, .context = &f->client, .tls = f->client_tls, .timeout = f->timeout};
    const tri__address address = {(char *)(uintptr_t) "127.0.0.1", f->port};
    assert_ok(tri__connection_open(f->loop, &address, &options, &f->client.connection));
}

/* A bare, blocking socket in the place of a client. */
static inline int fixture_connect_bare(const fixture *f)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(f->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (const struct sockaddr *)&where, sizeof where), 0);
    return fd;
}

/* Turn the loop until something is so. */
#define fixture_until(f, condition)                                                                                                        \
    do {                                                                                                                                   \
        int64_t fixture_deadline = tri__clock_now() + FIXTURE_PATIENCE;                                                                    \
        while (!(condition))                                                                                                               \
            if (!tri__loop_turn((f)->loop, fixture_deadline))                                                                              \
                fail_msg("in vain: %s", #condition);                                                                                       \
    } while (0)

static inline void fixture_end_fini(fixture *f, fixture_end *end)
{
    if (end->connection)
        tri__connection_close(end->connection);
    fixture_until(f, !end->connection);
    tri_status_free(end->why);
    free(end->body);
}

static inline void fixture_fini(fixture *f)
{
    tri__listener_destroy(f->listener);
    for (int i = 0; i < f->accepted; i++)
        fixture_end_fini(f, &f->ends[i]);
    fixture_end_fini(f, &f->client);
    tri__loop_destroy(f->loop);
}

#endif
