/* condition.h: conditions of threads whose deadlines are on the monotonic clock: setting the wall clock neither cuts a wait short nor
 * stretches it. */
#ifndef TRI_BASE_THREAD_CONDITION_H
#define TRI_BASE_THREAD_CONDITION_H

#include <pthread.h>
#include <stdint.h>

void tri__condition_init(pthread_cond_t *condition); /* end it with pthread_cond_destroy */

/* As pthread_cond_timedwait, until tri__clock_now is `time`. 0, or ETIMEDOUT. */
int tri__condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t time);

#endif
