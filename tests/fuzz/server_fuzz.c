/* Whatever a peer says, a parameter server takes no harm. A real one serves in a thread of this process; each input is a connection to it.
 *
 * The input's first byte chooses how the peer introduces itself: as a worker, another server, an evaluator, or not at all. What follows are
 * frames: a byte for the type, one that says whether the size is told truly, four small words, and up to 64 bytes of body. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/inbox.h"
#include "store/ps/message.h"
#include "store/ps/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLOATS = 16 };

static volatile sig_atomic_t never;
static uint16_t port;

static void require(int condition)
{
    if (!condition)
        abort();
}

static tri_status settle(void *context, const json_t *hello, tri__ps_job *out)
{
    (void)context;
    (void)hello;
    *out = (tri__ps_job){
        .floats = FLOATS,
        .digest = "same",
        .work = {.examples = 100, .batch = 10, .last_step = INT64_MAX, .last_position = INT64_MAX},
        .evaluate_every = 5,
        .checkpoint_every = 7,
    };
    return NULL;
}

static tri_status load(void *context, tri_store *whole, tri__standing *standing)
{
    (void)context;
    (void)whole;
    *standing = (tri__standing){0};
    return NULL;
}

static tri_status save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    (void)best;
    (void)context;
    (void)whole;
    (void)standing;
    return NULL;
}

static unsigned evaluated(void *context, int64_t step, const json_t *evaluation)
{
    (void)context;
    (void)step;
    (void)evaluation;
    return 0;
}

static bool watch(void *context, const tri__ps_status *status)
{
    (void)context;
    (void)status;
    return false;
}

static const tri__ps_owner owner = {.settle = settle, .load = load, .save = save, .evaluated = evaluated, .watch = watch};

static void *serve(void *context)
{
    static char host[] = "127.0.0.1";
    const tri__address servers[] = {{host, 1}, {host, 2}};
    const tri__server_options options = {
        .settings = {.mode = TRI_PS_SYNC, .workers = 2, .servers = 2, .timeout = INT64_C(3600000000000), .heartbeat = 100000000},
        .listen_fd = *(int *)context,
        .servers = servers,
        .owner = &owner,
        .stop = &never,
    };
    for (;;) { /* a peer may well end a job, by what it says in good order; then there is another */
        int copy = dup(options.listen_fd);
        tri__server_options again = options;
        again.listen_fd = copy;
        tri__ps_status status = {.reports = NULL};
        tri_status_free(tri__server_run(&again, &status));
        json_decref(status.reports);
    }
    return NULL;
}

static void start(void)
{
    static int fd;
    static pthread_t thread;
    static char host[] = "127.0.0.1";
    tri_status status = tri__address_listen(&(tri__address){host, 0}, &fd, &port);
    require(!status && pthread_create(&thread, NULL, serve, &fd) == 0);
}

static int connect_to_server(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    require(fd >= 0);
    struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once); /* thousands of connections a second leave nothing behind */
    if (!connect(fd, (const struct sockaddr *)&address, sizeof address))
        return fd;
    close(fd);
    return -1;
}

static int say(int fd, const tri__frame *frame, const void *body, size_t size)
{
    uint8_t head[TRI_HEAD_SIZE];
    tri__head_write(frame, head);
    return send(fd, head, sizeof head, MSG_NOSIGNAL) == sizeof head && send(fd, body, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static void greet(int fd, uint8_t how)
{
    static const char *const roles[] = {"worker", "server", "evaluator"};
    char hello[256];
    if (how % 4 == 3)
        return;
    int size = snprintf(hello, sizeof hello,
                        "{\"protocol\":%d,\"role\":\"%s\",\"task\":%d,\"incarnation\":%d,\"digest\":\"same\",\"batch\":10,\"examples\":100,"
                        "\"mode\":\"sync\"}",
                        TRI_PROTOCOL, roles[how % 4], how / 4 % 3, 1 + how / 16);
    say(fd, &(tri__frame){.type = TRI_MSG_HELLO, .size = (uint32_t)size}, hello, (size_t)size);
}

/* One frame of the input; how much of it that took, 0 at the end. */
static size_t say_next(int fd, const uint8_t *data, size_t size)
{
    if (size < 8)
        return 0;
    size_t body = data[7] % 65 < size - 8 ? data[7] % 65 : size - 8;
    const tri__frame frame = {
        .type = data[0] % (TRI_MSG_TYPES + 1),
        .size = data[1] & 1 ? (uint32_t)body : (uint32_t)data[1] << (data[1] % 24),
        .word = {data[2] | (uint64_t)data[3] << 32, data[1] & 2 ? (uint64_t)(int8_t)data[4] : data[4], data[5], data[6] * UINT64_C(0x3f80)},
    };
    return say(fd, &frame, data + 8, body) ? 8 + body : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!port)
        start();
    if (size == 0)
        return 0;
    int fd = connect_to_server();
    if (fd < 0)
        return 0;
    greet(fd, data[0]);
    size_t at = 1, step;
    while ((step = say_next(fd, data + at, size - at)))
        at += step;
    shutdown(fd, SHUT_WR);
    char answer[4096];
    struct timeval soon = {.tv_usec = 2000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    while (recv(fd, answer, sizeof answer, 0) > 0)
        ;
    close(fd);
    return 0;
}
