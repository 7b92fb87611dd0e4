/* stop.h: options that say when a run ends, and how often it does something. */
#ifndef TRI_TRAIN_OPTIONS_STOP_H
#define TRI_TRAIN_OPTIONS_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "train/options/measure.h"
#include "trireme/status.h"

/* What to reach on the test examples: "loss<=0.35", "accuracy>=0.98"; with two classes "logloss<=0.45", "auc>=0.8", and "calibration>=0.95"
 * or "calibration<=1.05"; with numbers "mse<=2", "mae<=1", "r2>=0.9"; with sets of labels "f1>=0.8". With a stream of two classes, all of
 * these but the loss can also be measured on the training examples, each before its update: "progressive_auc>=0.75". */
typedef struct {
    const tri__measure *measure; /* NULL: there is no target */
    double value;
    bool progressive; /* measured on the training examples, not on the test examples */
    bool at_most;     /* the target is reached at `value` or below; false: at `value` or above */
} tri__target;

/* Spaces are allowed; < and > mean the same as <= and >=; 98% is 0.98. */
TRI_MUST_CHECK tri_status tri__target_parse(const char *text, tri__target *out);
bool tri__target_reached(const tri__target *target, const tri__evaluation *evaluation); /* false where the measure is NaN */

/* How often: "60s", "5m", "1h", "500steps" (or "500" where plain numbers are steps), "epoch", "end", "never". */
typedef enum { TRI_EVERY_END, TRI_EVERY_STEPS, TRI_EVERY_EPOCH, TRI_EVERY_SECONDS, TRI_EVERY_NEVER } tri__every_kind;

typedef struct {
    tri__every_kind kind;
    int64_t steps;   /* TRI_EVERY_STEPS */
    int64_t seconds; /* TRI_EVERY_SECONDS */
} tri__every;

/* option: the option's name, for messages; allowed: the kinds that it takes, as bits 1 << kind. */
TRI_MUST_CHECK tri_status tri__every_parse(const char *option, const char *text, unsigned allowed, tri__every *out);

#endif
