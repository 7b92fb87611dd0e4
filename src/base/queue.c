/* queue.c: a ring of pointers under one lock, with one condition for "there is room" and one for "there is an item".
 * Every wait has a deadline. */
#include "base/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/condition.h"
#include "base/memory.h"

struct tri__queue {
    pthread_mutex_t lock;
    pthread_cond_t room, item;
    size_t capacity;
    size_t first, length; /* lock */
    bool closed;          /* lock */
    void *items[];        /* lock; items[(first + i) % capacity], i < length */
};

tri_status tri__queue_create(size_t capacity, tri__queue **out)
{
    *out = NULL;
    if (capacity == 0)
        return tri_fail(TRI_BAD_CALL, "a queue needs room for at least one item");
    size_t bytes;
    if (!tri__size_multiply(capacity, sizeof(void *), &bytes) || bytes > SIZE_MAX - sizeof(tri__queue))
        return tri_fail(TRI_BAD_CALL, "a queue cannot have room for %zu items", capacity);
    tri__queue *queue = NULL;
    tri_status status = tri__allocate(1, sizeof *queue + bytes, "a queue", &queue);
    if (status)
        return status;
    queue->capacity = capacity;
    pthread_mutex_init(&queue->lock, NULL);
    tri__condition_init(&queue->room);
    tri__condition_init(&queue->item);
    *out = queue;
    return NULL;
}

void tri__queue_destroy(tri__queue *queue)
{
    if (!queue)
        return;
    pthread_cond_destroy(&queue->item);
    pthread_cond_destroy(&queue->room);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* The point in time that lies timeout nanoseconds ahead; the end of time where that is too far to count. */
static int64_t deadline_after(int64_t timeout)
{
    int64_t when;
    if (__builtin_add_overflow(tri__clock_now(), timeout > 0 ? timeout : 0, &when))
        when = INT64_MAX;
    return when;
}

static bool is_full(const tri__queue *queue)
{
    return queue->length == queue->capacity;
}

static bool is_empty(const tri__queue *queue)
{
    return queue->length == 0;
}

/* Wait, holding the lock, until blocked() is false or the queue is closed. False when the deadline passed first. */
static bool wait_while(tri__queue *queue, bool (*blocked)(const tri__queue *), pthread_cond_t *condition, int64_t timeout)
{
    if (!blocked(queue) || queue->closed)
        return true;
    int64_t deadline = deadline_after(timeout);
    int result = 0;
    while (blocked(queue) && !queue->closed && result != ETIMEDOUT)
        result = tri__condition_wait(condition, &queue->lock, deadline);
    return !blocked(queue) || queue->closed;
}

tri_status tri__queue_push(tri__queue *queue, void *item, int64_t timeout)
{
    tri_status status = NULL;
    pthread_mutex_lock(&queue->lock);
    if (!wait_while(queue, is_full, &queue->room, timeout)) {
        status = tri_fail(TRI_TIMEOUT, "no room in a queue of %zu after %.3f s", queue->capacity, tri__clock_seconds(timeout));
    } else if (queue->closed) {
        status = tri_fail(TRI_STOPPED, "the queue is closed");
    } else {
        queue->items[(queue->first + queue->length++) % queue->capacity] = item;
        pthread_cond_signal(&queue->item);
    }
    pthread_mutex_unlock(&queue->lock);
    return status;
}

tri_status tri__queue_pop(tri__queue *queue, void **item, int64_t timeout)
{
    tri_status status = NULL;
    *item = NULL;
    pthread_mutex_lock(&queue->lock);
    if (!wait_while(queue, is_empty, &queue->item, timeout)) {
        status = tri_fail(TRI_TIMEOUT, "nothing came into a queue for %.3f s", tri__clock_seconds(timeout));
    } else if (is_empty(queue)) {
        status = tri_fail(TRI_STOPPED, "the queue is closed");
    } else {
        *item = queue->items[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->length--;
        pthread_cond_signal(&queue->room);
    }
    pthread_mutex_unlock(&queue->lock);
    return status;
}

void tri__queue_close(tri__queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->room);
    pthread_cond_broadcast(&queue->item);
    pthread_mutex_unlock(&queue->lock);
}

size_t tri__queue_length(tri__queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    size_t length = queue->length;
    pthread_mutex_unlock(&queue->lock);
    return length;
}
