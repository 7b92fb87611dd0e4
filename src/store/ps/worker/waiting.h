/* waiting.h: how the calls of a worker's store wait for servers. */
#ifndef TRI_STORE_PS_WORKER_WAITING_H
#define TRI_STORE_PS_WORKER_WAITING_H

#include "store/ps/worker/worker_inside.h"

/* A call begins and ends. In between it holds the lock, and the loop belongs to the caller, or to the store's thread if it has one. */
void tri__worker_enter(tri__worker *worker);
void tri__worker_leave(tri__worker *worker);

/* Waits until done returns true, or a server has been silent for too long. The caller holds the lock; it is released while waiting. */
TRI_MUST_CHECK tri_status tri__worker_wait(tri__worker *worker, bool (*done)(const tri__worker *, const void *), const void *what);

/* The same, and counts the time: in sync, the time that the chunks waited for other workers' parts counts as waiting for workers, the rest
 * as waiting for servers. */
TRI_MUST_CHECK tri_status tri__worker_wait_and_count(tri__worker *worker, bool (*done)(const tri__worker *, const void *),
                                                     const void *what);

#endif
