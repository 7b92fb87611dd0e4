/* job_hosts.h: on which hosts the processes of a job run, and how a process is started on a host.
 *
 * There are two kinds of hosts. Hosts of a virtual cluster are reached by `trireme cluster exec`, which becomes the process: signals and
 * descriptors reach it as if it had been started directly. Real hosts are reached by ssh, which stays between us and the process: signals
 * go through the process's standard input (process.h), and a shell on the host reads its command line. Real hosts must see the run folder,
 * the program and the data under the same names as this one. */
#ifndef TRI_TRAIN_JOB_JOB_HOSTS_H
#define TRI_TRAIN_JOB_JOB_HOSTS_H

#include "train/cluster/cluster.h"
#include "train/job/command_line.h"
#include "train/job/process.h"

typedef struct tri__job_hosts {
    tri__cluster cluster;     /* the host of each task, and the address of each server; port 0: a free port */
    const char *const *reach; /* the command that reaches a host; the host's name and the command to run there follow; ends with NULL */
    bool remote;              /* `reach` stays between us and the process, as ssh does */
    int threads;              /* of each worker, where the user gave no number; 0: its host decides */
    bool secured;             /* the user has given an identity or --insecure, so none is made for the job */

    /* Opens the socket of a server on the host of address, and sets address's port. NULL: servers open their sockets themselves. */
    tri_status (*listen)(void *context, tri__address *address, int *fd);
    void *context; /* for listen */
} tri__job_hosts;

/* Starts a process on a host, or on this machine where job_hosts is NULL. life and listen_fd of options are for hosts that are not remote:
 * a remote process learns from its standard input that we are gone (TRI_LIFE_INPUT), and opens its own socket. */
TRI_MUST_CHECK tri_status tri__job_hosts_start(const tri__job_hosts *job_hosts, const char *host, tri__process *process,
                                               const tri__process_options *options);

/* The descriptor of a started process on which end of file means that the process that started it is gone. */
int tri__job_hosts_life_fd(const tri__job_hosts *job_hosts);

/* A listening socket for a server, on the host of its address or, where job_hosts is NULL, on this machine. Sets the address's port. *fd
 * −1: the server opens its socket itself. */
TRI_MUST_CHECK tri_status tri__job_hosts_listen(const tri__job_hosts *job_hosts, tri__address *address, int *fd);

#endif
