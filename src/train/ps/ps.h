/* ps.h: strategy ps: parameter servers, and workers that go in step or each at its own pace. */
#ifndef TRI_TRAIN_PS_PS_H
#define TRI_TRAIN_PS_PS_H

#include "train/options/strategy.h"

extern const tri__strategy tri__strategy_ps;

#endif
