/* allreduce.h: strategy allreduce: workers as ranks of MPI, which add up the gradients of every step. */
#ifndef TRI_TRAIN_RANKS_ALLREDUCE_H
#define TRI_TRAIN_RANKS_ALLREDUCE_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_allreduce;

#endif
