/* schedule.h: the learning rate as a function of the step; with `plateau`, of how often the rate was cut. */
#ifndef TRI_TRAIN_OPTIONS_SCHEDULE_H
#define TRI_TRAIN_OPTIONS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef enum {
    TRI_SCHEDULE_CONSTANT,
    TRI_SCHEDULE_STEP,
    TRI_SCHEDULE_EXPONENTIAL,
    TRI_SCHEDULE_COSINE,
    TRI_SCHEDULE_PLATEAU,
    TRI_SCHEDULE_SWEEP,
} tri__schedule_kind;

typedef struct {
    tri__schedule_kind kind;
    double rate;      /* the base rate */
    int64_t warmup;   /* steps over which the rate rises to the base rate; the schedule counts from their end */
    int64_t every;    /* step: steps between two cuts; exponential: steps over which the rate falls by the factor; plateau: evaluations
                       * without a better loss before a cut */
    bool in_epochs;   /* every was given in epochs; tri__schedule_bind turns it into steps */
    double factor;    /* the rate is multiplied by it at each cut; exponential: over `every` steps */
    double floor;     /* cosine: the last rate, as a share of the base rate */
    int64_t total;    /* cosine: the step at which the rate is the floor; sweep: the step at which it is the highest rate */
    int64_t cuts;     /* plateau: how often the rate was cut so far; part of a run's state */
    double low, high; /* sweep: the first and the last rate */
} tri__schedule;

/* `constant`, `step:EVERY:FACTOR` or `exponential:EVERY:FACTOR` (EVERY in steps, or such as 10epochs), `cosine[:FLOOR]`,
 * `plateau:N:FACTOR` or `sweep:LOW:HIGH`. Sets kind and its parameters only. */
TRI_MUST_CHECK tri_status tri__schedule_parse(const char *text, tri__schedule *out);

/* Set what depends on the run. total: its last step; 0: not known beforehand, which fails with cosine. */
TRI_MUST_CHECK tri_status tri__schedule_bind(tri__schedule *schedule, int64_t steps_per_epoch, int64_t total);

/* How often the rate is cut after an evaluation, the cut that this evaluation causes included. without_gain: evaluations in a row without a
 * better loss. Only a plateau adds cuts. */
int64_t tri__schedule_cuts(const tri__schedule *schedule, int64_t without_gain);

/* The base rate as text; for a sweep "1e-06 to 10". Returns text. */
enum { TRI_RATE_TEXT = 48 };
const char *tri__schedule_rate_text(const tri__schedule *schedule, char text[TRI_RATE_TEXT]);

float tri__schedule_rate(const tri__schedule *schedule, int64_t step); /* step: updates before this one */

#endif
