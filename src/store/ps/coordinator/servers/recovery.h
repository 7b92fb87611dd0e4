/* recovery.h: going back to the last checkpoint when a server was lost.
 *
 * In async only the lost server's stretch goes back. In sync the whole job does: all servers, the position in the data, and the workers,
 * which begin anew with the tokens that they are given.
 *
 *                 a server was lost                  the snapshot is idle
 *        NONE ────────────────────────► DUE ─┬──────────────────────────────────────────► RESTORING  (sync)
 *         ▲                                  └─► NONE  (async: the lost server alone is restored)  │
 *         │ every member is ready again                                                           │ all servers hold their stretch:
 *         └──────────────────────────────────── REGATHERING ◄─────────────────────────────────────┘ members are told
 *
 * If another server is lost on the way, the state becomes DUE again, whatever it was. */
#ifndef TRI_STORE_PS_COORDINATOR_SERVERS_RECOVERY_H
#define TRI_STORE_PS_COORDINATOR_SERVERS_RECOVERY_H

#include "store/ps/server/server_inside.h"

typedef enum {
    TRI_RECOVERY_NONE,
    TRI_RECOVERY_DUE,         /* going back begins as soon as the snapshot is idle */
    TRI_RECOVERY_RESTORING,   /* sync: ps:0 sends servers their stretch; nobody makes a step */
    TRI_RECOVERY_REGATHERING, /* sync: members pull all parameters; the next step waits for all of them */
} tri__recovery_state;

typedef struct {
    tri__recovery_state state;
    int64_t lost; /* sync: updates that were lost by going back */
} tri__recovery;

void tri__recovery_begin(tri__coordinator *coordinator); /* a server was lost: goes back now, or in go_on when the snapshot is idle */
void tri__recovery_go_on(tri__coordinator *coordinator);

#endif
