/* strategy.h: where the parameters live and who computes, as the options ask for it. */
#ifndef TRI_TRAIN_OPTIONS_STRATEGY_H
#define TRI_TRAIN_OPTIONS_STRATEGY_H

#include "store/ps/protocol/settings.h"
#include "trireme/status.h"

typedef enum { TRI_STRATEGY_LOCAL, TRI_STRATEGY_MIRRORED, TRI_STRATEGY_ALLREDUCE, TRI_STRATEGY_PS } tri__strategy;

const char *tri__strategy_name(tri__strategy strategy); /* "local", as users type it */

typedef struct {
    tri__strategy kind;
    tri__ps_settings ps; /* no server where kind has none: then only the number of workers counts */
} tri__strategy_settings;

/* What the options of a run say about it. TRI_BAD_CALL where they do not go together, with what to do instead. */
struct tri__train_options;
TRI_MUST_CHECK tri_status tri__strategy_resolve(const struct tri__train_options *options, tri__strategy_settings *out);

#endif
