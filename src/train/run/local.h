/* local.h: strategy local: one worker in this process. Its store applies each gradient at once. */
#ifndef TRI_TRAIN_RUN_LOCAL_H
#define TRI_TRAIN_RUN_LOCAL_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_local;

#endif
