/* rendezvous.c: poll for a while, then sleep.
 *
 * No wake-up is lost: a sleeper counts itself before it polls for the last time, a notifier changes its atomic before it reads the count,
 * and both are sequentially consistent. So either the sleeper sees the change, or the notifier sees the sleeper. */
#include "base/thread/rendezvous.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "base/thread/clock.h"
#include "base/thread/condition.h"

#define LONG_LOOK  (2 * TRI_MILLISECOND) /* several times what a blocked wake-up costs, too short for people to notice */
#define SHORT_LOOK INT64_C(2000)
#define POLITE     INT64_C(50000) /* nanoseconds after which a waiter yields the CPU between two polls */
#define LOOKS      32             /* polls between two readings of the clock */

void tri__rendezvous_init(tri__rendezvous *rendezvous, int threads, int cpus)
{
    pthread_mutex_init(&rendezvous->lock, NULL);
    tri__condition_init(&rendezvous->moved);
    atomic_init(&rendezvous->sleepers, 0);
    rendezvous->look = threads <= cpus ? LONG_LOOK : SHORT_LOOK;
}

void tri__rendezvous_fini(tri__rendezvous *rendezvous)
{
    pthread_cond_destroy(&rendezvous->moved);
    pthread_mutex_destroy(&rendezvous->lock);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool look_for(const tri__rendezvous *rendezvous, tri__ready *ready, const void *context)
{
    int64_t start = tri__clock_now(), waited = 0;
    while (waited < rendezvous->look) {
        for (int i = 0; i < LOOKS; i++) {
            if (ready(context))
                return true;
            relax();
        }
        waited = tri__clock_now() - start;
        if (waited > POLITE)
            sched_yield();
    }
    return false;
}

bool tri__rendezvous_wait(tri__rendezvous *rendezvous, tri__ready *ready, const void *context, int64_t time)
{
    if (ready(context) || look_for(rendezvous, ready, context))
        return true;
    pthread_mutex_lock(&rendezvous->lock);
    atomic_fetch_add(&rendezvous->sleepers, 1);
    bool come = ready(context);
    while (!come && tri__condition_wait(&rendezvous->moved, &rendezvous->lock, time) != ETIMEDOUT)
        come = ready(context);
    come = come || ready(context);
    atomic_fetch_sub(&rendezvous->sleepers, 1);
    pthread_mutex_unlock(&rendezvous->lock);
    return come;
}

void tri__rendezvous_notify(tri__rendezvous *rendezvous)
{
    if (!atomic_load(&rendezvous->sleepers))
        return;
    pthread_mutex_lock(&rendezvous->lock);
    pthread_cond_broadcast(&rendezvous->moved);
    pthread_mutex_unlock(&rendezvous->lock);
}
