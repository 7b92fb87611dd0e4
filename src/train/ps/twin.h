/* twin.h: the twin of another server (--replicas 2), in a thread of a server's process, on a port of its own that the system chooses. ps:0
 * tells everybody where that is. */
#ifndef TRI_TRAIN_PS_TWIN_H
#define TRI_TRAIN_PS_TWIN_H

#include <pthread.h>

#include "store/ps/server/server.h"
#include "train/ps/task.h"

typedef struct {
    tri__server_options options;
    tri__address address; /* its host is the cluster's */
    int host;             /* ps:host runs it */
    bool runs, abandoned; /* abandoned: atomic */
    pthread_t thread;
} tri__twin;

/* Begins the twin that this server's process runs, if it runs one. The twin is the caller's to end, and stays where it is until then. A
 * twin that fails is told to the log, and its range lives on one server. */
TRI_MUST_CHECK tri_status tri__twin_start(tri__twin *twin, const tri__task_setup *setup, const tri__ps_settings *ps, tri__log *log);
void tri__twin_end(tri__twin *twin); /* accepts one that was not begun */

#endif
