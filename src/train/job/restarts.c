/* restarts.c: a ring of the times of the last restarts. */
#include "train/job/restarts.h"

#include <assert.h>

void tri__restarts_init(tri__restarts *restarts, int limit, int64_t window)
{
    assert(limit >= 0 && (!window || (limit > 0 && limit <= TRI_MOST_RESTARTS)));
    *restarts = (tri__restarts){.limit = limit, .window = window};
}

bool tri__restarts_allowed(const tri__restarts *restarts, int64_t now)
{
    if (restarts->count < restarts->limit)
        return true;
    return restarts->window && now - restarts->when[restarts->count % restarts->limit] >= restarts->window;
}

void tri__restarts_count(tri__restarts *restarts, int64_t now)
{
    if (restarts->window)
        restarts->when[restarts->count % restarts->limit] = now;
    restarts->count++;
}

void tri__restarts_forget(tri__restarts *restarts)
{
    restarts->count = 0;
}

int tri__restarts_left(const tri__restarts *restarts)
{
    return restarts->limit > restarts->count ? restarts->limit - restarts->count : 0;
}
