/* recovery.h: going back to the last checkpoint when a server was lost.
 *
 * In async only the lost server's stretch goes back. In sync the whole job does: all servers, the position in the data, and the workers,
 * which begin anew with the tokens that they are given.
 *
 *                 a server was lost                  the snapshot is read no longer
 *        NONE ────────────────────────► DUE ─┬──────────────────────────────────────────► RESTORING  (sync)
 *         ▲                                  └─► NONE  (async: the lost server alone is restored)  │
 *         │ every member is ready again                                                           │ all servers hold their stretch:
 *         └──────────────────────────────────── REGATHERING ◄─────────────────────────────────────┘ members are told
 *
 * A server that is lost on the way leads to DUE again, from every state. */
#ifndef TRI_STORE_PS_COORDINATOR_SERVERS_RECOVERY_H
#define TRI_STORE_PS_COORDINATOR_SERVERS_RECOVERY_H

#include "store/ps/server/server_inside.h"

typedef enum {
    TRI_RECOVERY_NONE,
    TRI_RECOVERY_DUE,         /* it begins as soon as the snapshot is idle */
    TRI_RECOVERY_RESTORING,   /* sync: servers are given their stretch; nobody makes a step */
    TRI_RECOVERY_REGATHERING, /* sync: members pull all parameters; the next step waits for all of them */
} tri__recovery_state;

typedef struct {
    tri__recovery_state state;
    int64_t lost; /* updates that going back together has lost */
} tri__recovery;

void tri__recovery_begin(tri__coordinator *coordinator); /* a server was lost: now, or when recovery_go_on finds the snapshot idle */
void tri__recovery_go_on(tri__coordinator *coordinator);

#endif
