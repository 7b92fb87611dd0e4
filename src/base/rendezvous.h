/* rendezvous.h: threads that wait for each other's progress. What there is to wait for is the caller's, in atomics;
 * this is only how to wait.
 *
 * A blocked wake-up costs some hundred microseconds, so a waiter looks again and again for a while first, and soon offers the CPU to
 * others between two looks. Where there are more threads than CPUs, looking takes the CPU from the one that is waited for:
 * then the while is short. */
#ifndef TRI_BASE_RENDEZVOUS_H
#define TRI_BASE_RENDEZVOUS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    atomic_int sleepers;
    int64_t look; /* nanoseconds before a waiter sleeps */
} tri__rendezvous;

/* threads: that compute at the same time, on so many cpus. */
void tri__rendezvous_init(tri__rendezvous *rendezvous, int threads, int cpus);
void tri__rendezvous_fini(tri__rendezvous *rendezvous);

/* Wait until ready(context), or until tri__clock_now is `time`. Whether it is ready. ready reads atomics, in the default order. */
typedef bool tri__ready(const void *context);
bool tri__rendezvous_wait(tri__rendezvous *rendezvous, tri__ready *ready, const void *context, int64_t time);

/* After an atomic was changed, in the default order: whoever sleeps looks again. Costs a load where nobody does. */
void tri__rendezvous_notify(tri__rendezvous *rendezvous);

#endif
