/* heartbeat.h: a thread that turns a loop while the loop's owner computes, so that others hear that the task lives, however long a step or
 * an evaluation takes.
 *
 * The owner holds the loop whenever it uses it or anything on it, and lends it while it computes. Handlers may be called by either thread,
 * never by both at a time. */
#ifndef TRI_STORE_PS_WORKER_HEARTBEAT_H
#define TRI_STORE_PS_WORKER_HEARTBEAT_H

#include <pthread.h>

#include "net/loop.h"

typedef struct {
    tri__loop *loop;
    int64_t every; /* nanoseconds */
    pthread_t thread;
    pthread_mutex_t hold; /* of who has the loop */
    pthread_cond_t changed;
    bool ending;
} tri__heartbeat;

/* The loop is the caller's from here on. Where there is no thread to be had, nothing beats while the owner computes. */
void tri__heartbeat_init(tri__heartbeat *heartbeat, tri__loop *loop, int64_t every);
void tri__heartbeat_lend(tri__heartbeat *heartbeat);
void tri__heartbeat_hold(tri__heartbeat *heartbeat); /* waits for a turn that is under way, which itself waits for nothing */
void tri__heartbeat_fini(tri__heartbeat *heartbeat); /* by who holds the loop; accepts one that was never begun */

#endif
