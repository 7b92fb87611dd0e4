/* local.h: strategy local: one worker in this process. Its store applies each gradient at once. */
#ifndef TRI_TRAIN_RUN_LOCAL_H
#define TRI_TRAIN_RUN_LOCAL_H

#include "train/options/strategy.h"

/* Applies each gradient at once; serves tasks, too, each of which has gradients of its own parameters only. */
TRI_MUST_CHECK tri_status tri__local_create_store(struct tri__run *run);

#endif
