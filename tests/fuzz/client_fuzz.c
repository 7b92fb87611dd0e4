/* client_fuzz.c: no bytes from a server harm its clients: a worker's store, a server that follows ps:0, the evaluator, and a worker that
 * asks to join. Two threads of this process play ps:0 and ps:1; the real client runs beside them, and does what its role does.
 *
 * The input's first byte chooses the client, whether it is welcomed properly first, and how many servers there are. What follows are frames
 * (frames.h), for either server; one of no known type is the last, so that every client ends. Where a frame was cut short, a
 * client connects again, and gets only that last frame. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "frames.h"
#include "store/ps/server/server.h"
#include "store/ps/worker/evaluator.h"
#include "store/ps/worker/join.h"
#include "store/ps/worker/worker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SERVERS = 2, FLOATS = 16 /* of each server */, SCRIPT = 1 << 16, STEPS = 8 };

typedef struct {
    pthread_mutex_t lock;
    int fd; /* which listens */
    tri__address address;
    uint8_t script[SCRIPT]; /* under the lock, as the next two; what it sends to the first client … */
    size_t size;
    bool said; /* … and has */
} server;

static char host[] = "127.0.0.1";
static server servers[SERVERS];
static volatile sig_atomic_t never;

/* ---- the servers ---- */

static void append(server *to, const tri__frame *frame, const void *body, size_t size)
{
    if (to->size + TRI_HEAD_SIZE + size > SCRIPT - TRI_HEAD_SIZE) /* the last frame always fits */
        return;
    tri__head_write(frame, to->script + to->size);
    if (size)
        memcpy(to->script + to->size + TRI_HEAD_SIZE, body, size);
    to->size += TRI_HEAD_SIZE + size;
}

static void append_text(server *to, tri__message_type type, const char *text)
{
    append(to, &(tri__frame){.type = type, .size = (uint32_t)strlen(text)}, text, strlen(text));
}

static const tri__frame last_frame = {.type = TRI_MSG_TYPES};

/* One client's connection: receive its hello, send everything, and read until it closes. */
static void play(server *self, int fd)
{
    uint8_t received[4096], words[SCRIPT];
    size_t size = TRI_HEAD_SIZE;
    struct timeval second = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    if (recv(fd, received, sizeof received, 0) <= 0)
        return;
    tri__head_write(&last_frame, words);
    pthread_mutex_lock(&self->lock);
    if (!self->said)
        memcpy(words, self->script, size = self->size);
    self->said = true;
    pthread_mutex_unlock(&self->lock);
    if (send(fd, words, size, MSG_NOSIGNAL) < 0)
        return;
    shutdown(fd, SHUT_WR);
    while (recv(fd, received, sizeof received, 0) > 0)
        ;
}

static void *serve(void *context)
{
    server *self = context;
    for (;;) {
        int fd = accept(self->fd, NULL, NULL);
        if (fd < 0)
            continue;
        play(self, fd);
        struct linger at_once = {.l_onoff = 1}; /* thousands of connections a second leave nothing behind */
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(fd);
    }
    return NULL;
}

static void start_servers(void)
{
    for (int i = 0; i < SERVERS; i++) {
        pthread_t thread;
        servers[i].address = (tri__address){host, 0};
        pthread_mutex_init(&servers[i].lock, NULL);
        tri_status status = tri__address_listen(&servers[i].address, &servers[i].fd, &servers[i].address.port);
        require(!status && fcntl(servers[i].fd, F_SETFL, 0) == 0); /* accept waits */
        require(pthread_create(&thread, NULL, serve, &servers[i]) == 0);
    }
}

/* What each server is going to send: the second byte of a frame says which server sends it. */
static void write_scripts(const char *welcome, int count, const uint8_t *data, size_t size)
{
    for (int i = 0; i < SERVERS; i++) {
        pthread_mutex_lock(&servers[i].lock);
        servers[i].size = 0;
        servers[i].said = false;
        if (welcome)
            append_text(&servers[i], TRI_MSG_WELCOME, welcome);
    }
    tri__frame frame;
    size_t body;
    uint8_t last;
    for (; frame_next(data, size, &frame, &body, &last); data += FRAME_FRONT + body, size -= FRAME_FRONT + body) {
        frame.word[3] = (last & 15) | (uint64_t)(last >> 4) << 32;
        append(&servers[count > 1 && data[1] & 4 ? 1 : 0], &frame, data + FRAME_FRONT, body);
    }
    for (int i = 0; i < SERVERS; i++) {
        tri__head_write(&last_frame, servers[i].script + servers[i].size);
        servers[i].size += TRI_HEAD_SIZE;
        pthread_mutex_unlock(&servers[i].lock);
    }
}

/* ---- the clients ---- */

static tri__ps_settings settings_of(int count)
{
    return (tri__ps_settings){.mode = TRI_PS_SYNC, .workers = 2, .servers = count, .timeout = 1000000000, .heartbeat = 100000000};
}

/* Train on whatever tokens come. */
static tri_status train(tri_store *store)
{
    const tri_range all = {0, tri_store_floats(store)};
    tri__ps_store_ready(store, 2);
    for (int i = 0; i < STEPS; i++) {
        tri__token token;
        bool stop;
        TRI_TRY(tri__ps_store_token(store, &token, &stop));
        if (stop)
            break;
        require(token.position >= 0 && token.index >= 0 && token.index < token.workers && token.step >= 0);
        TRI_TRY(tri_store_begin(store, &(tri_step){.step = token.step, .rate = 0.1f}));
        const int32_t keys[] = {7, 0, 12, 3};
        float rows[4 * 3];
        for (int table = 0; table < 2; table++) {
            TRI_TRY(tri_store_expect(store, table, TRI_NOW, keys, 2 * (token.step % 3)));
            TRI_TRY(tri_store_await_rows(store, table, rows));
            TRI_TRY(tri_store_offer_rows(store, table, rows, 1));
        }
        TRI_TRY(tri_store_await(store, all));
        memset(tri_store_gradient(store), 0, all.count * sizeof(float));
        TRI_TRY(tri_store_offer(store, all, 1));
    }
    return tri_store_flush(store);
}

static tri_status run_worker(int count)
{
    const tri__address addresses[SERVERS] = {servers[0].address, servers[1].address};
    json_t *hello = json_pack("{s:s}", "digest", "same");
    const tri__ps_store_options options = {.servers = addresses,
                                           .settings = settings_of(count),
                                           .floats = FLOATS * (size_t)count,
                                           .tables = {.count = 2, .table = {{40, 1}, {13, 3}}},
                                           .hello = hello};
    tri_store *store;
    tri_status status = tri__ps_store_create(&options, &store);
    if (!status) {
        status = train(store);
        if (!status)
            tri__ps_store_leave(store, json_pack("{s:b}", "final", 1), NULL);
        tri_store_destroy(store);
    }
    json_decref(hello);
    return status;
}

static tri_status run_follower(int count)
{
    (void)count;
    const tri__address addresses[SERVERS] = {servers[0].address, servers[1].address};
    tri__server_options options = {
        .index = 1,
        .settings = settings_of(SERVERS),
        .servers = addresses,
        .coordinator = &addresses[0],
        .stop = &never,
    };
    options.settings.heartbeat = 1000000; /* that is how long last words may take */
    uint16_t port;
    TRI_TRY(tri__address_listen(&(tri__address){host, 0}, &options.listen_fd, &port));
    return tri__server_run(&options, NULL);
}

static tri_status evaluate(void *context, int64_t step, json_t **out)
{
    (void)context;
    (void)step;
    *out = json_pack("{s:f}", "accuracy", 0.5);
    return NULL;
}

static tri_status run_evaluator(int count)
{
    tri_store *store;
    TRI_TRY(tri_store_local_create(FLOATS * (size_t)count, &(tri_rule){0}, &store));
    const tri__ps_evaluator_options options = {
        .coordinator = &servers[0].address, .settings = settings_of(count), .store = store, .evaluate = evaluate};
    tri_status status = tri__ps_evaluator_run(&options);
    tri_store_destroy(store);
    return status;
}

static tri_status run_joiner(int count)
{
    json_t *answer = NULL;
    (void)count;
    tri_status status = tri__ps_join(&(tri__ps_join_options){.coordinator = &servers[0].address, .timeout = 1000000000}, &answer);
    require(!status == (answer != NULL));
    json_decref(answer);
    return status;
}

static const struct {
    tri_status (*run)(int count);
    const char *welcome[SERVERS + 1]; /* by the number of servers */
} clients[] = {
    {run_worker, {NULL, "{\"floats\":16,\"generation\":1}", "{\"floats\":32,\"generation\":1}"}},
    {run_follower, {NULL, "{\"floats\":32,\"rule\":{\"kind\":\"momentum\"}}", "{\"floats\":32,\"rule\":{\"kind\":\"sgd\",\"clip\":1}}"}},
    {run_evaluator, {NULL, "{}", "{}"}},
    {run_joiner, {NULL, NULL, NULL}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (servers[0].fd == 0)
        start_servers();
    if (size == 0)
        return 0;
    int client = data[0] % 4, count = data[0] & 8 ? 2 : 1;
    write_scripts(data[0] & 4 ? clients[client].welcome[count] : NULL, count, data + 1, size - 1);
    tri_status_free(clients[client].run(count));
    return 0;
}
