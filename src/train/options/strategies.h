/* strategies.h: the list of strategies, and how to find one by the name that users type. */
#ifndef TRI_TRAIN_OPTIONS_STRATEGIES_H
#define TRI_TRAIN_OPTIONS_STRATEGIES_H

#include "train/options/options.h"
#include "train/options/strategy.h"

extern const tri__strategy *const tri__strategies[]; /* ends with NULL */

const tri__strategy *tri__strategies_find(const char *name);        /* the default where name is NULL or unknown */
const tri__strategy *tri__strategies_meeting(tri__meeting meeting); /* the first strategy with that way of meeting; NULL: there is none */

/* Whether a resumed run that changes to this strategy keeps the value that the option has. A strategy with one worker drops --workers. */
bool tri__strategies_carry(const tri__strategy *to, const char *option);

/* Check the options of a run against its strategy. TRI_BAD_CALL where one belongs to other strategies only, or where they contradict each
 * other. */
TRI_MUST_CHECK tri_status tri__strategies_check(const tri__strategy *strategy, const tri__train_options *options);

#endif
