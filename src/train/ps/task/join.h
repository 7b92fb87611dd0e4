/* join.h: a worker that joins a running job asks ps:0 for its number and the servers. */
#ifndef TRI_TRAIN_PS_TASK_JOIN_H
#define TRI_TRAIN_PS_TASK_JOIN_H

#include "store/ps/protocol/settings.h"
#include "train/ps/task/task.h"

/* Ask ps:0, the only server that setup knows. joined receives setup with the answer filled in. Of job, the mode, the numbers of workers,
 * servers and backups, the staleness and how gradients are combined are set as in the running job. End cluster with tri__cluster_fini. */
TRI_MUST_CHECK tri_status tri__join(const tri__task_setup *setup, int64_t timeout, tri__cluster *cluster, tri__task_setup *joined,
                                    tri__ps_settings *job);

#endif
