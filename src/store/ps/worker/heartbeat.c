/* heartbeat.c: the thread that holds the lock may use the loop. */
#include "store/ps/worker/heartbeat.h"

#include "base/thread/clock.h"
#include "base/thread/condition.h"

static void *beat(void *context)
{
    tri__heartbeat *heartbeat = context;
    pthread_mutex_lock(&heartbeat->hold);
    while (!heartbeat->ending) {
        tri__condition_wait(&heartbeat->changed, &heartbeat->hold, tri__clock_now() + heartbeat->every);
        if (!heartbeat->ending)
            tri__loop_turn(heartbeat->loop, 0);
    }
    pthread_mutex_unlock(&heartbeat->hold);
    return NULL;
}

void tri__heartbeat_init(tri__heartbeat *heartbeat, tri__loop *loop, int64_t every)
{
    *heartbeat = (tri__heartbeat){.loop = loop, .every = every};
    pthread_mutex_init(&heartbeat->hold, NULL);
    tri__condition_init(&heartbeat->changed);
    pthread_mutex_lock(&heartbeat->hold);
    if (!pthread_create(&heartbeat->thread, NULL, beat, heartbeat))
        return;
    pthread_mutex_unlock(&heartbeat->hold);
    pthread_cond_destroy(&heartbeat->changed);
    pthread_mutex_destroy(&heartbeat->hold);
    heartbeat->loop = NULL;
}

void tri__heartbeat_lend(tri__heartbeat *heartbeat)
{
    if (heartbeat->loop)
        pthread_mutex_unlock(&heartbeat->hold);
}

void tri__heartbeat_hold(tri__heartbeat *heartbeat)
{
    if (heartbeat->loop)
        pthread_mutex_lock(&heartbeat->hold);
}

void tri__heartbeat_fini(tri__heartbeat *heartbeat)
{
    if (!heartbeat->loop)
        return;
    heartbeat->ending = true;
    pthread_cond_signal(&heartbeat->changed);
    pthread_mutex_unlock(&heartbeat->hold);
    pthread_join(heartbeat->thread, NULL);
    pthread_cond_destroy(&heartbeat->changed);
    pthread_mutex_destroy(&heartbeat->hold);
    heartbeat->loop = NULL;
}
