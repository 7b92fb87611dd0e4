/* heartbeat.h: a thread that turns a loop while the loop's owner computes. So the task sends its heartbeats however long a step or an
 * evaluation takes.
 *
 * The owner holds the loop whenever it uses it or anything on it, and lends it while it computes. Handlers may be called by either thread,
 * never by both at a time. */
#ifndef TRI_STORE_PS_WORKER_HEARTBEAT_H
#define TRI_STORE_PS_WORKER_HEARTBEAT_H

#include <pthread.h>

#include "net/loop/loop.h"

typedef struct {
    tri__loop *loop;
    int64_t every; /* nanoseconds */
    pthread_t thread;
    pthread_mutex_t hold; /* held by the thread that turns the loop */
    pthread_cond_t changed;
    bool ending;
} tri__heartbeat;

/* From here on the caller holds the loop. If no thread can be started, no heartbeat is sent while the owner computes. */
void tri__heartbeat_init(tri__heartbeat *heartbeat, tri__loop *loop, int64_t every);
void tri__heartbeat_lend(tri__heartbeat *heartbeat);
void tri__heartbeat_hold(tri__heartbeat *heartbeat); /* waits until the thread ends its turn of the loop, which is short */
void tri__heartbeat_fini(tri__heartbeat *heartbeat); /* the caller holds the loop; accepts a heartbeat that was never begun */

#endif
