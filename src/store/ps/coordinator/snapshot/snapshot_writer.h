/* snapshot_writer.h: the thread that writes a snapshot to disk (snapshot.h draws its states).
 *
 * A disk may be slow, or not answer at all. The first time that steps wait for it for two heartbeats, the log says so. When a checkpoint
 * takes longer than the timeout, it is overdue: the log names it, and training goes on, without further checkpoints and evaluations, until
 * it is written. A job that is asked to end waits for one more timeout; then it fails, and the message says that its last steps could not
 * be saved. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_WRITER_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_WRITER_H

#include "store/ps/coordinator/snapshot/snapshot.h"

void tri__snapshot_write(tri__coordinator *coordinator, bool best); /* starts the thread */

/* Waits for the thread. If what it writes is overdue, the owner gives up first, which ends the process: a thread in a call of the system
 * cannot be interrupted. */
void tri__snapshot_end_writer(tri__coordinator *coordinator);

#endif
