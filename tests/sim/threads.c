/* threads.c: replaces the threads, locks, conditions and clocks of the code under test (the linker's --wrap). A thread is one more
 * coroutine of its process. A thread that releases a lock may lose its turn there, so that threads meet in many orders. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/world.h"

#define SECOND INT64_C(1000000000)

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_sched_yield(void);
pid_t __wrap_getpid(void);

typedef struct {
    void *(*body)(void *);
    void *context;
    sim_coroutine *coroutine;
} thread;

static void run_thread(void *context)
{
    thread *one = context;
    one->body(one->context);
}

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*body)(void *), void *context)
{
    (void)attributes;
    thread *one = malloc(sizeof *one);
    *one = (thread){.body = body, .context = context};
    one->coroutine = sim_fork(run_thread, one);
    memcpy(out, &one, sizeof one);
    return 0;
}

int __wrap_pthread_join(pthread_t which, void **result)
{
    thread *one;
    memcpy(&one, &which, sizeof one);
    if (result)
        *result = NULL;
    sim_join(one->coroutine);
    free(one);
    return 0;
}

/* Stands in place of a pthread_mutex_t or a pthread_cond_t. One thread waits at a time, which is all that the code under test needs. */
typedef struct {
    sim_coroutine *owner, *waiter;
} mutex;

_Static_assert(sizeof(mutex) <= sizeof(pthread_mutex_t) && sizeof(mutex) <= sizeof(pthread_cond_t), "a place for our own");

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    memset(lock, 0, sizeof *lock);
    return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock)
{
    assert(!((mutex *)lock)->owner);
    return 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
    mutex *one = (mutex *)lock;
    assert(one->owner != sim_current() || !one->owner);
    while (one->owner) {
        one->waiter = sim_current();
        sim_wait(SIM_FOREVER, "a lock");
    }
    one->owner = sim_current();
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    mutex *one = (mutex *)lock;
    assert(one->owner == sim_current());
    one->owner = NULL;
    if (one->waiter)
        sim_wake(one->waiter);
    one->waiter = NULL;
    const sim_process *self = sim_self();
    if (self && self->live > 1 && sim_draw(8) == 0)
        sim_wait(sim_now() + sim_span(100, 30000), "its turn");
    return 0;
}

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    memset(condition, 0, sizeof *condition);
    return 0;
}

int __wrap_pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    mutex *one = (mutex *)condition;
    if (one->waiter)
        sim_wake(one->waiter);
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    return __wrap_pthread_cond_signal(condition);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until)
{
    mutex *one = (mutex *)condition, *held = (mutex *)lock;
    assert(!one->waiter && held->owner == sim_current());
    one->waiter = sim_current();
    held->owner = NULL;
    if (held->waiter)
        sim_wake(held->waiter);
    held->waiter = NULL;
    bool woken = sim_wait((int64_t)until->tv_sec * SECOND + until->tv_nsec, "a condition");
    one->waiter = NULL;
    __wrap_pthread_mutex_lock(lock);
    return woken ? 0 : ETIMEDOUT;
}

/* Reading the clock takes time, so that a loop that polls the clock ends. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    sim_pass(100);
    *out = (struct timespec){.tv_sec = sim_now() / SECOND, .tv_nsec = sim_now() % SECOND};
    return 0;
}

int __wrap_sched_yield(void)
{
    sim_wait(sim_now() + 60000, "its turn");
    return 0;
}

pid_t __wrap_getpid(void)
{
    const sim_process *self = sim_self();
    return self ? self->number : 1;
}
