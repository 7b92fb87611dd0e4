/* server_fuzz.c: no bytes from its peers harm a parameter server. Real servers run in threads of this process, each with a job; an input is
 * two peers that connect to one of them.
 *
 * The input's first byte chooses the job, and how the peers introduce themselves: as a worker, another server, an evaluator, or not at all.
 * What follows are frames (frames.h) of either peer; view 0 stands for the job's generation, which a peer learns from its welcome. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames.h"
#include "store/ps/coordinator/coordinator_role.h"
#include "store/ps/idle_owner.h"
#include "store/ps/server/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLOATS = 16 /* of each server */, PEERS = 2 };

typedef struct {
    tri__ps_settings settings;
    int64_t evaluate_every;
    float clip;
    int fd;
    uint16_t port;
} job;

#define PATIENT .timeout = INT64_C(3600000000000), .heartbeat = 100000000

static job jobs[] = {
    {.settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 1, PATIENT}, .evaluate_every = 5},
    {.settings = {.mode = TRI_PS_ASYNC, .workers = 2, .servers = 1, PATIENT}},
    {.settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 2, .backup = 1, PATIENT}, .clip = 1},
    {.settings = {.mode = TRI_PS_STALENESS, .workers = 2, .servers = 2, .staleness = 1, PATIENT}},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static volatile sig_atomic_t never;

static tri_status settle(void *context, const json_t *hello, tri__ps_job *out)
{
    const job *mine = context;
    (void)hello;
    *out = (tri__ps_job){
        .floats = FLOATS * (size_t)mine->settings.servers,
        .tables = {.count = 2, .table = {{40, 1}, {9, 3}}},
        .rule = {.clip = mine->clip},
        .digest = "same",
        .terms = "same",
        .work = {.examples = 100, .batch = 10, .last_step = INT64_MAX, .last_position = INT64_MAX},
        .evaluate_every = mine->evaluate_every,
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

static const tri__ps_owner owner = {.settle = settle, .load = load, .save = idle_save, .evaluated = idle_evaluated, .watch = idle_watch};

static void *serve(void *context)
{
    static char host[] = "127.0.0.1";
    job *mine = context;
    const tri__address servers[] = {{host, 1}, {host, 2}};
    for (;;) { /* a peer may well end a job, by what it says in good order; then there is another */
        const tri__server_options options = {
            .settings = mine->settings,
            .listen_fd = dup(mine->fd),
            .servers = servers,
            .role = &tri__coordinator_role,
            .owner = &owner,
            .context = mine,
            .stop = &never,
        };
        tri__ps_status status = {.reports = NULL};
        tri_status_free(tri__server_run(&options, &status));
        json_decref(status.reports);
    }
    return NULL;
}

static void start(void)
{
    static char host[] = "127.0.0.1";
    for (int i = 0; i < JOBS; i++) {
        pthread_t thread;
        tri_status status = tri__address_listen(&(tri__address){host, 0}, &jobs[i].fd, &jobs[i].port);
        require(!status && pthread_create(&thread, NULL, serve, &jobs[i]) == 0);
    }
}

static int connect_to(const job *to)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(to->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    require(fd >= 0);
    const struct linger at_once = {.l_onoff = 1}; /* thousands of connections a second leave nothing behind */
    const struct timeval soon = {.tv_usec = 2000};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
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

/* Introduce a peer, and learn the job's generation where it is welcomed. */
static uint32_t greet(int fd, const job *to, int role, int task, int incarnation)
{
    static const char *const roles[] = {"worker", "server", "evaluator"};
    char text[512], settings[TRI_PS_WORDS];
    if (role == 3)
        return 0;
    tri__ps_settings_words(&to->settings, settings);
    int size = snprintf(text, sizeof text,
                        "{\"protocol\":%d,\"role\":\"%s\",\"task\":%d,\"incarnation\":%d,\"digest\":\"same\",\"terms\":\"same\",\"batch\":"
                        "10,\"examples\":100,"
                        "\"workers\":%d,\"settings\":\"%s\"}",
                        TRI_PROTOCOL, roles[role], task, incarnation, to->settings.workers, settings);
    say(fd, &(tri__frame){.type = TRI_MSG_HELLO, .size = (uint32_t)size}, text, (size_t)size);
    ssize_t got = recv(fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    const char *words = got > TRI_HEAD_SIZE ? text + TRI_HEAD_SIZE : "", *generation = strstr(words, "\"generation\":");
    return generation ? (uint32_t)strtoul(generation + strlen("\"generation\":"), NULL, 10) : 0;
}

/* One frame of the input, by the peer that its second byte chooses; how much of it that took, 0 at the end. */
static size_t say_next(const int fds[PEERS], uint32_t generation, const uint8_t *data, size_t size)
{
    tri__frame frame;
    size_t body;
    uint8_t last;
    if (!frame_next(data, size, &frame, &body, &last))
        return 0;
    frame.word[3] = last * UINT64_C(0x3f80);
    if (data[3] == 0)
        frame.word[0] |= (uint64_t)generation << 32;
    say(fds[data[1] & 4 ? 1 : 0], &frame, data + FRAME_FRONT, body);
    return FRAME_FRONT + body;
}

static void hang_up(int fd)
{
    char answer[4096];
    shutdown(fd, SHUT_WR);
    while (recv(fd, answer, sizeof answer, 0) > 0)
        ;
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!jobs[0].port)
        start();
    if (size == 0)
        return 0;
    const job *to = &jobs[data[0] % JOBS];
    const int fds[PEERS] = {connect_to(to), connect_to(to)};
    uint32_t generation = 0;
    for (int i = 0; i < PEERS; i++) /* a server is ps:1, and has to be there before workers are welcome */
        generation |= greet(fds[i], to, data[0] >> (2 + 2 * i) & 3, data[0] >> (2 + 2 * i) & 3 ? 1 : i, 1 + (data[0] >> 6));
    size_t at = 1, step;
    while ((step = say_next(fds, generation, data + at, size - at)))
        at += step;
    for (int i = 0; i < PEERS; i++)
        hang_up(fds[i]);
    return 0;
}
