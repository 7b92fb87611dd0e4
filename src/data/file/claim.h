/* claim.h: a queue of work that processes share through a folder: on one machine, or on many with a file system in common. No process
 * knows of the others, so they may be started by hand, by mpirun or by srun, and come and go.
 *
 * An item is claimed by a file "<name>.lock" that says who has it. The claim of a process that is gone is taken over: on this host, as
 * soon as there is no such process; from another one, when the file has not been touched for a while. In rare moments two may come to
 * work on the same item: work must be such that doing it twice does no harm. */
#ifndef TRI_DATA_FILE_CLAIM_H
#define TRI_DATA_FILE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    char *folder;
    char *own;       /* a file of this process in it. Claims are links to it, so touching it touches them all */
    char holder[96]; /* "host pid", as claims say it */
} tri__claims;

/* folder must be there. */
TRI_MUST_CHECK tri_status tri__claims_init(tri__claims *claims, const char *folder);
void tri__claims_fini(tri__claims *claims);

/* Try to claim an item, which no other thread of this process has. *got is false where another process is at work on it. */
TRI_MUST_CHECK tri_status tri__claim_take(tri__claims *claims, const char *name, bool *got);
void tri__claims_touch(tri__claims *claims);                    /* every few seconds while at work on any: this process lives */
void tri__claim_release(tri__claims *claims, const char *name); /* done, or given up */

/* Remove the files of processes that are gone. */
void tri__claims_sweep(const tri__claims *claims);

#endif
