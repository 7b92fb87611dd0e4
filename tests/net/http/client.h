/* client.h: a bare socket that talks to an HTTP server on this test's own loop. */
#ifndef TESTS_NET_HTTP_CLIENT_H
#define TESTS_NET_HTTP_CLIENT_H

#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "net/address/address.h"
#include "net/loop/loop.h"

static const int64_t CLIENT_PATIENCE = (int64_t)60 * 1000000000;

typedef struct {
    int fd;
    char *text; /* all that came, NUL-terminated */
    size_t size;
    bool ended; /* the server has closed */
} http_client;

/* A listening socket on loopback, in a process that ignores SIGPIPE as servers want it. */
static inline int http_listen(uint16_t *port)
{
    int fd = -1;
    signal(SIGPIPE, SIG_IGN);
    assert_ok(tri__address_listen(&(tri__address){(char *)(uintptr_t) "127.0.0.1", 0}, &fd, port));
    return fd;
}

static inline void http_connect(http_client *client, uint16_t port)
{
    *client = (http_client){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .text = calloc(1, 1)};
    const struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(client->fd, (const struct sockaddr *)&where, sizeof where), 0);
}

static inline void http_say(http_client *client, const char *text, size_t size)
{
    assert_int_equal(send(client->fd, text, size, MSG_NOSIGNAL), size);
}

static inline void http_read(http_client *client)
{
    char part[65536];
    ssize_t size;
    while ((size = recv(client->fd, part, sizeof part, MSG_DONTWAIT)) > 0) {
        client->text = realloc(client->text, client->size + (size_t)size + 1);
        memcpy(client->text + client->size, part, (size_t)size);
        client->size += (size_t)size;
        client->text[client->size] = 0;
    }
    client->ended |= size == 0 || (errno != EAGAIN && errno != EINTR);
}

/* Turn the loop until the condition holds. */
#define http_until(loop, client, condition)                                                                                                \
    do {                                                                                                                                   \
        int64_t deadline_ = tri__clock_now() + CLIENT_PATIENCE;                                                                            \
        while (http_read(client), !(condition)) {                                                                                          \
            tri__loop_turn(loop, tri__clock_now() + 5000000);                                                                              \
            if (tri__clock_now() > deadline_)                                                                                              \
                fail_msg("waited in vain for %s; got: %s", #condition, (client)->text);                                                    \
        }                                                                                                                                  \
    } while (0)

static inline void http_close(http_client *client)
{
    close(client->fd);
    free(client->text);
}

/* The whole answer to a request, which is sent in pieces of `piece` bytes; free() it. */
static inline char *http_ask_in_pieces(tri__loop *loop, uint16_t port, const char *request, size_t piece)
{
    http_client client;
    http_connect(&client, port);
    for (size_t at = 0, size = strlen(request); at < size; at += piece) {
        http_say(&client, request + at, size - at < piece ? size - at : piece);
        tri__loop_turn(loop, 0);
    }
    http_until(loop, &client, client.ended);
    close(client.fd);
    return client.text;
}

/* GET of a path, with the Host that a browser would send and further lines. */
static inline char *http_get(tri__loop *loop, uint16_t port, const char *path, const char *lines)
{
    char request[1024];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s\r\n", path, (unsigned)port, lines);
    return http_ask_in_pieces(loop, port, request, sizeof request);
}

/* Succeed only where the answer has this status, and contains text. Frees it. */
static inline void http_expect(char *answer, int status, const char *text)
{
    char head[32];
    snprintf(head, sizeof head, "HTTP/1.1 %d ", status);
    if (strncmp(answer, head, strlen(head)) != 0 || !strstr(answer, text))
        fail_msg("not %d with '%s': %s", status, text, answer);
    free(answer);
}

#endif
