/* length.h: how many steps a run and its epochs have. */
#ifndef TRI_TRAIN_RUN_LENGTH_H
#define TRI_TRAIN_RUN_LENGTH_H

#include "train/checkpoint/checkpoint.h"
#include "train/options/options.h"

typedef struct {
    int64_t epoch;      /* steps of an epoch */
    int64_t epoch_step; /* a step at which an epoch begins; if the number of workers changes, later epochs have other lengths */
    int64_t epochs;     /* how many epochs have ended by that step */
    int64_t last_step;  /* 0: not known beforehand */
} tri__length;

/* Set length from the present state of the run. examples: how many an epoch has; each: how many a step has. False where the number of steps
 * is too large for int64_t. */
bool tri__length_settle(tri__length *length, const tri__train_settings *settings, const tri__run_state *state, int64_t examples,
                        int64_t each);

/* How many steps `epochs` epochs of `examples` examples take in all. The run has made `step` steps with `done` examples; a step now has
 * `each` examples. */
int64_t tri__length_expected(int64_t epochs, int64_t examples, int64_t step, int64_t done, int64_t each);

int64_t tri__length_epochs(const tri__length *length, int64_t step);                    /* how many epochs have ended by this step */
int64_t tri__length_epoch_end(const tri__length *length, int64_t epochs);               /* the step with which so many have ended */
bool tri__length_ends_epoch(const tri__length *length, int64_t step);                   /* one ends with it */
bool tri__length_reached(const tri__length *length, int64_t step);                      /* the last step was made */
bool tri__length_due(const tri__length *length, const tri__every *every, int64_t step); /* by steps; never due by the clock */

/* Set the length of a run, and bind its schedule. examples: how many an epoch has; workers: how many make each step together. */
struct tri__run;
TRI_MUST_CHECK tri_status tri__run_settle_length(struct tri__run *run, int64_t examples, int workers);

#endif
