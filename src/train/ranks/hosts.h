/* hosts.h: the hosts of a file as Open MPI reads it, one a line, and which of them can still be reached. */
#ifndef TRI_TRAIN_RANKS_HOSTS_H
#define TRI_TRAIN_RANKS_HOSTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    const char *file;                  /* "node1 slots=2", a line a host */
    int64_t timeout;                   /* who has not answered by then is gone; nanoseconds */
    bool as_root;                      /* mpirun wants to be told */
    const volatile sig_atomic_t *stop; /* not 0: no longer worth waiting for; may be NULL */
} tri__hosts_request;

typedef struct {
    char *lines;    /* of the file, less those of hosts that are gone, in their order */
    char gone[512]; /* "node1, node2": as many as there is room for; empty: none is */
    int left;       /* hosts that are not gone */
    int slots;      /* of those; 0 where a line does not tell */
} tri__hosts;

/* Has mpirun start something on each host, all at once, by the same agent as ranks are started. Nobody is gone where it was stopped. */
TRI_MUST_CHECK tri_status tri__hosts_probe(const tri__hosts_request *request, tri__hosts *out);
void tri__hosts_fini(tri__hosts *hosts);

#endif
