/* folder_lock.h: one job at a time writes into a run folder.
 *
 * Two locks of the kernel's on the file `lock`, so that each ends with the process that holds it, however that ends. The job's lock is held
 * by whoever the folder belongs to: a run alone, rank 0 of ranks that nobody launched, a launcher, a supervisor, a ps:0 that none started.
 * Tasks that a launcher or supervisor started share the tasks' lock: they outlive one that was killed by some seconds, in which they still
 * write, and whoever takes the job's lock next waits for them. A file system without locks protects nothing. */
#ifndef TRI_TRAIN_RUN_FOLDER_LOCK_H
#define TRI_TRAIN_RUN_FOLDER_LOCK_H

#include "trireme/status.h"

typedef struct tri__folder_lock tri__folder_lock;

/* TRI_BAD_CALL where another job has the folder; the message names its host and process. */
TRI_MUST_CHECK tri_status tri__folder_lock_job(const char *folder, tri__folder_lock **out);
TRI_MUST_CHECK tri_status tri__folder_lock_task(const char *folder, tri__folder_lock **out);
void tri__folder_lock_release(tri__folder_lock *lock); /* accepts NULL */

#endif
