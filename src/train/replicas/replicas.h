/* replicas.h: strategy mirrored: workers as threads of one process, which share every step. */
#ifndef TRI_TRAIN_REPLICAS_REPLICAS_H
#define TRI_TRAIN_REPLICAS_REPLICAS_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_mirrored;

#endif
