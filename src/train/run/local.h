/* local.h: strategy local: one worker in this process. */
#ifndef TRI_TRAIN_RUN_LOCAL_H
#define TRI_TRAIN_RUN_LOCAL_H

#include "train/options/strategy.h"

/* The store applies each gradient at once. Strategy placed uses it, too: each of its tasks has gradients of its own parameters only. */
TRI_MUST_CHECK tri_status tri__local_create_store(struct tri__run *run);

#endif
