/* condition.c: conditions with deadlines on the monotonic clock. */
#include "base/thread/condition.h"

#include <time.h>

#include "base/thread/clock.h"

void tri__condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int tri__condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t time)
{
    const struct timespec at = {.tv_sec = time / TRI_SECOND, .tv_nsec = time % TRI_SECOND};
    return pthread_cond_timedwait(condition, lock, &at);
}
