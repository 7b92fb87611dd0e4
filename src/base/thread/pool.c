/* pool.c: threads that take the indices of one loop, in order, until none is left or one failed.
 *
 * Indices are handed out in increasing order, so every index below a failed one has been started too, and the failure of the lowest
 * index is the same however the threads were scheduled. */
#include "base/thread/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

struct tri__pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, end; /* begin: there is work, or the pool stops; end: the loop has ended */
    tri__pool_work work;       /* lock guards this and all below */
    void *context;
    int64_t next, count; /* indices not yet handed out: next … count − 1 */
    int64_t running;     /* indices that were handed out and have not ended */
    tri_status failure;  /* of failed_index */
    int64_t failed_index;
    bool stop;
    int threads; /* set before the first thread starts its work */
    pthread_t handles[];
};

/* Takes over the status of an index that has ended. Under the lock. */
static void settle(tri__pool *pool, int64_t index, tri_status status)
{
    pool->running--;
    if (status) {
        pool->next = pool->count; /* start no more */
        if (!pool->failure || index < pool->failed_index) {
            tri_status_free(pool->failure);
            pool->failure = status;
            pool->failed_index = index;
        } else {
            tri_status_free(status);
        }
    }
    if (pool->running == 0 && pool->next == pool->count)
        pthread_cond_signal(&pool->end);
}

static void *serve(void *argument)
{
    tri__pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (true) {
        while (pool->next == pool->count && !pool->stop)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->stop)
            break;
        int64_t index = pool->next++;
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        tri_status status = pool->work(pool->context, index);
        pthread_mutex_lock(&pool->lock);
        settle(pool, index, status);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

tri_status tri__pool_create(int threads, tri__pool **out)
{
    *out = NULL;
    if (threads < 1)
        return tri_fail(TRI_BAD_CALL, "a pool needs at least one thread, not %d", threads);
    tri__pool *pool = NULL;
    tri_status status = tri__allocate(1, sizeof *pool + (size_t)threads * sizeof *pool->handles, "a thread pool", &pool);
    if (status)
        return status;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    int error = 0;
    while (pool->threads < threads && !(error = pthread_create(&pool->handles[pool->threads], NULL, serve, pool)))
        pool->threads++;
    if (error) {
        status =
            tri_fail(TRI_NO_MEMORY, "cannot start thread %d of %d: %s (use fewer threads)", pool->threads + 1, threads, strerror(error));
        tri__pool_destroy(pool);
        return status;
    }
    *out = pool;
    return NULL;
}

void tri__pool_destroy(tri__pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->threads; i++)
        pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int tri__pool_threads(const tri__pool *pool)
{
    return pool->threads;
}

tri_status tri__pool_for(tri__pool *pool, int64_t count, tri__pool_work work, void *context)
{
    if (count <= 0)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->next = 0;
    pool->count = count;
    pthread_cond_broadcast(&pool->begin);
    while (pool->next < pool->count || pool->running > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    tri_status failure = pool->failure;
    pool->failure = NULL;
    pthread_mutex_unlock(&pool->lock);
    return failure;
}
