/* network.c: replaces the system calls of src/net on sockets (--wrap), and carries the bytes. */
#define _GNU_SOURCE
#include "sim/network.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FIRST_FD = 1 << 20, MOST_SOCKETS = 8192, BACKLOG = 64 };

int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size);
int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size);
ssize_t __wrap_readv(int fd, const struct iovec *places, int count);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **list);
void __wrap_freeaddrinfo(struct addrinfo *list);
int __wrap_close(int fd);
int __real_close(int fd);

typedef enum { FRESH, CONNECTING, CONNECTED, REFUSED, LISTENING, CLOSED } state;

typedef struct sock {
    int fd, place;
    int number; /* of the process that owns the socket */
    state state;
    struct sock *peer; /* never freed before the history ends */
    uint8_t *bytes;    /* bytes that have come and were not read */
    size_t first, size, capacity;
    size_t travelling;     /* bytes on their way to this socket */
    int64_t last_delivery; /* when the last bytes sent to this socket arrive */
    bool ended;            /* the peer has closed in good order */
    int error;             /* errno if the connection broke; 0: it did not */
    uint64_t lost;         /* rises when bytes on their way to this socket are lost */
    uint64_t since;
    void (*changed)(void *context);
    void *context;
    struct sock *waiting[BACKLOG]; /* listener: not accepted yet */
    int waits;
    bool kept, orphaned;
} sock;

/* Bytes on their way. */
typedef struct piece {
    struct piece *next, **link; /* in the list of all pieces */
    sock *from, *to;
    uint64_t lost;
    size_t size;
    uint8_t bytes[];
} piece;

typedef struct {
    sim_link about;
    int64_t free_at, stalled_until, slow_until, slow;
} link_state;

static struct {
    sock *sockets[MOST_SOCKETS];
    int count;
    sock *listener[SIM_PLACES];
    link_state link[SIM_PLACES][SIM_PLACES];
    piece *pieces;
    uint64_t changes, sent;
} net;

static sock *find(int fd)
{
    return fd >= FIRST_FD && fd - FIRST_FD < net.count ? net.sockets[fd - FIRST_FD] : NULL;
}

static sock *make(int place, int number)
{
    sock *one = calloc(1, sizeof *one);
    assert(one && net.count < MOST_SOCKETS);
    one->fd = FIRST_FD + net.count;
    one->place = place;
    one->number = number;
    net.sockets[net.count++] = one;
    return one;
}

void sim_network_begin(void)
{
    memset(&net, 0, sizeof net);
}

void sim_network_end(void)
{
    while (net.pieces) {
        piece *one = net.pieces;
        net.pieces = one->next;
        free(one);
    }
    for (int i = 0; i < net.count; i++) {
        free(net.sockets[i]->bytes);
        free(net.sockets[i]);
    }
    net.count = 0;
}

static void tell(sock *one)
{
    one->since = ++net.changes;
    if (one->changed)
        one->changed(one->context);
}

uint64_t sim_socket_since(int fd)
{
    return find(fd)->since;
}

void sim_socket_watch(int fd, void (*changed)(void *context), void *context)
{
    sock *one = find(fd);
    if (!one)
        return;
    one->changed = changed;
    one->context = context;
}

/* ---- links ---- */

void sim_link_set(int from, int to, const sim_link *about)
{
    net.link[from][to] = (link_state){.about = *about};
}

void sim_link_stall(int a, int b, int64_t until)
{
    net.link[a][b].stalled_until = net.link[b][a].stalled_until = until;
}

void sim_link_slow(int a, int b, int64_t bytes_per_second, int64_t until)
{
    net.link[a][b].slow = net.link[b][a].slow = bytes_per_second;
    net.link[a][b].slow_until = net.link[b][a].slow_until = until;
}

/* When `size` bytes that leave now arrive; after all bytes that left before them for the same socket. */
static int64_t arrival(sock *from, sock *to, size_t size)
{
    link_state *link = &net.link[from->place][to->place];
    int64_t at = sim_now() > link->free_at ? sim_now() : link->free_at;
    at = at > link->stalled_until ? at : link->stalled_until;
    int64_t speed = at < link->slow_until ? link->slow : link->about.bytes_per_second;
    at += (int64_t)size * INT64_C(1000000000) / speed;
    link->free_at = at;
    at += link->about.delay + (int64_t)sim_draw((uint64_t)link->about.jitter + 1);
    if (at <= to->last_delivery)
        at = to->last_delivery + 1;
    return to->last_delivery = at;
}

static void break_socket(sock *one, int error)
{
    if (one->state != CONNECTED && one->state != CONNECTING)
        return;
    if (!one->error)
        one->error = error;
    one->lost++;
    one->travelling = 0;
    tell(one);
}

static void reset_arrives(void *context, int64_t error)
{
    break_socket(context, (int)error);
}

/* The kernel of a side that has closed sends a reset. Bytes that left before it arrive first; bytes that have not left yet are dropped. */
static void send_reset(const sock *from, sock *to)
{
    const sim_link *about = &net.link[from->place][to->place].about;
    sim_at(sim_now() + about->delay + about->jitter + 1, reset_arrives, to, ECONNRESET);
}

int sim_link_cut(int a, int b, int64_t later)
{
    int count = 0;
    for (int i = 0; i < net.count; i++) {
        sock *one = net.sockets[i], *other = one->peer;
        if (!other || one->place != a || other->place != b || (one->state != CONNECTED && other->state != CONNECTED))
            continue;
        count++;
        other->lost++; /* bytes on their way are lost in both directions */
        other->travelling = 0;
        break_socket(one, ECONNRESET);
        sim_at(sim_now() + later, reset_arrives, other, ECONNRESET);
    }
    return count;
}

/* ---- bytes ---- */

static void free_piece(piece *one)
{
    *one->link = one->next;
    if (one->next)
        one->next->link = one->link;
    free(one);
}

static void keep_bytes(sock *one, const uint8_t *bytes, size_t size)
{
    if (one->first + one->size + size > one->capacity) {
        if (one->size)
            memmove(one->bytes, one->bytes + one->first, one->size);
        one->first = 0;
        if (one->size + size > one->capacity) {
            one->capacity = 2 * (one->size + size);
            one->bytes = realloc(one->bytes, one->capacity);
        }
    }
    memcpy(one->bytes + one->first + one->size, bytes, size);
    one->size += size;
}

static void piece_arrives(void *context, int64_t number)
{
    piece *come = context;
    sock *to = come->to;
    (void)number;
    if (come->lost == to->lost) {
        to->travelling -= come->size;
        if (to->state == CONNECTED && !to->error) {
            keep_bytes(to, come->bytes, come->size);
            tell(to);
        } else if (come->from->state == CONNECTED) /* the receiver has closed */
            send_reset(to, come->from);
    }
    free_piece(come);
}

static void end_arrives(void *context, int64_t lost)
{
    sock *one = context;
    if ((uint64_t)lost != one->lost)
        return;
    one->ended = true;
    tell(one);
}

static int64_t room_for(const sock *one)
{
    const sock *to = one->peer;
    return net.link[one->place][to->place].about.room - (int64_t)(to->travelling + to->size);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    sock *one = find(fd);
    (void)flags;
    assert(one && one->state != CLOSED);
    if (one->error || one->state != CONNECTED) {
        errno = one->error ? EPIPE : EAGAIN;
        return -1;
    }
    int64_t room = room_for(one);
    size_t taken = 0;
    for (size_t i = 0; i < message->msg_iovlen && room > 0; i++) {
        const uint8_t *bytes = message->msg_iov[i].iov_base;
        size_t left = message->msg_iov[i].iov_len;
        while (left > 0 && room > 0) {
            size_t size = left < (size_t)room ? left : (size_t)room, most = (size_t)net.link[one->place][one->peer->place].about.piece;
            size = size < most ? size : most;
            piece *leaving = malloc(sizeof *leaving + size);
            *leaving =
                (piece){.next = net.pieces, .link = &net.pieces, .from = one, .to = one->peer, .lost = one->peer->lost, .size = size};
            if (leaving->next)
                leaving->next->link = &leaving->next;
            net.pieces = leaving;
            memcpy(leaving->bytes, bytes, size);
            one->peer->travelling += size;
            sim_at(arrival(one, one->peer, size), piece_arrives, leaving, 0);
            bytes += size;
            left -= size;
            room -= (int64_t)size;
            taken += size;
        }
    }
    net.sent += taken;
    if (taken)
        return (ssize_t)taken;
    bool asked = false;
    for (size_t i = 0; i < message->msg_iovlen; i++)
        asked |= message->msg_iov[i].iov_len > 0;
    if (!asked)
        return 0;
    errno = EAGAIN;
    return -1;
}

ssize_t __wrap_readv(int fd, const struct iovec *places, int count)
{
    sock *one = find(fd);
    assert(one && one->state != CLOSED);
    size_t got = 0;
    for (int i = 0; i < count && one->size > 0; i++) {
        size_t size = places[i].iov_len < one->size ? places[i].iov_len : one->size;
        memcpy(places[i].iov_base, one->bytes + one->first, size);
        one->first += size;
        one->size -= size;
        got += size;
    }
    if (got) {
        if (one->peer && one->peer->state == CONNECTED)
            tell(one->peer);
        return (ssize_t)got;
    }
    if (one->error) {
        errno = one->error;
        return -1;
    }
    if (one->ended)
        return 0;
    errno = EAGAIN;
    return -1;
}

uint64_t sim_sent_bytes(void)
{
    return net.sent;
}

int sim_socket_events(int fd)
{
    const sock *one = find(fd);
    switch (one->state) {
    case LISTENING:
        return one->waits ? SIM_READABLE : 0;
    case REFUSED:
        return SIM_BROKEN;
    case CONNECTED:
        return (one->size || one->ended || one->error ? SIM_READABLE : 0) | (room_for(one) > 0 || one->error ? SIM_WRITABLE : 0) |
               (one->error ? SIM_BROKEN : 0);
    default:
        return 0;
    }
}

/* ---- beginning ---- */

int __wrap_socket(int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    return make(sim_self()->place, sim_self()->number)->fd;
}

static void write_address(int place, int port, struct sockaddr *address, socklen_t *size)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    in.sin_addr.s_addr = htonl(0x0a000000u + (uint32_t)place);
    memcpy(address, &in, *size < sizeof in ? *size : sizeof in);
    *size = sizeof in;
}

static void request_arrives(void *context, int64_t place)
{
    sock *one = context, *listener = net.listener[place];
    if (one->state != CONNECTING)
        return;
    if (!listener || listener->waits == BACKLOG) {
        one->state = REFUSED;
        one->error = ECONNREFUSED;
        tell(one);
        return;
    }
    sock *other = make((int)place, 0);
    one->peer = other;
    other->peer = one;
    one->state = other->state = CONNECTED;
    listener->waiting[listener->waits++] = other;
    tell(listener);
    tell(one);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    sock *one = find(fd);
    struct sockaddr_in in;
    assert(size == sizeof in);
    memcpy(&in, address, sizeof in);
    int place = (int)(ntohl(in.sin_addr.s_addr) & 0xff);
    link_state *there = &net.link[one->place][place], *back = &net.link[place][one->place];
    int64_t at = sim_now() > there->free_at ? sim_now() : there->free_at;
    at = at > there->stalled_until ? at : there->stalled_until;
    at += there->about.delay + back->about.delay + (int64_t)sim_draw((uint64_t)there->about.jitter + 1);
    one->state = CONNECTING;
    sim_at(at, request_arrives, one, place);
    errno = EINPROGRESS;
    return -1;
}

int sim_listen(int place, bool kept)
{
    sock *listener = net.listener[place];
    if (!listener) {
        listener = make(place, 0);
        listener->state = LISTENING;
        listener->kept = kept;
        net.listener[place] = listener;
    }
    return listener->fd;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    sock *listener = find(fd);
    (void)flags;
    if (listener->waits == 0) {
        errno = EAGAIN;
        return -1;
    }
    sock *one = listener->waiting[0];
    memmove(listener->waiting, listener->waiting + 1, (size_t)--listener->waits * sizeof *listener->waiting);
    one->number = sim_self()->number;
    write_address(one->peer->place, 30000 + one->peer->fd - FIRST_FD, address, size);
    return one->fd;
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    const sock *one = find(fd);
    (void)level, (void)name;
    int error = one->error;
    memcpy(value, &error, *size < sizeof error ? *size : sizeof error);
    return 0;
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    (void)fd, (void)level, (void)name, (void)value, (void)size;
    return 0;
}

int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
    const sock *one = find(fd);
    write_address(one->place, 30000 + one->fd - FIRST_FD, address, size);
    return 0;
}

int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size)
{
    const sock *one = find(fd);
    if (!one->peer) {
        errno = ENOTCONN;
        return -1;
    }
    write_address(one->peer->place, 20000, address, size);
    return 0;
}

/* ---- the end ---- */

/* A socket that is closed with unread bytes breaks the connection, as in a real kernel. */
static void close_socket(sock *one)
{
    bool stood = one->state == CONNECTED && !one->error;
    one->state = CLOSED;
    one->changed = NULL;
    sock *peer = one->peer;
    if (!stood || !peer || peer->state != CONNECTED)
        return;
    if (one->size > 0)
        send_reset(one, peer);
    else
        sim_at(arrival(one, peer, 0), end_arrives, peer, (int64_t)peer->lost);
}

static void close_listener(sock *listener)
{
    listener->changed = NULL;
    if (listener->kept)
        return;
    for (int i = 0; i < listener->waits; i++)
        close_socket(listener->waiting[i]);
    listener->state = CLOSED;
    net.listener[listener->place] = NULL;
}

int __wrap_close(int fd)
{
    sock *one = find(fd);
    if (!one)
        return __real_close(fd);
    if (one->state == LISTENING)
        close_listener(one);
    else
        close_socket(one);
    return 0;
}

void sim_network_killed(sim_process *process)
{
    sock *listener = net.listener[process->place];
    if (listener)
        close_listener(listener);
    for (int i = 0; i < net.count; i++)
        if (net.sockets[i]->number == process->number && net.sockets[i]->state != CLOSED)
            close_socket(net.sockets[i]);
}

/* ---- addresses: 10.0.0.k is place k ---- */

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **list)
{
    struct {
        struct addrinfo info;
        struct sockaddr_in in;
    } *made = calloc(1, sizeof *made);
    socklen_t size = sizeof made->in;
    (void)hints;
    write_address(atoi(strrchr(host, '.') + 1), atoi(port), (struct sockaddr *)&made->in, &size);
    made->info = (struct addrinfo){.ai_family = AF_INET, .ai_addr = (struct sockaddr *)&made->in, .ai_addrlen = size};
    *list = &made->info;
    return 0;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    free(list);
}
