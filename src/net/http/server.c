/* server.c: connections of libuv, each with a reader for its one request.
 *
 *     READING ──► ANSWERING ──► LINGERING ──► CLOSING      the client reads its answer to the end before the connection goes
 *        └──────► STREAMING ─────────────────────┘
 *
 * When a client leaves or exceeds its time, its connection goes from any state to CLOSING. One timer keeps the time of all connections. */
#include "net/http/server.h"

#include <assert.h>
#include <http_parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/address/socket_owner.h"
#include "net/loop/loop_uv.h"

enum { BACKLOG = 64, HEAD = 2048, PIECE = 4096 };
enum { SECONDS_TO_ASK = 10, SECONDS_WITHOUT_PROGRESS = 30, SECONDS_TO_LEAVE = 2 };

typedef enum { READING, ANSWERING, STREAMING, LINGERING, CLOSING } exchange_state;

struct tri__http_exchange {
    uv_tcp_t tcp;
    uv_shutdown_t shutdown;
    tri__http_server *server;
    tri__http_exchange *next, **link; /* in the server's list */
    tri__http_reader *reader;
    exchange_state state;
    bool head_only;  /* the request was HEAD */
    int waited;      /* seconds in this state, or since the client took something */
    size_t unsent;   /* bytes that the client had not taken when check_time last looked */
    int64_t version; /* for the visitor of streams */
    char piece[PIECE];
};

struct tri__http_server {
    uv_tcp_t tcp;
    tri__loop *loop;
    tri__http_options options;
    tri__timer *timer;
    tri__http_exchange *first;
    int count, streams;
    uv_tcp_t spare;     /* accepts a connection that there is no memory for: libuv listens on only after it was accepted */
    bool turning, next; /* turning: the spare is being closed; next: another connection waits for it */
    bool ends;          /* the server is freed when its handles are closed */
    bool closed;
};

/* What is being sent. */
typedef struct {
    uv_write_t uv;
    void *owned;
    char head[];
} sending;

/* ---- the end ---- */

static void free_when_empty(tri__http_server *server)
{
    if (server->ends && server->closed && !server->turning && server->count == 0)
        free(server);
}

static void on_closed(uv_handle_t *handle)
{
    tri__http_exchange *exchange = handle->data;
    tri__http_server *server = exchange->server;
    *exchange->link = exchange->next;
    if (exchange->next)
        exchange->next->link = exchange->link;
    server->count--;
    tri__http_reader_destroy(exchange->reader);
    free(exchange);
    free_when_empty(server);
}

static void set_state(tri__http_exchange *exchange, exchange_state state)
{
    exchange->server->streams += (state == STREAMING) - (exchange->state == STREAMING);
    exchange->state = state;
    exchange->waited = 0;
}

static void close_exchange(tri__http_exchange *exchange)
{
    if (exchange->state == CLOSING)
        return;
    set_state(exchange, CLOSING);
    uv_close((uv_handle_t *)&exchange->tcp, on_closed);
}

static void check_time(tri__http_exchange *exchange)
{
    static const int most[] = {[READING] = SECONDS_TO_ASK,
                               [ANSWERING] = SECONDS_WITHOUT_PROGRESS,
                               [STREAMING] = SECONDS_WITHOUT_PROGRESS,
                               [LINGERING] = SECONDS_TO_LEAVE};
    if (exchange->state == CLOSING)
        return;
    const size_t unsent = tri__http_stream_unsent(exchange);
    const bool moves = (exchange->state == STREAMING && unsent == 0) || unsent < exchange->unsent;
    exchange->unsent = unsent;
    exchange->waited = moves ? 0 : exchange->waited + 1;
    if (exchange->waited > most[exchange->state])
        close_exchange(exchange);
}

static void on_second(void *context)
{
    tri__http_server *server = context;
    for (tri__http_exchange *exchange = server->first; exchange; exchange = exchange->next)
        check_time(exchange); /* an exchange that is closed stays in the list until on_closed */
}

/* ---- answers ---- */

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    tri__http_exchange *exchange = shutdown->data;
    if (status)
        close_exchange(exchange);
}

static void on_sent(uv_write_t *uv, int status)
{
    sending *sent = uv->data;
    tri__http_exchange *exchange = uv->handle->data;
    free(sent->owned);
    free(sent);
    if (status) {
        close_exchange(exchange);
    } else if (exchange->state == ANSWERING) {
        set_state(exchange, LINGERING);
        exchange->shutdown.data = exchange;
        if (uv_shutdown(&exchange->shutdown, (uv_stream_t *)&exchange->tcp, on_shutdown))
            close_exchange(exchange);
    }
}

/* Send a head, which is copied, and a body. */
static void send_both(tri__http_exchange *exchange, const char *head, size_t length, const void *body, size_t size, void *owned)
{
    sending *sent = exchange->state == CLOSING ? NULL : malloc(sizeof *sent + length);
    if (!sent) {
        free(owned);
        close_exchange(exchange);
        return;
    }
    memcpy(sent->head, head, length);
    sent->owned = owned;
    sent->uv.data = sent;
    const uv_buf_t parts[] = {{.base = sent->head, .len = length}, {.base = (char *)(uintptr_t)body, .len = size}};
    if (uv_write(&sent->uv, (uv_stream_t *)&exchange->tcp, parts, size > 0 ? 2 : 1, on_sent)) {
        free(owned);
        free(sent);
        close_exchange(exchange);
    }
}

static const char *reason(int status)
{
    return http_status_str((enum http_status)status);
}

/* The lines that every answer has. */
static int write_head(const tri__http_exchange *exchange, char head[HEAD], int status, const char *type, const char *lines)
{
    return snprintf(head, HEAD,
                    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Security-Policy: %s\r\nX-Content-Type-Options: nosniff\r\n"
                    "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                    "Cache-Control: no-store\r\nConnection: close\r\n%s\r\n",
                    status, reason(status), type, exchange->server->options.policy, lines);
}

void tri__http_exchange_answer(tri__http_exchange *exchange, const tri__http_answer *answer)
{
    char head[HEAD], lines[HEAD / 2];
    snprintf(lines, sizeof lines, "Content-Length: %zu\r\n%s", answer->size, answer->lines ? answer->lines : "");
    const int length = write_head(exchange, head, answer->status, answer->type, lines);
    assert(exchange->state == READING && length < HEAD);
    set_state(exchange, ANSWERING);
    send_both(exchange, head, (size_t)length, answer->body, exchange->head_only ? 0 : answer->size, answer->owned);
}

void tri__http_exchange_refuse(tri__http_exchange *exchange, int status, const char *why)
{
    char *text = malloc(strlen(why) + 2);
    if (text)
        sprintf(text, "%s\n", why);
    tri__http_exchange_answer(exchange, &(tri__http_answer){.status = status,
                                                            .type = "text/plain; charset=utf-8",
                                                            .body = text,
                                                            .size = text ? strlen(text) : 0,
                                                            .owned = text,
                                                            .lines = status == 405 ? "Allow: GET, HEAD\r\n" : NULL});
}

/* ---- streams ---- */

bool tri__http_exchange_stream(tri__http_exchange *exchange)
{
    char head[HEAD];
    if (exchange->server->streams >= TRI_HTTP_STREAMS) {
        tri__http_exchange_refuse(exchange, 503, "too many pages are open; close one, and load this one again");
        return false;
    }
    if (exchange->head_only) {
        tri__http_exchange_answer(exchange, &(tri__http_answer){.status = 200, .type = "text/event-stream"});
        return false;
    }
    const int length = write_head(exchange, head, 200, "text/event-stream", "");
    set_state(exchange, STREAMING);
    send_both(exchange, head, (size_t)length, NULL, 0, NULL);
    return true;
}

void tri__http_server_each_stream(tri__http_server *server, tri__http_visitor *visit, void *context)
{
    for (tri__http_exchange *exchange = server->first; exchange; exchange = exchange->next)
        if (exchange->state == STREAMING)
            visit(context, exchange, &exchange->version);
}

size_t tri__http_stream_unsent(const tri__http_exchange *stream)
{
    return uv_stream_get_write_queue_size((const uv_stream_t *)&stream->tcp);
}

void tri__http_stream_send(tri__http_exchange *stream, const char *event, const char *text, size_t size)
{
    char head[64];
    const int length = snprintf(head, sizeof head, "event: %s\ndata: ", event);
    char *body = malloc(size + 2);
    if (!body) {
        close_exchange(stream);
        return;
    }
    memcpy(body, text, size);
    body[size] = body[size + 1] = '\n';
    send_both(stream, head, (size_t)length, body, size + 2, body);
}

/* ---- requests ---- */

/* The token becomes a cookie, so that it does not stay in the address, where others could see it and the browser would keep it. */
static void greet(tri__http_exchange *exchange)
{
    const tri__http_guard *guard = &exchange->server->options.guard;
    char lines[HEAD / 4], name[TRI_COOKIE_NAME];
    snprintf(lines, sizeof lines, "Location: /\r\nSet-Cookie: %s=%s; Path=/; HttpOnly; SameSite=Strict\r\n",
             tri__http_guard_cookie(guard, name), guard->token);
    tri__http_exchange_answer(exchange, &(tri__http_answer){.status = 303, .type = "text/plain; charset=utf-8", .lines = lines});
}

static void hear(tri__http_exchange *exchange)
{
    const tri__http_options *options = &exchange->server->options;
    const tri__http_request *request = tri__http_reader_request(exchange->reader);
    exchange->head_only = request->method == TRI_HTTP_HEAD;
    if (request->method == TRI_HTTP_OTHER_METHOD) {
        tri__http_exchange_refuse(exchange, 405, "these pages can be read only: GET or HEAD");
        return;
    }
    switch (tri__http_guard_check(&options->guard, request)) {
    case TRI_GUARD_ADMITS:
        options->request(options->context, exchange, request);
        break;
    case TRI_GUARD_GREETS:
        greet(exchange);
        break;
    case TRI_GUARD_WRONG_HOST:
        tri__http_exchange_refuse(exchange, 421,
                                  "this page answers to localhost and 127.0.0.1 only; another name needs --bind and a token");
        break;
    case TRI_GUARD_WANTS_TOKEN:
        tri__http_exchange_refuse(exchange, 401, "this page needs its token: take the address that trireme watch has printed");
        break;
    }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    tri__http_exchange *exchange = handle->data;
    *buffer = uv_buf_init(exchange->piece, sizeof exchange->piece);
}

/* What comes behind the request is read and dropped: if a connection were closed with bytes unread, the client could lose the answer. */
static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    tri__http_exchange *exchange = stream->data;
    tri__loop_happened(exchange->server->loop);
    if (size < 0) {
        if (exchange->state != ANSWERING || size != UV_EOF) /* a client may close its side and still read */
            close_exchange(exchange);
        return;
    }
    if (exchange->state != READING || size == 0)
        return;
    switch (tri__http_reader_take(exchange->reader, buffer->base, (size_t)size)) {
    case TRI_HTTP_WANTS_MORE:
        break;
    case TRI_HTTP_WHOLE:
        hear(exchange);
        break;
    case TRI_HTTP_MALFORMED:
        tri__http_exchange_refuse(exchange, 400, "this is no HTTP/1 request");
        break;
    case TRI_HTTP_TOO_LARGE:
        tri__http_exchange_refuse(exchange, 431, "the head of this request is too large");
        break;
    }
}

/* ---- connections ---- */

/* Without a token, only this user's own programs are admitted. */
static bool is_foreign(tri__http_exchange *exchange)
{
    struct sockaddr_storage peer = {0};
    int size = sizeof peer;
    uv_os_fd_t fd;
    if (exchange->server->options.guard.token)
        return false;
    if (uv_tcp_getpeername(&exchange->tcp, (struct sockaddr *)&peer, &size) || uv_fileno((uv_handle_t *)&exchange->tcp, &fd))
        return true;
    tri_status foreign = tri__socket_owner_check(fd, &peer);
    tri_status_free(foreign);
    return foreign != NULL;
}

static void enter(tri__http_server *server, tri__http_exchange *exchange)
{
    exchange->server = server;
    exchange->tcp.data = exchange;
    exchange->next = server->first;
    exchange->link = &server->first;
    if (exchange->next)
        exchange->next->link = &exchange->next;
    server->first = exchange;
    server->count++;
}

static void turn_away(tri__http_server *server);

static void on_turned_away(uv_handle_t *handle)
{
    tri__http_server *server = handle->data;
    server->turning = false;
    if (server->next && !server->ends)
        turn_away(server);
    free_when_empty(server);
}

/* Accept a connection and close it. */
static void turn_away(tri__http_server *server)
{
    server->next = server->turning;
    if (server->turning || uv_tcp_init(server->tcp.loop, &server->spare))
        return;
    server->turning = true;
    server->spare.data = server;
    (void)uv_accept((uv_stream_t *)&server->tcp, (uv_stream_t *)&server->spare);
    uv_close((uv_handle_t *)&server->spare, on_turned_away);
}

/* NULL where memory is short. */
static tri__http_exchange *create_exchange(uv_loop_t *loop)
{
    tri__http_exchange *exchange = NULL;
    tri_status failure = tri__allocate(1, sizeof *exchange, "a connection", &exchange);
    if (!failure)
        failure = tri__http_reader_create(&exchange->reader);
    if (!failure && !uv_tcp_init(loop, &exchange->tcp))
        return exchange;
    if (exchange)
        tri__http_reader_destroy(exchange->reader);
    free(exchange);
    tri_status_free(failure);
    return NULL;
}

static void on_connection(uv_stream_t *listening, int status)
{
    tri__http_server *server = listening->data;
    tri__loop_happened(server->loop);
    if (status)
        return;
    tri__http_exchange *exchange = create_exchange(listening->loop);
    if (!exchange) {
        turn_away(server);
        return;
    }
    enter(server, exchange);
    if (uv_accept(listening, (uv_stream_t *)&exchange->tcp) || server->count > TRI_HTTP_CONNECTIONS || is_foreign(exchange) ||
        uv_read_start((uv_stream_t *)&exchange->tcp, on_allocate, on_read))
        close_exchange(exchange);
}

/* ---- the server ---- */

static void on_server_closed(uv_handle_t *handle)
{
    tri__http_server *server = handle->data;
    server->closed = true;
    free_when_empty(server);
}

static tri_status listen_on(tri__http_server *server, int fd)
{
    int error = uv_tcp_open(&server->tcp, fd);
    if (error)
        close(fd);
    else
        error = uv_listen((uv_stream_t *)&server->tcp, BACKLOG, on_connection);
    return error ? tri_fail(TRI_IO, "cannot wait for requests: %s", uv_strerror(error)) : NULL;
}

tri_status tri__http_server_create(tri__loop *loop, int fd, const tri__http_options *options, tri__http_server **out)
{
    *out = NULL;
    tri__http_server *server = NULL;
    tri_status status = tri__allocate(1, sizeof *server, "an HTTP server", &server);
    if (status) {
        close(fd);
        return status;
    }
    server->loop = loop;
    server->options = *options;
    server->tcp.data = server;
    uv_tcp_init(&loop->uv, &server->tcp);
    status = listen_on(server, fd);
    if (!status)
        status = tri__timer_create(loop, on_second, server, &server->timer);
    if (status) {
        tri__http_server_destroy(server);
        return status;
    }
    tri__timer_start(server->timer, TRI_SECOND, TRI_SECOND);
    *out = server;
    return NULL;
}

void tri__http_server_destroy(tri__http_server *server)
{
    if (!server)
        return;
    server->ends = true;
    for (tri__http_exchange *exchange = server->first; exchange; exchange = exchange->next)
        close_exchange(exchange);
    tri__timer_destroy(server->timer);
    uv_close((uv_handle_t *)&server->tcp, on_server_closed);
}
