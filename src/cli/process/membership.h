/* membership.h: finds out which task or rank of a run this process is, from its options and its environment. */
#ifndef TRI_CLI_PROCESS_MEMBERSHIP_H
#define TRI_CLI_PROCESS_MEMBERSHIP_H

#include "cli/process/session.h"
#include "train/cluster/cluster.h"
#include "train/options/strategy.h"

/* What says that this process is one of the tasks. NONE: nothing does; this process starts the tasks. */
typedef enum { TRI_TOLD_BY_NONE, TRI_TOLD_BY_FILE, TRI_TOLD_BY_JOIN, TRI_TOLD_BY_TF_CONFIG, TRI_TOLD_BY_SLURM } tri__told_by;

typedef struct {
    tri__told_by by;
    tri__cluster cluster; /* where this process starts the tasks: as --cluster describes it, otherwise empty */
    tri__task task;
    int rank, ranks; /* this rank and how many there are, from mpirun or srun; ranks 0: this process starts the ranks */
} tri__membership;

/* strategy says how its processes meet. servers: how many of Slurm's tasks are servers. TRI_BAD_CALL where the options do not go together,
 * or where an option is given that only a cluster has. */
TRI_MUST_CHECK tri_status tri__membership_find(const tri__session *session, const tri__arguments *arguments, const tri__strategy *strategy,
                                               int servers, tri__membership *out);
void tri__membership_fini(tri__membership *membership);

bool tri__membership_is_taken(const tri__membership *membership); /* this process was started as one of several */

#endif
