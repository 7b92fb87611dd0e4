/* stragglers.h: workers that are connected, or may come back, and keep others waiting without a word. */
#ifndef TRI_STORE_PS_COORDINATOR_WORKERS_STRAGGLERS_H
#define TRI_STORE_PS_COORDINATOR_WORKERS_STRAGGLERS_H

#include "store/ps/server/server_inside.h"

/* Names a worker that has been silent for two heartbeats, in the log and in members.straggler. After the timeout, the worker has left. */
void tri__stragglers_check(tri__coordinator *coordinator, int64_t now);

#endif
