/* recent.h: the last losses of training. */
#ifndef TRI_TRAIN_CHECKPOINT_RECENT_H
#define TRI_TRAIN_CHECKPOINT_RECENT_H

#include <stdint.h>

#define TRI_RECENT 100

/* The last training losses, oldest overwritten first. */
typedef struct {
    double loss[TRI_RECENT];
    int64_t count; /* how many losses were ever added */
} tri__recent;

void tri__recent_add(tri__recent *recent, double loss);
double tri__recent_mean(const tri__recent *recent); /* NaN where there is none */

#endif
