/* rendezvous.c: look for a while, then sleep.
 *
 * No wake-up is lost: a sleeper counts itself before it looks for the last time, a notifier changes its atomic before it reads the count,
 * and both are sequentially consistent. So either the sleeper sees the change, or the notifier sees the sleeper. */
#include "base/rendezvous.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/condition.h"

#define LONG_LOOK  INT64_C(2000000) /* nanoseconds: several times what a blocked wake-up costs, less than anybody would notice */
#define SHORT_LOOK INT64_C(2000)
#define POLITE     INT64_C(50000) /* from then on whoever wants the CPU gets it between two looks */
#define LOOKS      32             /* between two readings of the clock */

void tri__rendezvous_init(tri__rendezvous *place, int threads, int cpus)
{
    pthread_mutex_init(&place->lock, NULL);
    tri__condition_init(&place->moved);
    atomic_init(&place->sleepers, 0);
    place->look = threads <= cpus ? LONG_LOOK : SHORT_LOOK;
}

void tri__rendezvous_fini(tri__rendezvous *place)
{
    pthread_cond_destroy(&place->moved);
    pthread_mutex_destroy(&place->lock);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool look_for(const tri__rendezvous *place, tri__ready *ready, const void *context)
{
    int64_t start = tri__clock_now(), waited = 0;
    while (waited < place->look) {
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

bool tri__rendezvous_wait(tri__rendezvous *place, tri__ready *ready, const void *context, int64_t time)
{
    if (ready(context) || look_for(place, ready, context))
        return true;
    pthread_mutex_lock(&place->lock);
    atomic_fetch_add(&place->sleepers, 1);
    bool come = ready(context);
    while (!come && tri__condition_wait(&place->moved, &place->lock, time) != ETIMEDOUT)
        come = ready(context);
    come = come || ready(context);
    atomic_fetch_sub(&place->sleepers, 1);
    pthread_mutex_unlock(&place->lock);
    return come;
}

void tri__rendezvous_notify(tri__rendezvous *place)
{
    if (!atomic_load(&place->sleepers))
        return;
    pthread_mutex_lock(&place->lock);
    pthread_cond_broadcast(&place->moved);
    pthread_mutex_unlock(&place->lock);
}
