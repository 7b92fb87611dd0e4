/* loop.h: the event loop. Connections, timers and child processes live on one; all their handlers are called by the thread that runs it.
 *
 * Two ways to run it: a server calls run, which returns after stop. A worker, whose thread computes, calls turn where it has to wait: so
 * the thread that needs an answer reads it itself, and no other thread has to be woken. One thread at a time owns a loop. */
#ifndef TRI_NET_LOOP_LOOP_H
#define TRI_NET_LOOP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__loop tri__loop;
typedef struct tri__timer tri__timer;

TRI_MUST_CHECK tri_status tri__loop_create(tri__loop **out);
void tri__loop_destroy(tri__loop *loop); /* after everything on it was destroyed or closed: `closed` still comes; accepts NULL */

/* For this long after something happened, and after a turn began, the loop polls before it sleeps. What comes soon is then seen without a
 * wake-up, which takes far longer than most answers; the price is a CPU that no other program wants. 0, the default: it sleeps at once.
 * Nanoseconds. */
void tri__loop_set_patience(tri__loop *loop, int64_t patience);

void tri__loop_run(tri__loop *loop);
void tri__loop_stop(tri__loop *loop); /* from a handler: run returns after it */

/* Wait until something happened and its handlers were called, or until tri__clock_now is deadline (0 does not wait). False where the
 * deadline came first. Waits end by whole milliseconds, never before the deadline; so do timers. */
bool tri__loop_turn(tri__loop *loop, int64_t deadline);

/* From any thread: a turn ends, and in the loop's thread `woken` is called once for one or more wakes. */
void tri__loop_on_wake(tri__loop *loop, void (*woken)(void *context), void *context);
void tri__loop_wake(tri__loop *loop);

/* A timer does nothing until it is started. after and every in nanoseconds; every 0: once. */
TRI_MUST_CHECK tri_status tri__timer_create(tri__loop *loop, void (*due)(void *context), void *context, tri__timer **out);
void tri__timer_start(tri__timer *timer, int64_t after, int64_t every);
void tri__timer_destroy(tri__timer *timer); /* accepts NULL */

#endif
