/* clock.h: monotonic time for measuring, wall time for stamping. */
#ifndef TRI_BASE_THREAD_CLOCK_H
#define TRI_BASE_THREAD_CLOCK_H

#include <stdint.h>

/* All spans of time are in nanoseconds, unless a name says otherwise. */
#define TRI_MILLISECOND INT64_C(1000000)
#define TRI_SECOND      INT64_C(1000000000)

int64_t tri__clock_now(void);              /* nanoseconds, monotonic */
double tri__clock_wall(void);              /* seconds since 1970 */
double tri__clock_wall_of(int64_t moment); /* of tri__clock_now, as seconds since 1970 */
static inline double tri__clock_seconds(int64_t nanoseconds)
{
    return (double)nanoseconds * 1e-9;
}

#endif
