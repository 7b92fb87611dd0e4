/* rendezvous.h: threads that wait for each other's progress. The caller keeps what to wait for in atomics;
 * this is only how to wait.
 *
 * Waking a blocked thread takes some hundred microseconds, so a waiter polls for a while first, and soon yields the CPU between two polls.
 * Where there are more threads than CPUs, polling takes the CPU from the thread that is waited for: then it polls for a short time only. */
#ifndef TRI_BASE_THREAD_RENDEZVOUS_H
#define TRI_BASE_THREAD_RENDEZVOUS_H

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

/* threads: how many threads compute at the same time; cpus: how many CPUs they share. */
void tri__rendezvous_init(tri__rendezvous *rendezvous, int threads, int cpus);
void tri__rendezvous_fini(tri__rendezvous *rendezvous);

/* Wait until ready(context), or until tri__clock_now is `time`. Returns whether it is ready. ready reads atomics, in the default order. */
typedef bool tri__ready(const void *context);
bool tri__rendezvous_wait(tri__rendezvous *rendezvous, tri__ready *ready, const void *context, int64_t time);

/* Call it after you changed an atomic, in the default order: sleeping threads check again. It costs one load where none sleeps. */
void tri__rendezvous_notify(tri__rendezvous *rendezvous);

#endif
