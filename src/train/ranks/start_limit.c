/* start_limit.c: a deadline that is noticed once. */
#include "train/ranks/start_limit.h"

#include "base/thread/clock.h"

#define START INT64_C(10000000000) /* nanoseconds that processes may take to start, however short the timeout is */

void tri__start_limit_begin(tri__start_limit *limit, int64_t timeout)
{
    limit->patience = timeout > START ? timeout : START;
    limit->deadline = tri__clock_now() + limit->patience;
}

void tri__start_limit_lift(tri__start_limit *limit)
{
    limit->deadline = INT64_MAX;
}

bool tri__start_limit_passed(tri__start_limit *limit)
{
    if (tri__clock_now() < limit->deadline)
        return false;
    tri__start_limit_lift(limit);
    return true;
}
