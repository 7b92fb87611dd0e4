/* second_server.h: the second servers of other servers' ranges (--replicas 2). Each runs in a thread of this server's process, on a port
 * that the system chooses; ps:0 tells everybody which. A process runs one; ps:1 of three servers or more runs two: that of ps:0, too. */
#ifndef TRI_TRAIN_PS_TASK_SECOND_SERVER_H
#define TRI_TRAIN_PS_TASK_SECOND_SERVER_H

#include <pthread.h>

#include "store/ps/server/server.h"
#include "train/ps/task/task.h"

typedef struct {
    tri__server_options options;
    tri__address address; /* its host is the cluster's */
    int host;             /* ps:host runs it */
    bool runs, abandoned; /* abandoned: atomic */
    pthread_t thread;
} tri__second_server;

typedef struct {
    tri__second_server second[2];
    int count;
} tri__second_servers;

/* Starts the second servers that this process is to run, if it is to run any. The caller ends them, and leaves the struct where it is until
 * then. When a second server fails, the log says so, and its range lives on one server. */
TRI_MUST_CHECK tri_status tri__second_servers_start(tri__second_servers *all, const tri__task_setup *setup, const tri__ps_settings *ps,
                                                    tri__log *log);
void tri__second_servers_end(tri__second_servers *all);

#endif
