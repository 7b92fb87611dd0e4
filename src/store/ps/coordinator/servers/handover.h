/* handover.h: when ps:0 was lost, a new ps:0 goes on from where the old one stood, not from the last checkpoint (--replicas 2).
 *
 * The range of ps:0 has a standby, as every other range has. But this standby never becomes the primary: ps:0 coordinates, and its
 * supervisor starts it again. While a job runs, ps:0 also tells that standby where the job stands (STATE): in sync after every step,
 * otherwise after every update. ps:0 answers a worker's push when the standby has the update. If the update was the last one of a step, the
 * standby must also have the state after it.
 *
 *           settled, and the last ps:0 noted a whole standby           all servers that are needed have come
 *    NONE ────────────────────────────────────────────────► AWAITING ─────────────────────────────────► COPYING
 *     ▲                                                         │                                          │
 *     ├──── they do not come in time, or hold something else ───┘                                          │
 *     ├──── one of them is lost: the checkpoint is loaded again ───────────────────────────────────────────┤
 *     └──── all copies have come: the job begins from them ────────────────────────────────────────────────┘
 *
 * In async and staleness only the standby is needed: the other servers keep what they have. In sync all servers are needed. Each sends a
 * copy of its range as it was after the same step: the last step that all of them have made (stretch/undo.h). Together the copies are a
 * checkpoint of that step, and the job begins from it as it would from a checkpoint on disk.
 *
 * How does the new ps:0 know that the standby's copy is up to date? The old one noted it (tri__ps_owner), and took the note back before it
 * answered anybody without the standby. Each pair has a number, and the note contains it. */
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
    int64_t since; /* when the state began */
    tri__keeper keeper;
    const tri__peer *asked; /* the standby that was asked for its copy */
    int64_t step;           /* the step at which the job goes on */
    uint32_t left;          /* chunks × slots that are still to come */
    tri__standing standing; /* where the job stood, as the standby says */
    bool known;             /* `standing` has come; in sync it is the one after `step` */
    bool taken;             /* the job began from what was handed over */
    double seconds;         /* taken: in which the old ps:0 made the steps after the last checkpoint */
} tri__handover;

void tri__handover_fini(tri__handover *handover);

void tri__handover_greeted(tri__coordinator *coordinator, const json_t *hello); /* the standby of ps:0's range has come */
/* There is a job, and its checkpoint is loaded. True: the job does not begin yet; tri__coordinator_take_up is called when it may. */
TRI_MUST_CHECK bool tri__handover_begin(tri__coordinator *coordinator);
/* True: the job has not begun, and may yet begin from what servers have. */
bool tri__handover_is_awaited(const tri__coordinator *coordinator);
/* How long a new ps:0 waits for servers that may have what it needs. Those that live reconnect at once, but may be stopped; those that died
 * are started again, and say that they have nothing. Half of the timeout is left to go on without the others. */
int64_t tri__handover_patience(const tri__coordinator *coordinator);
void tri__handover_check(tri__coordinator *coordinator, int64_t now);
TRI_MUST_CHECK tri_status tri__handover_message(tri__peer *peer, const tri__message *message, const json_t *body);

void tri__handover_tell(tri__coordinator *coordinator); /* a step or an update has ended: tells the standby where the job stands */

#endif
