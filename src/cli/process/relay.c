/* relay.c: a queue of texts, and the thread that writes them in order. */
#define _GNU_SOURCE /* fopencookie */
#include "cli/process/relay.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/condition.h"

enum {
    MOST_WAITING = 1 << 20, /* bytes; when more are queued, a lossy stream drops lines */
    LONGEST = 1 << 16,      /* bytes of a line that is written as a whole */
};

typedef struct text {
    struct text *next;
    int fd;
    size_t size;
    char bytes[];
} text;

/* One stream. */
typedef struct {
    tri__relay *relay;
    int fd;
    bool lossy;
    long lost; /* flushes that were dropped; guarded by the relay's lock */
} lane;

struct tri__relay {
    pthread_t thread;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    text *first, **last;
    size_t waiting; /* bytes in the queue, with those that are being written */
    bool closing;
};

/* False where the reader is gone. */
static bool write_all(const text *one)
{
    size_t done = 0;
    while (done < one->size) {
        ssize_t written = write(one->fd, one->bytes + done, one->size - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static void *write_texts(void *argument)
{
    tri__relay *relay = argument;
    bool readable = true;
    pthread_mutex_lock(&relay->lock);
    for (;;) {
        while (!relay->first && !relay->closing)
            pthread_cond_wait(&relay->changed, &relay->lock);
        text *one = relay->first;
        if (!one)
            break;
        relay->first = one->next;
        if (!relay->first)
            relay->last = &relay->first;
        pthread_mutex_unlock(&relay->lock);
        readable = readable && write_all(one);
        pthread_mutex_lock(&relay->lock);
        relay->waiting -= one->size;
        free(one);
        pthread_cond_broadcast(&relay->changed);
    }
    pthread_mutex_unlock(&relay->lock);
    return NULL;
}

/* The lock is held. False: no memory. */
static bool append(tri__relay *relay, int fd, const char *bytes, size_t size)
{
    text *one = malloc(sizeof *one + size);
    if (!one)
        return false;
    *one = (text){.fd = fd, .size = size};
    memcpy(one->bytes, bytes, size);
    *relay->last = one;
    relay->last = &one->next;
    relay->waiting += size;
    pthread_cond_broadcast(&relay->changed);
    return true;
}

/* The lock is held. */
static void tell_loss(lane *to)
{
    char note[96];
    int size = snprintf(note, sizeof note, "trireme: the reader of this output was too slow; %ld line%s left out\n", to->lost,
                        to->lost == 1 ? " was" : "s were");
    if (append(to->relay, to->fd, note, (size_t)size))
        to->lost = 0;
}

static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
    lane *to = cookie;
    tri__relay *relay = to->relay;
    pthread_mutex_lock(&relay->lock);
    bool full = to->lossy && relay->waiting + size > MOST_WAITING;
    if (!full && to->lost)
        tell_loss(to);
    if (full || !append(relay, to->fd, bytes, size))
        to->lost++;
    pthread_mutex_unlock(&relay->lock);
    return (ssize_t)size;
}

static int close_lane(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *tri__relay_open(tri__relay *relay, int fd, bool lossy)
{
    lane *to = malloc(sizeof *to);
    if (!to)
        return NULL;
    *to = (lane){.relay = relay, .fd = fd, .lossy = lossy};
    FILE *file = fopencookie(to, "w", (cookie_io_functions_t){.write = keep, .close = close_lane});
    if (file)
        setvbuf(file, NULL, _IOFBF, LONGEST);
    else
        free(to);
    return file;
}

/* This thread takes no signals: the other threads handle them, and writing to a pipe without a reader just fails. */
static int start_thread(tri__relay *relay)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&relay->thread, NULL, write_texts, relay);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

tri_status tri__relay_create(tri__relay **out)
{
    tri__relay *relay = NULL;
    *out = NULL;
    TRI_TRY(tri__allocate(1, sizeof *relay, "reports to the supervisor", &relay));
    relay->last = &relay->first;
    pthread_mutex_init(&relay->lock, NULL);
    tri__condition_init(&relay->changed);
    int error = start_thread(relay);
    if (error) {
        free(relay);
        return tri_fail(TRI_NO_MEMORY, "no thread for reports to the supervisor: %s", strerror(error));
    }
    *out = relay;
    return NULL;
}

bool tri__relay_is_behind(tri__relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    bool behind = relay->waiting > 0;
    pthread_mutex_unlock(&relay->lock);
    return behind;
}

void tri__relay_drain(tri__relay *relay)
{
    pthread_mutex_lock(&relay->lock);
    while (relay->waiting > 0)
        pthread_cond_wait(&relay->changed, &relay->lock);
    pthread_mutex_unlock(&relay->lock);
}

void tri__relay_drain_until(tri__relay *relay, int64_t time)
{
    pthread_mutex_lock(&relay->lock);
    while (relay->waiting > 0 && tri__condition_wait(&relay->changed, &relay->lock, time) == 0)
        ;
    pthread_mutex_unlock(&relay->lock);
}

void tri__relay_destroy(tri__relay *relay)
{
    if (!relay)
        return;
    pthread_mutex_lock(&relay->lock);
    relay->closing = true;
    pthread_cond_broadcast(&relay->changed);
    pthread_mutex_unlock(&relay->lock);
    pthread_join(relay->thread, NULL); /* the thread ends after it has written everything */
    pthread_cond_destroy(&relay->changed);
    pthread_mutex_destroy(&relay->lock);
    free(relay);
}
