/* own_usage.h: what this process used between two readings. */
#ifndef TRI_WATCH_HOST_OWN_USAGE_H
#define TRI_WATCH_HOST_OWN_USAGE_H

#include <stdint.h>

/* Rates are per second. */
typedef struct {
    double cpu;           /* percent, where 100 is one CPU */
    double resident;      /* bytes of memory */
    double read, written; /* bytes, from and to disks */
    double switches;      /* context switches */
} tri__own_sample;

typedef struct {
    int64_t time;
    double cpu, read, written, switches; /* seconds, bytes, bytes, a count */
} tri__own_counters;

tri__own_counters tri__own_read(void);
tri__own_sample tri__own_between(const tri__own_counters *from, const tri__own_counters *to); /* resident is that of now */

#endif
