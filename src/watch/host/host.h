/* host.h: how busy this host is: CPUs, memory, disks, network, from the kernel's counters in /proc.
 *
 * A virtual host of `trireme cluster` shares /proc/stat and /proc/meminfo with its machine: its CPU time and memory are those that its
 * control group counts. Its network is its own, since /proc/net/dev belongs to a network namespace. */
#ifndef TRI_WATCH_HOST_HOST_H
#define TRI_WATCH_HOST_HOST_H

#include "trireme/status.h"

typedef struct {
    char name[16];
    double received, sent; /* bytes a second … */
    double most;           /* … and what it can carry in each direction; 0 where that is not known (link_speed.h) */
} tri__link_rate;

/* The time between two readings. Rates are by second; CPU in percent, where 100 is all CPUs of the host. */
typedef struct {
    double wall;    /* seconds since 1970 at its end */
    double seconds; /* its length */
    double user, system, idle, wait, steal;
    double used, free, buffers, cached; /* bytes of memory */
    double read, written;               /* bytes, of all disks */
    double reads, writes;               /* operations */
    double received, sent;              /* bytes, of all interfaces but lo */
    double interrupts, switches;
    const double *core; /* percent busy of each CPU */
    int cores;
    const tri__link_rate *link; /* of each interface that was there at the beginning, lo too */
    int links;
} tri__host_sample;

typedef struct tri__host tri__host;

TRI_MUST_CHECK tri_status tri__host_open(tri__host **out);
void tri__host_close(tri__host *host); /* accepts NULL */
int tri__host_cores(const tri__host *host);
int tri__host_links(const tri__host *host);
const char *tri__host_link_name(const tri__host *host, int index);

/* What happened since the call before, or since tri__host_open. Its arrays are the host's, and hold until the next call. */
TRI_MUST_CHECK tri_status tri__host_take(tri__host *host, tri__host_sample *out);

#endif
