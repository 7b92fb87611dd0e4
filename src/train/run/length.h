/* length.h: how long a run is, and its epochs, in steps. */
#ifndef TRI_TRAIN_RUN_LENGTH_H
#define TRI_TRAIN_RUN_LENGTH_H

#include "train/checkpoint/checkpoint.h"
#include "train/options/options.h"

typedef struct {
    int64_t epoch;      /* steps of one */
    int64_t epoch_step; /* a step at which an epoch begins: epochs differ in steps if the number of workers changed */
    int64_t last_step;  /* 0: not known beforehand */
} tri__length;

/* From the present state of the run. examples: of an epoch; each: of a step. False where that is more steps than can be counted. */
bool tri__length_settle(tri__length *length, const tri__train_settings *settings, const tri__run_state *state, int64_t examples,
                        int64_t each);

/* How many steps epochs of so many examples will have been, where steps now have `each` and `step` steps have made `done` examples. */
int64_t tri__length_expected(int64_t epochs, int64_t examples, int64_t step, int64_t done, int64_t each);

bool tri__length_reached(const tri__length *length, int64_t step);                      /* the last step was made */
bool tri__length_due(const tri__length *length, const tri__every *every, int64_t step); /* by the number of steps, not by the clock */

/* The length of a run, and its schedule. examples: of an epoch; workers: that make each step together. */
struct tri__run;
TRI_MUST_CHECK tri_status tri__run_settle_length(struct tri__run *run, int64_t examples, int workers);

#endif
