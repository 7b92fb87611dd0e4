/* placement.h: on which hosts the processes of a job run, and how a process is started on a host.
 *
 * The hosts of a virtual cluster are reached by `trireme cluster exec`, which becomes the process: signals and descriptors reach it as they
 * would without. */
#ifndef TRI_TRAIN_JOB_PLACEMENT_H
#define TRI_TRAIN_JOB_PLACEMENT_H

#include "train/cluster/cluster.h"
#include "train/job/command_line.h"
#include "train/job/process.h"

typedef struct tri__placement {
    tri__cluster cluster;     /* on which host each task is, and at which address servers listen; port 0: at a free one */
    const char *const *reach; /* a command that runs another one on a host; the host's name and that command follow; ends with NULL */
    int threads;              /* of each worker, where the user gave none */
    bool secured;             /* the user has given an identity or --insecure, so none is made for the job */

    /* Opens the socket of a server on the host of address, and sets its port. */
    tri_status (*listen)(void *context, tri__address *address, int *fd);
    void *context; /* for listen */
} tri__placement;

/* The words that run what is added after them on a host. Adds nothing where placement is NULL: everything runs on this machine. */
void tri__placement_add(const tri__placement *placement, const char *host, tri__command_line *line);

/* A socket for a server, on the host of its address or, where placement is NULL, on this one. Sets the address's port. */
TRI_MUST_CHECK tri_status tri__placement_listen(const tri__placement *placement, tri__address *address, int *fd);

#endif
