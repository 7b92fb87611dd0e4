/* transport.c: what the room net costs: a frame of 31 kB to another process and back, over loopback, beside a bare blocking TCP
 * socket; in clear and with TLS.
 * usage: bench_transport [--json] [ROUND_TRIPS [BYTES]]. Rounds of the transports take turns; the median of each counts. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "net/connection/inbox.h"
#include "net/connection/listener.h"
#include "net/stream/identity.h"

enum { ROUNDS = 9, WARM_UP = 200 };
static const int64_t PATIENCE = (int64_t)60 * 1000000000;

static void require(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", tri_status_message(status));
    exit(1);
}

/* Bare: head and body as one buffer, two system calls a round trip on each side. */

static int listen_bare(uint16_t *port)
{
    int fd = -1;
    require(tri__address_listen(&(tri__address){(char *)(uintptr_t) "127.0.0.1", 0}, &fd, port));
    return fd;
}

static void move_all(int fd, uint8_t *data, size_t size, int sends)
{
    for (size_t done = 0; done < size;) {
        ssize_t part = sends ? send(fd, data + done, size - done, 0) : recv(fd, data + done, size - done, MSG_WAITALL);
        if (part <= 0)
            exit(sends);
        done += (size_t)part;
    }
}

static void no_delay(int fd)
{
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void serve_bare(int listener, uint8_t *frame, size_t size)
{
    int fd = -1;
    while ((fd = accept(listener, NULL, NULL)) < 0) /* the listener does not block */
        usleep(100);
    no_delay(fd);
    while (1) {
        move_all(fd, frame, size, 0);
        move_all(fd, frame, size, 1);
    }
}

static double ask_bare(uint16_t port, uint8_t *frame, size_t size, int count)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(fd, (const struct sockaddr *)&where, sizeof where))
        exit(1);
    no_delay(fd);
    int64_t begun = 0;
    for (int i = -WARM_UP; i < count; i++) {
        if (i == 0)
            begun = tri__clock_now();
        move_all(fd, frame, size, 1);
        move_all(fd, frame, size, 0);
    }
    int64_t ended = tri__clock_now();
    close(fd);
    return (double)(ended - begun) / count;
}

/* The room: the same frame. */

typedef struct {
    tri__loop *loop;
    tri__connection *connection;
    uint8_t *body;
    bool echoes, closed;
    int frames;
} end;

static void on_open(void *context, tri__connection *connection)
{
    ((end *)context)->connection = connection;
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    (void)connection, (void)frame;
    *body = ((end *)context)->body;
    return NULL;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    end *self = context;
    self->frames++;
    if (self->echoes)
        tri__connection_send(connection, frame, body, false);
    return NULL;
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    (void)connection;
    end *self = context;
    require(why);
    self->closed = true;
    self->connection = NULL;
    tri__loop_stop(self->loop);
}

static const tri__connection_handlers handlers = {.open = on_open, .begin = on_begin, .frame = on_frame, .closed = on_closed};

static void *on_accepted(void *context, tri__connection *connection)
{
    (void)connection;
    return context;
}

static void serve_room(int fd, tri__tls *tls, uint8_t *body)
{
    end self = {.body = body, .echoes = true};
    tri__listener *listener = NULL;
    require(tri__loop_create(&self.loop));
    const tri__listener_options options = {
        .connection = {.handlers = &handlers, .context = &self, .tls = tls, .timeout = PATIENCE}, .accepted = on_accepted, .most = 4};
    require(tri__listener_create(self.loop, fd, &options, &listener));
    tri__loop_run(self.loop);
    exit(0);
}

static double ask_room(uint16_t port, tri__tls *tls, uint8_t *body, size_t size, int count)
{
    end self = {.body = body};
    tri__connection *connection = NULL;
    require(tri__loop_create(&self.loop));
    const tri__connection_options options = {.handlers = &handlers, .context = &self, .tls = tls, .timeout = PATIENCE};
    require(tri__connection_open(self.loop, &(tri__address){(char *)(uintptr_t) "127.0.0.1", port}, &options, &connection));
    while (!self.connection)
        tri__loop_turn(self.loop, tri__clock_now() + PATIENCE);
    int64_t begun = 0;
    for (int i = -WARM_UP; i < count; i++) {
        if (i == 0)
            begun = tri__clock_now();
        tri__connection_send(connection, &(tri__frame){1, (uint32_t)size, {(uint64_t)i}}, body, false);
        for (int before = self.frames; self.frames == before;)
            tri__loop_turn(self.loop, tri__clock_now() + PATIENCE);
    }
    int64_t ended = tri__clock_now();
    tri__connection_close(connection);
    while (!self.closed)
        tri__loop_turn(self.loop, 0);
    tri__loop_destroy(self.loop);
    return (double)(ended - begun) / count;
}

/* Nanoseconds a round trip. kind 0: bare, 1: the room, 2: the room with TLS. */
static double measure(int kind, tri__tls *tls, uint8_t *memory, size_t size, int count)
{
    uint16_t port = 0;
    int listener = listen_bare(&port);
    pid_t server = fork();
    if (server == 0) {
        if (kind == 0)
            serve_bare(listener, memory, TRI_HEAD_SIZE + size);
        serve_room(listener, kind == 2 ? tls : NULL, memory);
    }
    close(listener);
    double nanoseconds =
        kind == 0 ? ask_bare(port, memory, TRI_HEAD_SIZE + size, count) : ask_room(port, kind == 2 ? tls : NULL, memory, size, count);
    waitpid(server, NULL, 0);
    return nanoseconds;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int count = argc > 1 + json ? atoi(argv[1 + json]) : 4000;
    size_t size = argc > 2 + json ? strtoul(argv[2 + json], NULL, 10) : 31400;
    static const char *const names[] = {"bare", "room", "room_tls"};
    char path[] = "/tmp/transport-XXXXXX";
    if (!mkdtemp(path))
        return 1;
    char key[sizeof path + 8];
    snprintf(key, sizeof key, "%s/key", path);
    tri__tls *tls = NULL;
    require(tri__identity_create(key, 1));
    require(tri__tls_create(&(tri__tls_options){.identity = key}, &tls));
    unlink(key);
    rmdir(path);
    uint8_t *memory = calloc(1, TRI_HEAD_SIZE + size);
    double times[3][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < 3; kind++)
            times[kind][round] = measure(kind, tls, memory, size, count / ROUNDS + 1);
    for (int kind = 0; kind < 3; kind++)
        qsort(times[kind], ROUNDS, sizeof(double), ascending);
    if (json)
        printf("{\"bytes\": %zu", size);
    for (int kind = 0; kind < 3; kind++) {
        double middle = times[kind][ROUNDS / 2];
        if (json)
            printf(", \"%s_us\": %.2f", names[kind], middle * 1e-3);
        else
            printf("%-9s %8.2f us a round trip of %zu bytes, %.2f times bare\n", names[kind], middle * 1e-3, size,
                   middle / times[0][ROUNDS / 2]);
    }
    printf(json ? "}\n" : "");
    tri__tls_destroy(tls);
    free(memory);
    return 0;
}
