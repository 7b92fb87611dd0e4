/* clock.c: the system's two clocks. Reading them cannot fail with these arguments. */
#include "base/thread/clock.h"

#include <time.h>

int64_t tri__clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double tri__clock_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
