/* ps_bare.c: what a parameter server could reach if it had no protocol: a length, then the floats. Real processes over loopback.
 *
 * usage: ps_bare async|sync WORKERS COMPUTE SECONDS [tls]    prints {"rate": updates (sync: steps) a second, "server_cpu": µs of each}
 *        ps_bare trip COMPUTE SECONDS [tls]                  prints {"microseconds": of a gradient up and the parameters down, blocking,
 *                                                                      beyond the COMPUTE µs before each}
 *
 * A worker burns COMPUTE µs of CPU, sends a gradient of 7,850 floats (softmax on MNIST) and waits for as many parameters. The server is a
 * libuv loop: it reads straight into the place where the gradient is used and answers from the parameters themselves; async at once, sync
 * when all gradients are there. tls: TLS 1.3, AES-128-GCM, with a certificate made on the spot. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <uv.h>

#include "ps_workers.h"

enum { READ_AHEAD = 64 << 10 };

typedef struct {
    uint32_t length;
    float values[FLOATS];
} message;

/* One end of a connection; ssl is NULL where it is plain. */
typedef struct {
    int socket;
    SSL *ssl;
} line;

typedef struct server server;
typedef struct {
    line line;
    uv_poll_t poll;
    server *server;
    message gradient;
    size_t read, written; /* bytes of this gradient, of this answer */
} peer;

struct server {
    uv_loop_t loop;
    uv_timer_t timer;
    bool sync;
    int workers, arrived;
    message parameters;
    peer peers[MOST_WORKERS];
    int64_t applied, applied_before; /* steps or updates: in all, and when the measured time began */
    double begun, cpu_begun, seconds;
};

/* ---- TLS ---- */

static void show_certificate(SSL_CTX *context)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    check(key && certificate, "a certificate");
    X509_set_pubkey(certificate, key);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    check(X509_sign(certificate, key, EVP_sha256()) > 0, "signing the certificate");
    check(SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1, "using the certificate");
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static SSL_CTX *context_create(bool serves)
{
    SSL_CTX *context = SSL_CTX_new(serves ? TLS_server_method() : TLS_client_method());
    check(context && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3");
    check(SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1, "AES-128-GCM");
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, READ_AHEAD);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (serves)
        show_certificate(context);
    return context;
}

/* ---- lines ---- */

/* The socket is blocking until the handshake is over. */
static line line_open(int socket, SSL_CTX *context, bool serves)
{
    line l = {.socket = socket};
    check(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0, "TCP_NODELAY");
    if (context) {
        l.ssl = SSL_new(context);
        check(l.ssl && SSL_set_fd(l.ssl, socket) == 1, "TLS");
        check((serves ? SSL_accept(l.ssl) : SSL_connect(l.ssl)) == 1, "the handshake");
    }
    return l;
}

static void line_close(line l)
{
    SSL_free(l.ssl);
    close(l.socket);
}

/* Bytes moved; 0 where nothing can be moved now; -1 where the other side is gone. */
static ssize_t moved(line l, ssize_t result)
{
    if (result > 0)
        return result;
    if (l.ssl) {
        int reason = SSL_get_error(l.ssl, (int)result);
        return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? 0 : -1;
    }
    return result < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static ssize_t line_read(line l, void *to, size_t size)
{
    return moved(l, l.ssl ? SSL_read(l.ssl, to, (int)size) : recv(l.socket, to, size, 0));
}

static ssize_t line_write(line l, const void *from, size_t size)
{
    return moved(l, l.ssl ? SSL_write(l.ssl, from, (int)size) : send(l.socket, from, size, MSG_NOSIGNAL));
}

/* On a blocking socket; false where the other side is gone. */
static bool read_message(line l, message *m)
{
    ssize_t n;
    for (size_t at = 0; at < sizeof *m; at += (size_t)n)
        if ((n = line_read(l, (char *)m + at, sizeof *m - at)) < 0)
            return false;
    return m->length == sizeof m->values;
}

static bool write_message(line l, const message *m)
{
    ssize_t n;
    for (size_t at = 0; at < sizeof *m; at += (size_t)n)
        if ((n = line_write(l, (const char *)m + at, sizeof *m - at)) < 0)
            return false;
    return true;
}

static int listen_on_loopback(struct sockaddr_in *address)
{
    int socket_of = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t size = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    check(socket_of >= 0 && bind(socket_of, (struct sockaddr *)address, size) == 0 && listen(socket_of, MOST_WORKERS) == 0, "listening");
    check(getsockname(socket_of, (struct sockaddr *)address, &size) == 0, "the port");
    return socket_of;
}

static line connect_to(struct sockaddr_in address, bool tls)
{
    int socket_of = socket(AF_INET, SOCK_STREAM, 0);
    check(socket_of >= 0 && connect(socket_of, (struct sockaddr *)&address, sizeof address) == 0, "connecting");
    return line_open(socket_of, tls ? context_create(false) : NULL, false);
}

/* ---- workers ---- */

static void work(line l, int64_t rounds)
{
    message gradient = {.length = sizeof gradient.values}, parameters;
    do
        gradient.values[0] = burn(rounds);
    while (write_message(l, &gradient) && read_message(l, &parameters));
}

/* ---- the server ---- */

static void apply(server *s, const peer *p)
{
    for (int i = 0; i < FLOATS; i++)
        s->parameters.values[i] -= 0.01f * p->gradient.values[i];
}

static void on_ready(uv_poll_t *poll, int status, int events);

static void leave(peer *p)
{
    uv_poll_stop(&p->poll);
    uv_stop(&p->server->loop);
}

static void answer(peer *p)
{
    while (p->written < sizeof(message)) {
        ssize_t n = line_write(p->line, (char *)&p->server->parameters + p->written, sizeof(message) - p->written);
        if (n < 0) {
            leave(p);
            return;
        }
        if (n == 0) {
            uv_poll_start(&p->poll, UV_WRITABLE, on_ready);
            return;
        }
        p->written += (size_t)n;
    }
    p->read = 0;
    uv_poll_start(&p->poll, UV_READABLE, on_ready);
}

static void arrive(peer *p)
{
    server *s = p->server;
    check(p->gradient.length == sizeof p->gradient.values, "a gradient of another length");
    p->written = 0;
    if (!s->sync) {
        apply(s, p);
        s->applied++;
        answer(p);
    } else if (++s->arrived == s->workers) {
        s->arrived = 0;
        for (int i = 0; i < s->workers; i++)
            apply(s, &s->peers[i]);
        s->applied++;
        for (int i = 0; i < s->workers; i++)
            answer(&s->peers[i]);
    }
}

static void take(peer *p)
{
    ssize_t n = 1;
    while (p->read < sizeof(message) && (n = line_read(p->line, (char *)&p->gradient + p->read, sizeof(message) - p->read)) > 0)
        p->read += (size_t)n;
    if (n < 0)
        leave(p);
    else if (p->read == sizeof(message))
        arrive(p);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    check(status == 0, "poll");
    if (events & UV_WRITABLE)
        answer(poll->data);
    else
        take(poll->data);
}

static void on_end(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

static void on_warm(uv_timer_t *timer)
{
    server *s = timer->data;
    s->applied_before = s->applied;
    s->begun = now();
    s->cpu_begun = cpu_seconds();
    uv_timer_start(timer, on_end, (uint64_t)(s->seconds * 1000), 0);
}

static void admit(server *s, peer *p, int listening, SSL_CTX *context)
{
    int socket_of = accept(listening, NULL, NULL);
    check(socket_of >= 0, "accept");
    p->line = line_open(socket_of, context, true);
    p->server = s;
    p->poll.data = p;
    check(fcntl(socket_of, F_SETFL, O_NONBLOCK) == 0, "O_NONBLOCK");
    check(uv_poll_init(&s->loop, &p->poll, socket_of) == 0 && uv_poll_start(&p->poll, UV_READABLE, on_ready) == 0, "uv_poll");
}

static void serve(server *s, int listening, SSL_CTX *context)
{
    check(uv_loop_init(&s->loop) == 0 && uv_timer_init(&s->loop, &s->timer) == 0, "uv_loop");
    for (int i = 0; i < s->workers; i++)
        admit(s, &s->peers[i], listening, context);
    for (int i = 0; i < s->workers; i++)
        take(&s->peers[i]); // TLS may have read ahead, beyond the handshake
    s->timer.data = s;
    uv_timer_start(&s->timer, on_warm, WARM_UP, 0);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    double count = (double)(s->applied - s->applied_before);
    check(s->begun > 0, "a worker left early");
    check(count > 0, "no update in all that time");
    printf("{\"rate\": %.1f, \"server_cpu\": %.2f}\n", count / (now() - s->begun), (cpu_seconds() - s->cpu_begun) / count * 1e6);
    for (int i = 0; i < s->workers; i++)
        line_close(s->peers[i].line);
}

static void measure_server(bool sync, int workers, double compute, double seconds, bool tls)
{
    static server s;
    struct sockaddr_in address;
    int listening = listen_on_loopback(&address);
    int64_t rounds = calibrate(compute);
    s = (server){.sync = sync, .workers = workers, .seconds = seconds, .parameters.length = sizeof s.parameters.values};
    for (int i = 0; i < workers; i++)
        if (split() == 0) {
            close(listening);
            work(connect_to(address, tls), rounds);
            _exit(0);
        }
    serve(&s, listening, tls ? context_create(true) : NULL);
}

/* ---- one round trip, both sides blocking ---- */

static void measure_trip(double compute, double seconds, bool tls)
{
    static message m = {.length = sizeof m.values};
    struct sockaddr_in address;
    int64_t rounds = calibrate(compute);
    int listening = listen_on_loopback(&address);
    if (split() == 0) {
        line l = line_open(accept(listening, NULL, NULL), tls ? context_create(true) : NULL, true);
        while (read_message(l, &m) && write_message(l, &m)) {
        }
        _exit(0);
    }
    line l = connect_to(address, tls);
    int64_t trips = 0;
    double end = now() + seconds, travelled = 0;
    for (double left; now() < end; trips++, travelled += now() - left) {
        m.values[0] = burn(rounds);
        left = now();
        check(write_message(l, &m) && read_message(l, &m), "the other side left");
    }
    printf("{\"microseconds\": %.2f}\n", travelled / (double)trips * 1e6);
    line_close(l);
}

int main(int count, char **arguments)
{
    bool tls = strcmp(arguments[count - 1], "tls") == 0;
    signal(SIGPIPE, SIG_IGN); // TLS writes without MSG_NOSIGNAL
    alarm(120);               // should a side never come
    if (count - tls == 4 && strcmp(arguments[1], "trip") == 0)
        measure_trip(strtod(arguments[2], NULL), strtod(arguments[3], NULL), tls);
    else if (count - tls == 5 && atoi(arguments[2]) >= 1 && atoi(arguments[2]) <= MOST_WORKERS)
        measure_server(strcmp(arguments[1], "sync") == 0, atoi(arguments[2]), strtod(arguments[3], NULL), strtod(arguments[4], NULL), tls);
    else {
        fprintf(stderr, "usage: ps_bare async|sync WORKERS COMPUTE SECONDS [tls] | ps_bare trip COMPUTE SECONDS [tls]\n");
        return 2;
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}
