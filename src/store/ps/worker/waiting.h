/* waiting.h: the calls of a worker's store, which wait for servers. */
#ifndef TRI_STORE_PS_WORKER_WAITING_H
#define TRI_STORE_PS_WORKER_WAITING_H

#include "store/ps/worker/worker_inside.h"

/* A call begins and ends: between the two the lock is held, and the loop is the caller's, or that of the store's thread. */
void tri__worker_enter(tri__worker *worker);
void tri__worker_leave(tri__worker *worker);

/* Wait until done says so, or a server has been silent for too long. The lock is held, and let go of meanwhile. */
TRI_MUST_CHECK tri_status tri__worker_wait(tri__worker *worker, bool (*done)(const tri__worker *, const void *), const void *what);

/* The same, and counts the time: as much of it as the chunks waited for others' parts was spent waiting for other workers. */
TRI_MUST_CHECK tri_status tri__worker_wait_and_count(tri__worker *worker, bool (*done)(const tri__worker *, const void *),
                                                     const void *what);

#endif
