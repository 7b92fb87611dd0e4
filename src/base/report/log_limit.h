/* log_limit.h: lines that somebody else can cause as often as they like. The first TRI_LOG_BURST are made, then one a second; the others
 * are counted, and the count is told with the next line that is made. A limit that is all zeros is ready for use. */
#ifndef TRI_BASE_REPORT_LOG_LIMIT_H
#define TRI_BASE_REPORT_LOG_LIMIT_H

#include <stdint.h>

#include "base/report/log.h"

enum { TRI_LOG_BURST = 100 };

typedef struct {
    int64_t counted; /* until when the seconds that have passed were counted; 0: nothing was said yet */
    int64_t used;    /* of the burst */
    int64_t left_out;
    tri__log_level level; /* the highest of those left out */
} tri__log_limit;

/* now: of tri__clock_now. log may be NULL. */
void tri__log_limited(tri__log *log, tri__log_limit *limit, int64_t now, tri__log_level level, const char *format, ...) TRI_FORMAT(5, 6);

/* Tell how many were left out, if any were. */
void tri__log_limit_tell(tri__log *log, tri__log_limit *limit);

#endif
