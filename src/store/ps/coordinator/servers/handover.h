/* handover.h: a new ps:0 takes over where the one that was lost stood, not where its last checkpoint is (--replicas 2).
 *
 * The range of ps:0 has a standby as every other range has, but it is never the primary: ps:0 coordinates, and its supervisor starts it
 * again. While a job runs, ps:0 tells that standby also where the job stands (STATE): in sync after every step, otherwise after every
 * update. A worker's push is answered when the standby has the update and, where it was the last one of a step, the state after it.
 *
 *           settled, and the last ps:0 noted a whole standby           all that are needed have come
 *    NONE ────────────────────────────────────────────────► AWAITING ─────────────────────────────────► COPYING
 *     ▲                                                         │                                          │
 *     ├──── they do not come in time, or hold something else ───┘                                          │
 *     ├──── one of them is lost: the checkpoint is loaded again ───────────────────────────────────────────┤
 *     └──── all has come: the job begins from that ────────────────────────────────────────────────────────┘
 *
 * In async and staleness the standby is all that is needed: the other servers keep what they have. In sync all servers are, and each sends
 * a copy of its range as it was after the same step: the last that all of them have made (stretch/undo.h). Together they are a checkpoint
 * of that step, and the job begins from it as it would from one on disk.
 *
 * Is the standby's copy up to date? It was when ps:0 noted so (tri__ps_owner), and ps:0 takes the note back before it answers anybody
 * without the standby. Each pair has a number, and the note says it. */
#ifndef TRI_STORE_PS_COORDINATOR_SERVERS_HANDOVER_H
#define TRI_STORE_PS_COORDINATOR_SERVERS_HANDOVER_H

#include "store/ps/server/server_inside.h"

typedef enum { TRI_HANDOVER_NONE, TRI_HANDOVER_AWAITING, TRI_HANDOVER_COPYING } tri__handover_state;

/* What the standby of ps:0's range said when it came. */
typedef struct {
    bool whole;
    uint32_t pair, generation;
    int64_t updates; /* of every chunk */
    int64_t state;   /* the step of the last STATE that it has; −1: none */
} tri__keeper;

typedef struct {
    tri__handover_state state;
    int64_t since; /* when it began */
    tri__keeper keeper;
    const tri__peer *asked; /* the standby, when it was */
    int64_t step;           /* at which the job goes on */
    uint32_t left;          /* chunks × slots that are still to come */
    tri__standing standing; /* as the standby knows it */
    bool known;             /* … and has told it */
    bool taken;             /* the job began from what was handed over … */
    double seconds;         /* … which was made in so much time after the last checkpoint */
} tri__handover;

void tri__handover_fini(tri__handover *handover);

void tri__handover_greeted(tri__coordinator *coordinator, const json_t *hello); /* the standby of ps:0's range has come */
/* There is a job, and its checkpoint is loaded. True: the job does not begin yet; tri__coordinator_take_up is called when it may. */
TRI_MUST_CHECK bool tri__handover_begin(tri__coordinator *coordinator);
void tri__handover_check(tri__coordinator *coordinator, int64_t now);
TRI_MUST_CHECK tri_status tri__handover_message(tri__peer *peer, const tri__message *message, const json_t *body);

void tri__handover_tell(tri__coordinator *coordinator); /* the standby is told where the job stands: a step, or an update, has ended */

#endif
