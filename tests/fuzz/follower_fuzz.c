/* follower_fuzz.c: neither ps:0 nor workers, in whatever order they speak, harm a server that follows ps:0. The real ps:1 runs in a thread
 * of this process; the input is what ps:0 and three workers say to it, once it has its stretch: views, orders, norms, those who leave,
 * snapshots, and gradients of several incarnations of a task.
 *
 * The input's first byte chooses the mode, clipping and backup workers. What follows are frames (frames.h); two bits of a frame's second
 * byte say whose it is: 0 is ps:0, the others are workers. Where a worker's is a hello, it connects anew: as the task and the incarnation
 * that the frame has numbers for. View 0 stands for the job's generation. */
#define _GNU_SOURCE /* pthread_tryjoin_np */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames.h"
#include "store/ps/server/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLOATS = 16 /* of each server */, WORKERS = 3, OWN_CHUNK = 1, GENERATION = 7, MOST_FORGOTTEN = 16 };

static char host[] = "127.0.0.1";
static volatile sig_atomic_t never;
static tri__address coordinator; /* where this file plays ps:0 … */
static int coordinator_fd;       /* … and listens */

typedef struct {
    tri__ps_settings settings;
    float clip;
    int fd; /* on which ps:1 listens */
    uint16_t port;
    int speaker[1 + WORKERS];      /* ps:0, and workers; −1: it has no connection */
    int forgotten[MOST_FORGOTTEN]; /* connections of workers that came again */
    int forgotten_count;
} job;

/* ---- ps:1 ---- */

static void *serve(void *context)
{
    const job *self = context;
    const tri__address servers[] = {coordinator, {host, self->port}};
    const tri__server_options options = {
        .index = 1,
        .settings = self->settings,
        .listen_fd = self->fd,
        .servers = servers,
        .coordinator = &coordinator,
        .stop = &never,
    };
    tri_status_free(tri__server_run(&options, NULL));
    return NULL;
}

/* ---- those who speak ---- */

static void say(int fd, const tri__frame *frame, const void *body, size_t size)
{
    uint8_t head[TRI_HEAD_SIZE];
    tri__head_write(frame, head);
    if (fd >= 0 && send(fd, head, sizeof head, MSG_NOSIGNAL) == sizeof head && size)
        (void)!send(fd, body, size, MSG_NOSIGNAL);
}

static void say_text(int fd, tri__message_type type, const char *text)
{
    say(fd, &(tri__frame){.type = type, .size = (uint32_t)strlen(text)}, text, strlen(text));
}

static void be_quick(int fd)
{
    const struct linger at_once = {.l_onoff = 1}; /* thousands of connections a second leave nothing behind */
    const struct timeval soon = {.tv_usec = 20000};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
}

/* Something is heard, whatever it is. */
static void await(int fd)
{
    char heard[4096];
    require(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000) == 1);
    require(recv(fd, heard, sizeof heard, 0) > 0);
}

/* ps:1 has come: give it its stretch, and wait until it says that it has it. */
static int restore(const job *self)
{
    static const float floats[FLOATS];
    char text[160];
    require(poll(&(struct pollfd){.fd = coordinator_fd, .events = POLLIN}, 1, 10000) == 1);
    int fd = accept(coordinator_fd, NULL, NULL);
    require(fd >= 0);
    be_quick(fd);
    await(fd); /* its hello */
    snprintf(text, sizeof text, "{\"floats\":%d,\"rule\":{\"kind\":\"sgd\",\"clip\":%g}}", 2 * FLOATS, (double)self->clip);
    say_text(fd, TRI_MSG_WELCOME, text);
    tri__frame frame = {.type = TRI_MSG_RESTORE, .size = sizeof floats, .word = {OWN_CHUNK | (uint64_t)GENERATION << 32}};
    say(fd, &frame, floats, sizeof floats);
    frame.type = TRI_MSG_RESTORED;
    frame.size = 0;
    say(fd, &frame, NULL, 0);
    await(fd); /* that it has */
    return fd;
}

static int connect_as(const job *to, int task, int incarnation)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(to->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char text[128], heard[4096];
    require(fd >= 0);
    be_quick(fd);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address)) {
        close(fd);
        return -1;
    }
    snprintf(text, sizeof text, "{\"protocol\":%d,\"role\":\"worker\",\"task\":%d,\"incarnation\":%d}", TRI_PROTOCOL, task, incarnation);
    say_text(fd, TRI_MSG_HELLO, text);
    if (recv(fd, heard, sizeof heard, 0) > 0) /* its welcome: from here on it is known */
        return fd;
    close(fd);
    return -1;
}

/* The task comes anew: after its earlier connection has ended, or while that still stands. */
static void come_again(job *to, int speaker, const uint8_t *data)
{
    int *fd = &to->speaker[speaker];
    bool stands = data[6] & 1 && to->forgotten_count < MOST_FORGOTTEN;
    if (*fd >= 0 && stands)
        to->forgotten[to->forgotten_count++] = *fd;
    else if (*fd >= 0)
        close(*fd);
    *fd = connect_as(to, data[2] % WORKERS, 1 + data[4]);
}

/* One frame of the input; how much of it that took, 0 at the end. */
static size_t say_next(job *to, const uint8_t *data, size_t size)
{
    tri__frame frame;
    size_t body;
    uint8_t last;
    if (!frame_next(data, size, &frame, &body, &last))
        return 0;
    int speaker = data[1] >> 2 & 3;
    if (speaker && frame.type == TRI_MSG_HELLO) {
        come_again(to, speaker, data);
        return FRAME_FRONT + body;
    }
    frame.word[3] = speaker ? UINT64_C(0x3f8000003f800000) : last; /* a gradient's rate and weight: 1. Slots, of ps:0 */
    if (!speaker && frame.type == TRI_MSG_NORM)
        frame.word[2] = last & 1 ? UINT64_C(0x3fe0000000000000) : frame.word[2]; /* a factor of one half */
    if (data[3] == 0)
        frame.word[0] |= (uint64_t)GENERATION << 32;
    say(to->speaker[speaker], &frame, data + FRAME_FRONT, body);
    return FRAME_FRONT + body;
}

static void hang_up(const job *self)
{
    for (int i = 1; i <= WORKERS; i++)
        if (self->speaker[i] >= 0)
            close(self->speaker[i]);
    for (int i = 0; i < self->forgotten_count; i++)
        close(self->forgotten[i]);
}

static void say_bye(int fd)
{
    say_text(fd, TRI_MSG_BYE, "{}");
    shutdown(fd, SHUT_WR);
}

/* ps:1 waits two seconds for workers whose connection broke after the job was over, so that they may come back to hear it. One does. */
static void come_to_hear_it(const job *self)
{
    const struct linger in_good_order = {0}; /* a connection that breaks once more is waited for once more */
    int fd = connect_as(self, 0, 1);
    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &in_good_order, sizeof in_good_order);
    close(fd);
}

/* ps:1 ends when ps:0 says so. Where it has hung up on what ps:0 said, it comes back, and hears it then. */
static void end(const job *self, pthread_t thread)
{
    int fd = self->speaker[0];
    say_bye(fd);
    for (int turn = 0; pthread_tryjoin_np(thread, NULL); turn++) {
        poll(&(struct pollfd){.fd = coordinator_fd, .events = POLLIN}, 1, 1);
        if (turn > 2)
            come_to_hear_it(self);
        int again = accept(coordinator_fd, NULL, NULL);
        if (again < 0)
            continue;
        be_quick(again);
        say_bye(again);
        close(fd);
        fd = again;
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!coordinator.host) {
        coordinator.host = host;
        tri_status status = tri__address_listen(&coordinator, &coordinator_fd, &coordinator.port);
        require(!status);
    }
    if (size == 0)
        return 0;
    job self = {.clip = data[0] & 1 ? 1.0f : 0, .speaker = {-1, -1, -1, -1}};
    self.settings = (tri__ps_settings){
        .mode = data[0] & 8 ? TRI_PS_ASYNC : TRI_PS_SYNC,
        .workers = WORKERS,
        .servers = 2,
        .backup = data[0] & 2 ? 1 : 0,
        .timeout = INT64_C(10000000000),
        .heartbeat = INT64_C(20000000),
    };
    pthread_t thread;
    tri_status status = tri__address_listen(&(tri__address){host, 0}, &self.fd, &self.port);
    require(!status && pthread_create(&thread, NULL, serve, &self) == 0);
    self.speaker[0] = restore(&self);
    size_t at = 1, step;
    while ((step = say_next(&self, data + at, size - at)))
        at += step;
    hang_up(&self);
    end(&self, thread);
    return 0;
}
