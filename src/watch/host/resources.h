/* resources.h: what this process has used of the machine. */
#ifndef TRI_WATCH_HOST_RESOURCES_H
#define TRI_WATCH_HOST_RESOURCES_H

#include <stdint.h>

typedef struct {
    int64_t wall; /* tri__clock_now */
    double cpu;   /* seconds, user and system, all threads */
} tri__usage;

tri__usage tri__usage_now(void);
double tri__usage_cpu_percent(const tri__usage *from, const tri__usage *to); /* 100 is one CPU; 0 if no time has passed */
double tri__peak_rss_mb(void);                                               /* of this process since its last exec; MB = 10⁶ bytes */

#endif
