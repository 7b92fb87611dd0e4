/* ps_frames.c: what ps_bare.c does, through the connections of the room `net`: what frames, deadlines and authentication cost.
 *
 * usage: ps_frames async|sync WORKERS COMPUTE SECONDS [IDENTITY]    prints {"rate": updates (async) or steps (sync) a second,
 *                                                                           "server_cpu": µs of each}
 * IDENTITY: a file of `trireme keygen`, for TLS. Each worker is a process, as there. */
#include "base/thread/clock.h"
#include "net/address/address.h"
#include "net/connection/connection.h"
#include "net/connection/listener.h"
#include "net/loop/loop.h"
#include "ps_workers.h"

#define DEADLINE (INT64_C(30) * 1000000000)

typedef struct server server;
typedef struct {
    server *server;
    tri__connection *connection;
    float gradient[FLOATS];
} peer;

struct server {
    tri__loop *loop;
    tri__timer *timer;
    bool sync;
    int workers, admitted, arrived;
    float parameters[FLOATS];
    peer peers[MOST_WORKERS];
    int64_t applied, applied_before;
    double begun, cpu_begun, seconds;
};

typedef struct {
    tri__loop *loop;
    bool open, answered, ended;
    float parameters[FLOATS];
} worker;

static const tri__frame message = {.type = 1, .size = FLOATS * sizeof(float)};

static void must(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "ps_frames: %s\n", tri_status_message(status));
    exit(1);
}

/* ---- a worker ---- */

static void worker_open(void *context, tri__connection *connection)
{
    (void)connection;
    ((worker *)context)->open = true;
}

static tri_status worker_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    (void)connection, (void)frame;
    *body = ((worker *)context)->parameters;
    return NULL;
}

static tri_status worker_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    (void)connection, (void)frame, (void)body;
    ((worker *)context)->answered = true;
    return NULL;
}

static void worker_closed(void *context, tri__connection *connection, tri_status why)
{
    (void)connection;
    tri_status_free(why);
    ((worker *)context)->ended = true;
}

static const tri__connection_handlers worker_handlers = {
    .open = worker_open, .begin = worker_begin, .frame = worker_frame, .closed = worker_closed};

static void work(const tri__address *address, tri__tls *tls, int64_t rounds)
{
    static worker w;
    static float gradient[FLOATS];
    tri__connection *connection;
    const tri__connection_options options = {.handlers = &worker_handlers, .context = &w, .tls = tls, .timeout = DEADLINE};
    must(tri__loop_create(&w.loop));
    must(tri__connection_open(w.loop, address, &options, &connection));
    while (!w.open && !w.ended)
        tri__loop_turn(w.loop, tri__clock_now() + DEADLINE);
    while (!w.ended) {
        gradient[0] = burn(rounds);
        w.answered = false;
        tri__connection_send(connection, &message, gradient, false);
        while (!w.answered && !w.ended)
            tri__loop_turn(w.loop, tri__clock_now() + DEADLINE);
    }
}

/* ---- the server ---- */

static void *server_accepted(void *context, tri__connection *connection)
{
    server *s = context;
    check(s->admitted < s->workers, "a worker too many");
    peer *p = &s->peers[s->admitted++];
    *p = (peer){.server = s, .connection = connection};
    return p;
}

static void server_open(void *context, tri__connection *connection)
{
    (void)context, (void)connection;
}

static tri_status server_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    (void)connection;
    check(frame->size == message.size, "a gradient of another size");
    *body = ((peer *)context)->gradient;
    return NULL;
}

static void apply(server *s, const peer *p)
{
    for (int i = 0; i < FLOATS; i++)
        s->parameters[i] -= 0.01f * p->gradient[i];
}

static tri_status server_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    (void)frame, (void)body;
    server *s = ((peer *)context)->server;
    if (!s->sync) {
        apply(s, context);
        s->applied++;
        tri__connection_send(connection, &message, s->parameters, false);
    } else if (++s->arrived == s->workers) {
        s->arrived = 0;
        s->applied++;
        for (int i = 0; i < s->workers; i++)
            apply(s, &s->peers[i]);
        for (int i = 0; i < s->workers; i++)
            tri__connection_send(s->peers[i].connection, &message, s->parameters, false);
    }
    return NULL;
}

static void server_closed(void *context, tri__connection *connection, tri_status why)
{
    (void)context, (void)connection;
    must(why);
}

static const tri__connection_handlers server_handlers = {
    .open = server_open, .begin = server_begin, .frame = server_frame, .closed = server_closed};

/* First the end of the warm-up, then the end. */
static void due(void *context)
{
    server *s = context;
    if (s->begun > 0) {
        tri__loop_stop(s->loop);
        return;
    }
    s->applied_before = s->applied;
    s->begun = now();
    s->cpu_begun = cpu_seconds();
    tri__timer_start(s->timer, (int64_t)(s->seconds * 1e9), 0);
}

static void serve(server *s, int listening, tri__tls *tls)
{
    tri__listener *listener;
    const tri__listener_options options = {
        .connection = {.handlers = &server_handlers, .context = s, .tls = tls, .timeout = DEADLINE},
        .accepted = server_accepted,
        .most = MOST_WORKERS,
    };
    must(tri__loop_create(&s->loop));
    must(tri__listener_create(s->loop, listening, &options, &listener));
    must(tri__timer_create(s->loop, due, s, &s->timer));
    tri__timer_start(s->timer, (int64_t)WARM_UP * 1000000, 0);
    tri__loop_run(s->loop);
    double count = (double)(s->applied - s->applied_before);
    check(count > 0, "no update in all that time");
    printf("{\"rate\": %.1f, \"server_cpu\": %.2f}\n", count / (now() - s->begun), (cpu_seconds() - s->cpu_begun) / count * 1e6);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    static server s;
    char loopback[] = "127.0.0.1";
    tri__address address = {.host = loopback};
    tri__tls *tls = NULL;
    int listening;
    if (count < 5 || atoi(arguments[2]) < 1 || atoi(arguments[2]) > MOST_WORKERS) {
        fprintf(stderr, "usage: ps_frames async|sync WORKERS COMPUTE SECONDS [IDENTITY]\n");
        return 2;
    }
    if (count > 5)
        must(tri__tls_create(&(tri__tls_options){.identity = arguments[5]}, &tls));
    s = (server){.sync = strcmp(arguments[1], "sync") == 0, .workers = atoi(arguments[2]), .seconds = strtod(arguments[4], NULL)};
    int64_t rounds = calibrate(strtod(arguments[3], NULL));
    must(tri__address_listen(&address, &listening, &address.port));
    pid_t children[MOST_WORKERS];
    for (int i = 0; i < s.workers; i++)
        if ((children[i] = split()) == 0) {
            close(listening);
            work(&address, tls, rounds);
            _exit(0);
        }
    serve(&s, listening, tls);
    for (int i = 0; i < s.workers; i++) {
        kill(children[i], SIGKILL); // by now they only wait
        waitpid(children[i], NULL, 0);
    }
    return 0;
}
