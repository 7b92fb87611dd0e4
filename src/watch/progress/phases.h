/* phases.h: where a step's time goes. At every moment a worker is in exactly one phase, so the shares sum to 1 by construction.
 *
 * The caller passes the time (tri__clock_now), so that one reading can end one phase and begin another. One thread uses a tri__phases. */
#ifndef TRI_WATCH_PROGRESS_PHASES_H
#define TRI_WATCH_PROGRESS_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file/json.h"

typedef enum {
    TRI_PHASE_INPUT,   /* waiting for the next batch */
    TRI_PHASE_COMPUTE, /* forward and backward */
    TRI_PHASE_SEND,    /* handing gradients to the network */
    TRI_PHASE_SERVER,  /* waiting for parameter servers */
    TRI_PHASE_PEERS,   /* waiting for other workers */
    TRI_PHASE_UPDATE,  /* applying the rule */
    TRI_PHASE_OTHER,   /* all else inside the training time */
} tri__phase;

enum { TRI_PHASES = TRI_PHASE_OTHER + 1 };

const char *tri__phase_name(tri__phase phase); /* "input", as summary.json spells it */

typedef struct {
    int64_t spent[TRI_PHASES]; /* nanoseconds */
    int64_t since;             /* when the present phase began */
    tri__phase phase;          /* the present phase, if running */
    bool running;
} tri__phases; /* zeroed: nothing spent, not running */

/* From `now` on, time counts for this phase. If the account was not running, it starts. Returns the phase before (TRI_PHASE_OTHER at the
 * beginning), so that a nested part can return to it. */
tri__phase tri__phases_enter(tri__phases *phases, tri__phase phase, int64_t now);

/* Time counts for no phase until the next enter: during evaluation or set-up. */
void tri__phases_pause(tri__phases *phases, int64_t now);

/* Move time that was measured separately from one phase to another, but never more than the first phase has. */
void tri__phases_move(tri__phases *phases, tri__phase from, tri__phase to, int64_t nanoseconds);

void tri__phases_add(tri__phases *sum, const tri__phases *part); /* to sum several workers */
int64_t tri__phases_total(const tri__phases *phases);            /* nanoseconds counted so far, up to the last enter or pause */
void tri__phases_shares(const tri__phases *phases, double share[TRI_PHASES]); /* their sum is 1; all is "other" if no time was counted */

/* Shares as a JSON object, by the names of phases; and back. When read, a share that is missing or invalid is 0. */
json_t *tri__phases_json(const double share[TRI_PHASES]);
void tri__phases_read(const json_t *phases, double share[TRI_PHASES]);

#endif
