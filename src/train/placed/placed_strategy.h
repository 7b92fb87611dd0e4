/* placed_strategy.h: strategy placed: tasks as ranks of MPI, each of which computes the lines of the model that are placed on it. */
#ifndef TRI_TRAIN_PLACED_PLACED_STRATEGY_H
#define TRI_TRAIN_PLACED_PLACED_STRATEGY_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_placed;

#endif
