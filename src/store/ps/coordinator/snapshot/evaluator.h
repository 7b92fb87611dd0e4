/* evaluator.h: the evaluator, as ps:0 knows it. A snapshot waits for an evaluator until the timeout; then the job goes on without
 * evaluations. An evaluator that comes later is still welcome.
 *
 *               hello                          it says that it evaluates nothing, or is silent for too long
 *    AWAITED ◄─────────► HERE ────────────────────────────────────────────────────────────────────────────────► NONE
 *        disconnected     ▲                                                                                    ▲ │
 *           │             └────────────────────────────────── hello ───────────────────────────────────────────┼─┘
 *           └────────────────── a snapshot waits for it for too long ──────────────────────────────────────────┘
 *
 * An evaluator that evaluates nothing becomes AWAITED again when it disconnects. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_EVALUATOR_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_EVALUATOR_H

#include "store/ps/server/server_inside.h"

typedef enum { TRI_EVALUATOR_AWAITED, TRI_EVALUATOR_HERE, TRI_EVALUATOR_NONE } tri__evaluator_state;

typedef struct {
    tri__evaluator_state state;
    tri__peer *peer; /* NULL: it has no connection */
    bool named;      /* the log says that it is silent */
    int64_t missed;  /* when a snapshot began to wait for an evaluator that is not there; 0: none waits */
} tri__remote_evaluator;

TRI_MUST_CHECK tri_status tri__evaluator_hello(tri__peer *peer, const json_t *hello);
void tri__evaluator_disconnected(tri__coordinator *coordinator, const tri__peer *peer);
void tri__evaluator_ask(const tri__coordinator *coordinator); /* asks it to evaluate the snapshot, if it is HERE */
void tri__evaluator_bye(tri__coordinator *coordinator, const char *reason);
void tri__evaluator_check(tri__coordinator *coordinator, int64_t now); /* checks whether it is silent or missing */

#endif
