/* second_server.h: the second servers of other servers' ranges (--replicas 2). Each runs in a thread of this server's process, on a port
 * that the system chooses; ps:0 tells that port to all tasks. A process runs one second server. ps:1 of three servers or more runs two:
 * also that of ps:0. */
#ifndef TRI_TRAIN_PS_TASK_SECOND_SERVER_H
#define TRI_TRAIN_PS_TASK_SECOND_SERVER_H

#include <pthread.h>

#include "store/ps/server/server.h"
#include "train/ps/task/task.h"

typedef struct {
    tri__server_options options;
    tri__address address; /* its host is borrowed from the cluster */
    int host;             /* ps:host runs it */
    bool runs, abandoned; /* abandoned: atomic */
    pthread_t thread;
} tri__second_server;

typedef struct {
    tri__second_server second[2];
    int count;
} tri__second_servers;

/* Starts the second servers of this process, if it has any; `first` is its own server, whose log and traffic they share. The caller ends
 * them; the struct must not move until then. When a second server fails, the log says so, and its range is then on one server only. */
TRI_MUST_CHECK tri_status tri__second_servers_start(tri__second_servers *all, const tri__task_setup *setup, const tri__ps_settings *ps,
                                                    const tri__server_options *first);
void tri__second_servers_end(tri__second_servers *all);

#endif
