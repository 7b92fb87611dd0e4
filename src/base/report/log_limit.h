/* log_limit.h: limits log lines that somebody outside can cause as often as they like. The first TRI_LOG_BURST lines are logged, then one a
 * second. The others are counted, and the count is logged before the next line. A limit that is all zeros is ready for use. */
#ifndef TRI_BASE_REPORT_LOG_LIMIT_H
#define TRI_BASE_REPORT_LOG_LIMIT_H

#include <stdint.h>

#include "base/report/log.h"

enum { TRI_LOG_BURST = 100 };

typedef struct {
    int64_t counted; /* the time up to which passed seconds were counted; 0: nothing was logged yet */
    int64_t used;    /* lines of the burst that were used */
    int64_t left_out;
    tri__log_level level; /* the highest level of the lines left out */
} tri__log_limit;

/* now: of tri__clock_now. log may be NULL. */
void tri__log_limited(tri__log *log, tri__log_limit *limit, int64_t now, tri__log_level level, const char *format, ...) TRI_FORMAT(5, 6);

/* Log how many lines were left out, if any were. */
void tri__log_limit_tell(tri__log *log, tri__log_limit *limit);

#endif
