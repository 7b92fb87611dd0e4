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

#include "base/thread/clock.h"
#include "net/connection/inbox.h"
#include "net/connection/listener.h"

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
    bool refuses; /* gives those that come no context */
    bool awaits_hello;
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
    if (end->echoes) /* drained is not called for what is sent at once: hold it back where the test waits for drained */
        tri__connection_send_copy(connection, frame, body, end->habit == CLOSE_IN_DRAINED);
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
    if (f->refuses)
        return NULL;
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
        .awaits_hello = f->awaits_hello,
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
                fail_msg("waited in vain for: %s", #condition);                                                                            \
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

/* Frame number i of a stream: sizes of 0 … 1 MB, of every kind around the sizes of buffers, and bytes that tell where they belong. */
static inline uint32_t fixture_size_of(int i)
{
    static const uint32_t sizes[] = {0, 1, 31360, 39, 40, 41, 0, 0, 4055, 4056, 4057, 4096, 8, 65536, 262144, 3, FIXTURE_BODY, 100};
    return sizes[(size_t)i % (sizeof sizes / sizeof *sizes)];
}

static inline void fixture_fill(uint8_t *body, int i, uint32_t size)
{
    uint32_t x = (uint32_t)i * 2654435761u;
    for (uint32_t k = 0; k < size; k++) {
        x = x * 1664525 + 1013904223;
        body[k] = (uint8_t)(x >> 24);
    }
}

static inline tri__frame fixture_frame_of(int i)
{
    return (tri__frame){7, fixture_size_of(i), {(uint64_t)i, UINT64_MAX - (uint64_t)i, 0, 1ull << 63}};
}

typedef struct {
    int next;
    uint8_t *expected;
} fixture_checker;

static inline void fixture_check(void *owner, const tri__frame *frame, const uint8_t *body)
{
    fixture_checker *c = owner;
    tri__frame expected = fixture_frame_of(c->next);
    assert_memory_equal(frame, &expected, sizeof expected);
    if (frame->size) {
        fixture_fill(c->expected, c->next, frame->size);
        assert_memory_equal(body, c->expected, frame->size);
    }
    c->next++;
}

/* Both ends send `count` frames at once and check what they get. */
static inline void fixture_exchange(fixture *f, int count)
{
    fixture_listen(f, 4);
    fixture_connect(f);
    fixture_until(f, f->accepted == 1 && f->client.opened && f->ends[0].opened);
    fixture_end *both[2] = {&f->client, &f->ends[0]};
    fixture_checker checkers[2] = {0};
    uint8_t **bodies = calloc((size_t)count, sizeof *bodies);
    for (int i = 0; i < count; i++) {
        bodies[i] = malloc(fixture_size_of(i) + 1);
        fixture_fill(bodies[i], i, fixture_size_of(i));
    }
    int64_t bytes = 0;
    for (int side = 0; side < 2; side++) {
        checkers[side].expected = malloc(FIXTURE_BODY);
        both[side]->got = fixture_check;
        both[side]->owner = &checkers[side];
    }
    for (int i = 0; i < count; i++) {
        tri__frame frame = fixture_frame_of(i);
        bytes += TRI_HEAD_SIZE + frame.size;
        for (int side = 0; side < 2; side++) {
            if (i % 3 == 0)
                tri__connection_send_copy(both[side]->connection, &frame, bodies[i], i % 4 == 0);
            else
                tri__connection_send(both[side]->connection, &frame, bodies[i], i % 4 == 0);
        }
    }
    fixture_until(f, f->client.frames == count && f->ends[0].frames == count);
    fixture_until(f, f->client.drained > 0 && f->ends[0].drained > 0);
    for (int side = 0; side < 2; side++) {
        int64_t sent = 0, received = 0;
        tri__connection_count(both[side]->connection, &sent, &received);
        assert_int_equal(sent, bytes);
        assert_int_equal(received, bytes);
        assert_int_equal(tri__connection_unsent(both[side]->connection), 0);
        free(checkers[side].expected);
    }
    for (int i = 0; i < count; i++)
        free(bodies[i]);
    free(bodies);
    tri__connection_close(f->client.connection);
    fixture_until(f, f->client.closed && f->ends[0].closed);
    assert_null(f->client.why);
    assert_null(f->ends[0].why); /* in good order, between two frames */
}

#endif
