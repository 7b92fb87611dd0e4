/* cable.c: a thread for each server waits for connections, two for each connection lead its bytes on. */
#define _GNU_SOURCE
#include "ps/cable.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

enum { MOST_SERVERS = 4, PIECE = 1 << 16 };

/* A connection, and its way on. */
typedef struct strand {
    struct strand *next;
    cable *cable;
    int fd[2];
    int flows; /* that still run */
} strand;

typedef struct {
    strand *along;
    int from; /* of its two ends */
} flow;

typedef struct {
    cable *cable;
    int fd, port, to;
    pthread_t thread;
} entrance;

struct cable {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool cut, removed; /* under the lock, as rate and strands */
    int rate;          /* bytes a second; 0: as many as it can */
    strand *strands;
    entrance entrance[MOST_SERVERS];
    int count;
};

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void wait_until_mended(cable *laid)
{
    pthread_mutex_lock(&laid->lock);
    while (laid->cut && !laid->removed)
        pthread_cond_wait(&laid->changed, &laid->lock);
    pthread_mutex_unlock(&laid->lock);
}

/* For as long as so many bytes take. */
static void take_time(cable *laid, ssize_t size)
{
    pthread_mutex_lock(&laid->lock);
    int rate = laid->removed ? 0 : laid->rate;
    pthread_mutex_unlock(&laid->lock);
    if (rate)
        usleep((useconds_t)(1000000 * size / rate));
}

static void end_flow(strand *along)
{
    cable *laid = along->cable;
    pthread_mutex_lock(&laid->lock);
    if (--along->flows == 0) {
        strand **at = &laid->strands;
        while (*at != along)
            at = &(*at)->next;
        *at = along->next;
        close(along->fd[0]);
        close(along->fd[1]);
        free(along);
        pthread_cond_broadcast(&laid->changed);
    }
    pthread_mutex_unlock(&laid->lock);
}

static bool pass_on(int fd, const char *bytes, ssize_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, bytes, (size_t)size, MSG_NOSIGNAL);
        if (sent < 0)
            return false;
        bytes += sent;
        size -= sent;
    }
    return true;
}

static void *lead_on(void *context)
{
    flow *self = context;
    strand *along = self->along;
    int from = along->fd[self->from], to = along->fd[!self->from];
    char bytes[PIECE];
    ssize_t size;
    free(self);
    while ((size = recv(from, bytes, sizeof bytes, 0)) > 0) {
        take_time(along->cable, size);
        wait_until_mended(along->cable);
        if (!pass_on(to, bytes, size))
            break;
    }
    wait_until_mended(along->cable);
    shutdown(to, SHUT_WR);
    shutdown(from, SHUT_RD);
    end_flow(along);
    return NULL;
}

/* What comes goes on at once: a worker's messages are small, and a step would wait for acknowledgements that are delayed. */
static void send_at_once(int fd)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

static void start_flow(strand *along, int from)
{
    flow *self = malloc(sizeof *self);
    pthread_t thread;
    *self = (flow){along, from};
    send_at_once(along->fd[from]);
    if (pthread_create(&thread, NULL, lead_on, self))
        abort();
    pthread_detach(thread);
}

/* The connection's way on; nobody there, and it ends. */
static void add_strand(entrance *by, int fd)
{
    cable *laid = by->cable;
    struct sockaddr_in address = address_of(by->to);
    int on = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strand *along = malloc(sizeof *along);
    if (on < 0 || connect(on, (const struct sockaddr *)&address, sizeof address)) {
        close(on);
        close(fd);
        free(along);
        return;
    }
    pthread_mutex_lock(&laid->lock);
    *along = (strand){.next = laid->strands, .cable = laid, .fd = {fd, on}, .flows = 2};
    laid->strands = along;
    pthread_mutex_unlock(&laid->lock);
    start_flow(along, 0);
    start_flow(along, 1);
}

static void *wait_at(void *context)
{
    entrance *self = context;
    for (int fd; (fd = accept4(self->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        wait_until_mended(self->cable);
        add_strand(self, fd);
    }
    return NULL;
}

cable *cable_lay(const int *ports, int count)
{
    cable *laid = calloc(1, sizeof *laid);
    assert_non_null(laid);
    pthread_mutex_init(&laid->lock, NULL);
    pthread_cond_init(&laid->changed, NULL);
    laid->count = count;
    for (int i = 0; i < count; i++) {
        entrance *self = &laid->entrance[i];
        struct sockaddr_in address = address_of(0);
        socklen_t size = sizeof address;
        *self = (entrance){.cable = laid, .to = ports[i], .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        assert_true(self->fd >= 0 && !bind(self->fd, (struct sockaddr *)&address, size) && !listen(self->fd, 64));
        assert_false(getsockname(self->fd, (struct sockaddr *)&address, &size));
        self->port = ntohs(address.sin_port);
        assert_false(pthread_create(&self->thread, NULL, wait_at, self));
    }
    return laid;
}

int cable_port(const cable *laid, int index)
{
    return laid->entrance[index].port;
}

void cable_cut(cable *laid, bool cut)
{
    pthread_mutex_lock(&laid->lock);
    laid->cut = cut;
    pthread_cond_broadcast(&laid->changed);
    pthread_mutex_unlock(&laid->lock);
}

void cable_slow(cable *laid, int rate)
{
    pthread_mutex_lock(&laid->lock);
    laid->rate = rate;
    pthread_mutex_unlock(&laid->lock);
}

static void break_strands(cable *laid)
{
    for (strand *along = laid->strands; along; along = along->next) {
        shutdown(along->fd[0], SHUT_RDWR);
        shutdown(along->fd[1], SHUT_RDWR);
    }
}

void cable_break(cable *laid)
{
    pthread_mutex_lock(&laid->lock);
    break_strands(laid);
    pthread_mutex_unlock(&laid->lock);
}

void cable_remove(cable *laid)
{
    for (int i = 0; i < laid->count; i++)
        shutdown(laid->entrance[i].fd, SHUT_RDWR); /* accept ends */
    pthread_mutex_lock(&laid->lock);
    laid->removed = true;
    pthread_cond_broadcast(&laid->changed);
    pthread_mutex_unlock(&laid->lock);
    for (int i = 0; i < laid->count; i++) {
        pthread_join(laid->entrance[i].thread, NULL);
        close(laid->entrance[i].fd);
    }
    pthread_mutex_lock(&laid->lock);
    break_strands(laid);
    while (laid->strands)
        pthread_cond_wait(&laid->changed, &laid->lock);
    pthread_mutex_unlock(&laid->lock);
    pthread_cond_destroy(&laid->changed);
    pthread_mutex_destroy(&laid->lock);
    free(laid);
}
