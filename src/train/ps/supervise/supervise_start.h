/* supervise_start.h: prepares a supervised job, and starts its tasks. */
#ifndef TRI_TRAIN_PS_SUPERVISE_SUPERVISE_START_H
#define TRI_TRAIN_PS_SUPERVISE_SUPERVISE_START_H

#include "train/ps/supervise/supervise_inside.h"

/* Makes the folder, the sockets, the cluster file and the list of tasks; starts nothing. The watcher calls the handlers with the
 * supervisor. Call fini after a failure, too. */
TRI_MUST_CHECK tri_status tri__supervisor_init(tri__supervisor *supervisor, const tri__supervision *request,
                                               const tri__watcher_options *handlers);
void tri__supervisor_fini(tri__supervisor *supervisor); /* kills tasks that still run */

/* recover: the task replaces a server that died. */
TRI_MUST_CHECK tri_status tri__task_process_start(tri__task_process *task, bool recover);

#endif
