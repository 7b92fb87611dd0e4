/* strategies.h: the strategies there are, found by what users type. */
#ifndef TRI_TRAIN_STRATEGY_STRATEGIES_H
#define TRI_TRAIN_STRATEGY_STRATEGIES_H

#include "train/options/options.h"
#include "train/options/strategy.h"

extern const tri__strategy *const tri__strategies[]; /* ends with NULL */

const tri__strategy *tri__strategies_find(const char *name);        /* NULL, or a name that nobody knows: local */
const tri__strategy *tri__strategies_meeting(tri__meeting meeting); /* the first whose processes meet so; NULL: there is none */

/* Do the options of a run go with its strategy? TRI_BAD_CALL also where one belongs to other strategies only. */
TRI_MUST_CHECK tri_status tri__strategies_check(const tri__strategy *strategy, const tri__train_options *options);

#endif
