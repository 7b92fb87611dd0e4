/* claim.h: a queue of work that processes share through a folder, on one machine or on many with a common file system. No process
 * needs to know the others. They may be started by hand, by mpirun or by srun, and may come and go.
 *
 * A file "<name>.lock" claims an item; its text names the process that has it. If that process is gone, another one takes over its claim:
 * on the same host, as soon as there is no such process; on another host, when the file has not been touched for a while. In rare cases
 * two processes work on the same item, so doing the work twice must do no harm. */
#ifndef TRI_DATA_FILE_CLAIM_H
#define TRI_DATA_FILE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    char *folder;
    char *own;       /* path of this process's file in folder. Claims are links to that file, so touching it touches them all */
    char holder[96]; /* "host pid", the text of a claim */
} tri__claims;

/* folder must exist. */
TRI_MUST_CHECK tri_status tri__claims_init(tri__claims *claims, const char *folder);
void tri__claims_fini(tri__claims *claims);

/* Try to claim an item. No other thread of this process may have it. *got is false if another process works on it. */
TRI_MUST_CHECK tri_status tri__claim_take(tri__claims *claims, const char *name, bool *got);
void tri__claims_touch(tri__claims *claims); /* call it every few seconds during the work, to show that this process lives */
void tri__claim_release(tri__claims *claims, const char *name); /* the work is done, or given up */

/* Remove the files of processes that are gone. */
void tri__claims_sweep(const tri__claims *claims);

#endif
