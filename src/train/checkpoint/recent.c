/* recent.c: the mean of the last losses, which is shown as the training loss. */
#include "train/checkpoint/recent.h"

#include <math.h>

void tri__recent_add(tri__recent *recent, double loss)
{
    recent->loss[recent->count++ % TRI_RECENT] = loss;
}

/* The sum is computed anew each time, in the order of the array, so that a resumed run gets the same bits. */
double tri__recent_mean(const tri__recent *recent)
{
    int64_t count = recent->count < TRI_RECENT ? recent->count : TRI_RECENT;
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += recent->loss[i];
    return count ? sum / (double)count : NAN;
}
