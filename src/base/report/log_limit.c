/* log_limit.c: a burst, and one line for every second that has passed. */
#include "base/report/log_limit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

static bool may_say(tri__log_limit *limit, int64_t now)
{
    if (!limit->counted)
        limit->counted = now;
    int64_t seconds = (now - limit->counted) / SECOND;
    limit->counted += seconds * SECOND;
    limit->used = limit->used > seconds ? limit->used - seconds : 0;
    return limit->used < TRI_LOG_BURST;
}

void tri__log_limit_tell(tri__log *log, tri__log_limit *limit)
{
    if (limit->left_out)
        tri__log_line(log, limit->level, "… and %" PRId64 " more", limit->left_out);
    limit->left_out = 0;
    limit->level = TRI_LOG_DEBUG;
}

void tri__log_limited(tri__log *log, tri__log_limit *limit, int64_t now, tri__log_level level, const char *format, ...)
{
    if (!log || level < log->least)
        return;
    if (!may_say(limit, now)) {
        limit->left_out++;
        limit->level = level > limit->level ? level : limit->level;
        return;
    }
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    limit->used++;
    tri__log_limit_tell(log, limit);
    tri__log_line(log, level, "%s", line);
}
