/* job_hosts.h: on which hosts the processes of a job run, and how a process is started on a host.
 *
 * There are two kinds of hosts. Those of a virtual cluster are reached by `trireme cluster exec`, which becomes the process: signals and
 * descriptors reach it as if it had been started directly. Real hosts are reached by ssh, which stays between: signals go through the
 * process's standard input (process.h), and a shell there reads its command line. Real hosts must see the run folder, the program and the
 * data under the same names as this one. */
#ifndef TRI_TRAIN_JOB_JOB_HOSTS_H
#define TRI_TRAIN_JOB_JOB_HOSTS_H

#include "train/cluster/cluster.h"
#include "train/job/command_line.h"
#include "train/job/process.h"

typedef struct tri__job_hosts {
    tri__cluster cluster;     /* on which host each task is, and at which address servers listen; port 0: at a free one */
    const char *const *reach; /* a command that runs another one on a host; the host's name and that command follow; ends with NULL */
    bool remote;              /* it stays between, as ssh does */
    int threads;              /* of each worker, where the user gave none; 0: its host decides */
    bool secured;             /* the user has given an identity or --insecure, so none is made for the job */

    /* Opens the socket of a server on the host of address, and sets its port. NULL: servers open their sockets themselves. */
    tri_status (*listen)(void *context, tri__address *address, int *fd);
    void *context; /* for listen */
} tri__job_hosts;

/* Starts a process on a host, or on this machine where job_hosts is NULL. life and listen_fd of options are for hosts that are not
 * remote: remote processes have standard input for their life, and open their own sockets. */
TRI_MUST_CHECK tri_status tri__job_hosts_start(const tri__job_hosts *job_hosts, const char *host, tri__process *process,
                                               const tri__process_options *options);

/* The descriptor whose end of file tells a process that the one which started it is gone. */
int tri__job_hosts_life_fd(const tri__job_hosts *job_hosts);

/* A socket for a server, on the host of its address or, where job_hosts is NULL, on this one. Sets the address's port. −1: the server
 * opens it itself. */
TRI_MUST_CHECK tri_status tri__job_hosts_listen(const tri__job_hosts *job_hosts, tri__address *address, int *fd);

#endif
