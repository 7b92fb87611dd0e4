/* links.h: a worker's connections to the servers. The caller holds the worker's lock unless said otherwise. */
#ifndef TRI_STORE_PS_WORKER_LINKS_H
#define TRI_STORE_PS_WORKER_LINKS_H

#include "store/ps/worker/worker_inside.h"

TRI_MUST_CHECK tri_status tri__links_create(tri__worker *worker); /* begins to connect; no lock */
void tri__links_destroy(tri__worker *worker);                     /* the caller owns the loop; no lock */
void tri__links_fail(tri__worker *worker, tri_status why); /* the call that waits, or the next one, returns why; the first reason counts */
void tri__links_say(tri__worker *worker);                  /* sends READY and a report, if they are due */
void tri__links_count(tri__worker *worker);                /* adds up the traffic of all links */

#endif
