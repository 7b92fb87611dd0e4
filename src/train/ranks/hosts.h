/* hosts.h: the hosts of a file as Open MPI reads it, one a line, and which of them can still be reached. */
#ifndef TRI_TRAIN_RANKS_HOSTS_H
#define TRI_TRAIN_RANKS_HOSTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "train/job/job_hosts.h"

typedef struct {
    const char *file;                  /* "node1 slots=2", a line a host */
    int64_t timeout;                   /* nanoseconds; a host that has not answered by then is gone */
    const tri__job_hosts *job_hosts;   /* whose hosts they are; NULL: those of the user's file */
    bool as_root;                      /* the user is root, which mpirun accepts only with an option */
    const volatile sig_atomic_t *stop; /* not 0: give up the probe; may be NULL */
} tri__hosts_request;

typedef struct {
    char *lines;    /* of the file, in order, without those of hosts that are gone */
    char gone[512]; /* "node1, node2": as many as there is room for; empty: none is */
    int left;       /* hosts that are not gone */
    int slots;      /* of those; 0 where a line does not say */
} tri__hosts;

/* Lets mpirun start something on each host, all at once, by the same agent that starts ranks. If *stop ends the probe, no host counts as
 * gone. */
TRI_MUST_CHECK tri_status tri__hosts_probe(const tri__hosts_request *request, tri__hosts *out);
void tri__hosts_fini(tri__hosts *hosts);

#endif
