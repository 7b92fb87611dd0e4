/* host.h: how busy this host is: CPUs, memory, disks, network, from the kernel's counters in /proc.
 *
 * A virtual host of `trireme cluster` shares /proc/stat, /proc/meminfo and /proc/diskstats with its machine, so its CPU time, memory and
 * bytes of disks come from its control group. Its network counters are its own, as /proc/net/dev belongs to a network namespace. */
#ifndef TRI_WATCH_HOST_HOST_H
#define TRI_WATCH_HOST_HOST_H

#include "trireme/status.h"

typedef struct {
    char name[16];
    double received, sent; /* bytes a second */
    double most;           /* bytes a second that it can carry in each direction; 0 if unknown (link_speed.h) */
} tri__link_rate;

/* What happened between two readings. Rates are per second. CPU is in percent, where 100 is all CPUs of the host. */
typedef struct {
    double wall;    /* time of the second reading, in seconds since 1970 */
    double seconds; /* time between the readings */
    double user, system, idle, wait, steal;
    double used, free, buffers, cached; /* bytes of memory */
    double read, written;               /* bytes, of all disks */
    double reads, writes;               /* operations */
    double received, sent;              /* bytes, of all interfaces but lo */
    double interrupts, switches;
    const double *core; /* [cores] percent that each CPU was busy */
    int cores;
    const tri__link_rate *link; /* [links] interfaces that existed in tri__host_open, also lo */
    int links;
} tri__host_sample;

typedef struct tri__host tri__host;

TRI_MUST_CHECK tri_status tri__host_open(tri__host **out);
void tri__host_close(tri__host *host); /* accepts NULL */
int tri__host_cores(const tri__host *host);
int tri__host_links(const tri__host *host);
const char *tri__host_link_name(const tri__host *host, int index);

/* What happened since the last call, or since tri__host_open. The arrays in *out belong to host, and are valid until the next call. */
TRI_MUST_CHECK tri_status tri__host_take(tri__host *host, tri__host_sample *out);

#endif
