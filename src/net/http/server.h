/* server.h: answers HTTP requests for pages that are read, not written: GET and HEAD. Streams are answers without an end, as browsers'
 * EventSource reads them (server-sent events).
 *
 * A connection carries one request. There are at most TRI_HTTP_CONNECTIONS of them, of which at most TRI_HTTP_STREAMS are streams; a
 * request has ten seconds to arrive, and the server closes the connection of a client that takes none of its answer for half a minute.
 * guard.h says which requests are admitted; without a token, other users of this machine are refused as well (socket_owner.h). The loop's
 * thread makes all calls.
 *
 * libuv writes to connections whose clients have left: the process must ignore SIGPIPE. */
#ifndef TRI_NET_HTTP_SERVER_H
#define TRI_NET_HTTP_SERVER_H

#include <stdint.h>

#include "net/http/guard.h"
#include "net/http/request.h"
#include "net/loop/loop.h"

enum { TRI_HTTP_CONNECTIONS = 96, TRI_HTTP_STREAMS = 64 };

typedef struct tri__http_server tri__http_server;
typedef struct tri__http_exchange tri__http_exchange; /* a request and its answer */

typedef struct {
    int status;       /* 200, … */
    const char *type; /* "text/html; charset=utf-8" */
    const void *body; /* outlives the server where it is not owned */
    size_t size;
    void *owned;       /* free()d when the answer was sent; NULL: nothing to free */
    const char *lines; /* further headers, each with its line's end; NULL: none; copied */
} tri__http_answer;

typedef struct {
    tri__http_guard guard; /* its token is borrowed */
    const char *policy;    /* Content-Security-Policy of every answer; borrowed */

    /* A request was admitted: call tri__http_exchange_answer or tri__http_exchange_stream before this returns. */
    void (*request)(void *context, tri__http_exchange *exchange, const tri__http_request *request);
    void *context;
} tri__http_options;

/* fd: a listening socket. The server takes it, also where this fails. */
TRI_MUST_CHECK tri_status tri__http_server_create(tri__loop *loop, int fd, const tri__http_options *options, tri__http_server **out);
void tri__http_server_destroy(tri__http_server *server); /* with all its connections; accepts NULL */

void tri__http_exchange_answer(tri__http_exchange *exchange, const tri__http_answer *answer);
void tri__http_exchange_refuse(tri__http_exchange *exchange, int status, const char *why); /* a line of plain text */

/* Begin a stream. False where there are too many: then the request was refused. */
bool tri__http_exchange_stream(tri__http_exchange *exchange);

/* A stream is an exchange. Visit all streams that are open. Each has a `version` for the visitor's own use, 0 at first. */
typedef void tri__http_visitor(void *context, tri__http_exchange *stream, int64_t *version);
void tri__http_server_each_stream(tri__http_server *server, tri__http_visitor *visit, void *context);
size_t tri__http_stream_unsent(const tri__http_exchange *stream); /* bytes that its client has not taken yet */

/* Send an event with one line of text as its data; the text is copied. */
void tri__http_stream_send(tri__http_exchange *stream, const char *event, const char *text, size_t size);

#endif
