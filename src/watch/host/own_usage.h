/* own_usage.h: what this process used between two readings. */
#ifndef TRI_WATCH_HOST_OWN_USAGE_H
#define TRI_WATCH_HOST_OWN_USAGE_H

#include <stdint.h>

/* Rates are by second. */
typedef struct {
    double cpu;           /* percent, of which 100 are one CPU */
    double resident;      /* bytes of memory */
    double read, written; /* bytes, of disks */
    double switches;      /* of context */
} tri__own_sample;

typedef struct {
    int64_t time;
    double cpu, read, written, switches; /* seconds, bytes, bytes, a count */
} tri__own_counters;

tri__own_counters tri__own_read(void);
tri__own_sample tri__own_between(const tri__own_counters *from, const tri__own_counters *to); /* resident: now */

#endif
