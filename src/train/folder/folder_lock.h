/* folder_lock.h: one job at a time writes into a run folder.
 *
 * The file `lock` has two kernel locks; the kernel releases each when its process ends, however it ends. The owner of the folder holds the
 * job's lock: a run of one process, rank 0 of ranks that mpirun or srun started, a launcher, a supervisor, or a ps:0 without a supervisor.
 * Tasks that a launcher or supervisor started share the tasks' lock. When their supervisor is killed they still run, and write, for some
 * seconds; so the next owner of the job's lock waits for them. On a file system without locks nothing is protected. */
#ifndef TRI_TRAIN_FOLDER_FOLDER_LOCK_H
#define TRI_TRAIN_FOLDER_FOLDER_LOCK_H

#include <stdbool.h>

#include "trireme/status.h"

typedef struct tri__folder_lock tri__folder_lock;

/* TRI_BAD_CALL where another job has the folder; the message names its host and process. */
TRI_MUST_CHECK tri_status tri__folder_lock_job(const char *folder, tri__folder_lock **out);
TRI_MUST_CHECK tri_status tri__folder_lock_task(const char *folder, tri__folder_lock **out);
bool tri__folder_lock_is_held(const char *folder);     /* by a job or its tasks; false also on a file system without locks */
void tri__folder_lock_release(tri__folder_lock *lock); /* accepts NULL */

#endif
