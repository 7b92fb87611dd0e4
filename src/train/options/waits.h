/* waits.h: how long processes that train together wait for each other. */
#ifndef TRI_TRAIN_OPTIONS_WAITS_H
#define TRI_TRAIN_OPTIONS_WAITS_H

#include "train/options/options.h"

typedef struct {
    int64_t timeout, heartbeat; /* nanoseconds */
} tri__waits;

/* --timeout and --heartbeat, or their defaults. */
TRI_MUST_CHECK tri_status tri__waits_resolve(const tri__train_options *options, tri__waits *out);

#endif
