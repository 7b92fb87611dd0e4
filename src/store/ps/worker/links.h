/* links.h: a worker's connections to the servers. The caller holds the worker's lock where not said otherwise. */
#ifndef TRI_STORE_PS_WORKER_LINKS_H
#define TRI_STORE_PS_WORKER_LINKS_H

#include "store/ps/worker/worker_inside.h"

TRI_MUST_CHECK tri_status tri__links_create(tri__worker *worker); /* begins to connect; no lock */
void tri__links_destroy(tri__worker *worker);                     /* the caller owns the loop; no lock */
void tri__links_push(tri__worker *worker, uint32_t chunk);        /* a chunk is ready: sends it, or lets the loop's thread do so */
tri__message tri__links_push_head(const tri__worker *worker, uint32_t chunk); /* of the message that pushes the chunk, all but its size */
void tri__links_say(tri__worker *worker);                                     /* sends READY and a report, if they are due */
void tri__links_count(tri__worker *worker);                                   /* adds up the traffic of all links */

#endif
