/* cable.c: a thread for each server waits for connections, two for each connection lead its bytes on. */
#define _GNU_SOURCE
#include "ps/cable.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

enum { MOST_SERVERS = 4, PIECE = 1 << 16 };

/* A connection, and its way on. */
typedef struct strand {
    struct strand *next;
    cable *of;
    int fd[2];
    int flows; /* that still run */
} strand;

typedef struct {
    strand *along;
    int from; /* of its two ends */
} flow;

typedef struct {
    cable *of;
    int fd, port, to;
    pthread_t thread;
} entrance;

struct cable {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool cut, removed; /* under the lock, as strands */
    strand *strands;
    entrance entrance[MOST_SERVERS];
    int count;
};

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void wait_until_mended(cable *of)
{
    pthread_mutex_lock(&of->lock);
    while (of->cut && !of->removed)
        pthread_cond_wait(&of->changed, &of->lock);
    pthread_mutex_unlock(&of->lock);
}

static void end_flow(strand *along)
{
    cable *of = along->of;
    pthread_mutex_lock(&of->lock);
    if (--along->flows == 0) {
        strand **at = &of->strands;
        while (*at != along)
            at = &(*at)->next;
        *at = along->next;
        close(along->fd[0]);
        close(along->fd[1]);
        free(along);
        pthread_cond_broadcast(&of->changed);
    }
    pthread_mutex_unlock(&of->lock);
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
        wait_until_mended(along->of);
        if (!pass_on(to, bytes, size))
            break;
    }
    wait_until_mended(along->of);
    shutdown(to, SHUT_WR);
    shutdown(from, SHUT_RD);
    end_flow(along);
    return NULL;
}

static void start_flow(strand *along, int from)
{
    flow *self = malloc(sizeof *self);
    pthread_t thread;
    *self = (flow){along, from};
    if (pthread_create(&thread, NULL, lead_on, self))
        abort();
    pthread_detach(thread);
}

/* The connection's way on; nobody there, and it ends. */
static void add_strand(entrance *by, int fd)
{
    cable *of = by->of;
    struct sockaddr_in address = address_of(by->to);
    int on = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strand *along = malloc(sizeof *along);
    if (on < 0 || connect(on, (const struct sockaddr *)&address, sizeof address)) {
        close(on);
        close(fd);
        free(along);
        return;
    }
    pthread_mutex_lock(&of->lock);
    *along = (strand){.next = of->strands, .of = of, .fd = {fd, on}, .flows = 2};
    of->strands = along;
    pthread_mutex_unlock(&of->lock);
    start_flow(along, 0);
    start_flow(along, 1);
}

static void *wait_at(void *context)
{
    entrance *self = context;
    for (int fd; (fd = accept4(self->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        wait_until_mended(self->of);
        add_strand(self, fd);
    }
    return NULL;
}

cable *cable_lay(const int *ports, int count)
{
    cable *of = calloc(1, sizeof *of);
    assert_non_null(of);
    pthread_mutex_init(&of->lock, NULL);
    pthread_cond_init(&of->changed, NULL);
    of->count = count;
    for (int i = 0; i < count; i++) {
        entrance *self = &of->entrance[i];
        struct sockaddr_in address = address_of(0);
        socklen_t size = sizeof address;
        *self = (entrance){.of = of, .to = ports[i], .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        assert_true(self->fd >= 0 && !bind(self->fd, (struct sockaddr *)&address, size) && !listen(self->fd, 64));
        assert_false(getsockname(self->fd, (struct sockaddr *)&address, &size));
        self->port = ntohs(address.sin_port);
        assert_false(pthread_create(&self->thread, NULL, wait_at, self));
    }
    return of;
}

int cable_port(const cable *of, int index)
{
    return of->entrance[index].port;
}

void cable_cut(cable *of, bool cut)
{
    pthread_mutex_lock(&of->lock);
    of->cut = cut;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
}

static void break_strands(cable *of)
{
    for (strand *along = of->strands; along; along = along->next) {
        shutdown(along->fd[0], SHUT_RDWR);
        shutdown(along->fd[1], SHUT_RDWR);
    }
}

void cable_break(cable *of)
{
    pthread_mutex_lock(&of->lock);
    break_strands(of);
    pthread_mutex_unlock(&of->lock);
}

void cable_remove(cable *of)
{
    for (int i = 0; i < of->count; i++)
        shutdown(of->entrance[i].fd, SHUT_RDWR); /* accept ends */
    pthread_mutex_lock(&of->lock);
    of->removed = true;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
    for (int i = 0; i < of->count; i++) {
        pthread_join(of->entrance[i].thread, NULL);
        close(of->entrance[i].fd);
    }
    pthread_mutex_lock(&of->lock);
    break_strands(of);
    while (of->strands)
        pthread_cond_wait(&of->changed, &of->lock);
    pthread_mutex_unlock(&of->lock);
    pthread_cond_destroy(&of->changed);
    pthread_mutex_destroy(&of->lock);
    free(of);
}
