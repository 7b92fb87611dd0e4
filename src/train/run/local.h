/* local.h: strategy local: one worker in this process, whose store applies the rule at once. */
#ifndef TRI_TRAIN_RUN_LOCAL_H
#define TRI_TRAIN_RUN_LOCAL_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_local;

#endif
