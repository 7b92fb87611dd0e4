/* hosts.h: the hosts of a file as Open MPI reads it, one on each line, and which of them can still be reached. */
#ifndef TRI_TRAIN_RANKS_HOSTS_H
#define TRI_TRAIN_RANKS_HOSTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "train/job/job_hosts.h"

typedef struct {
    const char *file;                  /* one line for each host: "node1 slots=2" */
    int64_t timeout;                   /* nanoseconds; a host that has not answered after this time is gone */
    const tri__job_hosts *job_hosts;   /* how mpirun reaches the hosts; NULL: as it does by itself */
    bool as_root;                      /* the user is root, which mpirun accepts only with an option */
    const volatile sig_atomic_t *stop; /* not 0: give up the probe; may be NULL */
} tri__hosts_request;

typedef struct {
    char *lines;    /* the lines of the file, in order, without the hosts that are gone */
    char gone[512]; /* "node1, node2": as many as there is room for; empty: no host is gone */
    int left;       /* hosts that are not gone */
    int slots;      /* of the hosts that are left; 0: a line does not say */
} tri__hosts;

/* Makes mpirun start a process on each host, all at once, in the same way as it starts ranks. If *stop ends the probe, no host counts as
 * gone. */
TRI_MUST_CHECK tri_status tri__hosts_probe(const tri__hosts_request *request, tri__hosts *out);
void tri__hosts_fini(tri__hosts *hosts);

#endif
