/* clock.c: the system's two clocks. Reading them cannot fail with these arguments. */
#include "base/thread/clock.h"

#include <time.h>

enum { READINGS = 5 };

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

/* The thread may be interrupted between readings of the two clocks. So we read several times, and trust the two readings that were nearest
 * to each other. */
double tri__clock_wall_of(int64_t moment)
{
    int64_t nearest = INT64_MAX, now = 0;
    double wall = 0;
    for (int i = 0; i < READINGS; i++) {
        const int64_t before = tri__clock_now();
        const double between = tri__clock_wall();
        const int64_t apart = tri__clock_now() - before;
        if (apart >= nearest)
            continue;
        nearest = apart;
        now = before + apart / 2;
        wall = between;
    }
    return wall - tri__clock_seconds(now - moment);
}
