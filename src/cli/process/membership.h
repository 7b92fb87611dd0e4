/* membership.h: finds out which of the processes that train together this one is, from its options and its environment. */
#ifndef TRI_CLI_PROCESS_MEMBERSHIP_H
#define TRI_CLI_PROCESS_MEMBERSHIP_H

#include "cli/process/session.h"
#include "train/cluster/cluster.h"
#include "train/options/strategy.h"

typedef struct {
    const char
        *by; /* what said that this is one of the tasks: "--cluster", "TF_CONFIG", …; NULL: nothing did, so this process starts them */
    tri__cluster cluster; /* of tasks to be started: as --cluster describes it, otherwise empty */
    tri__task task;
    int rank, ranks; /* as mpirun or srun numbered them; ranks is 0 if neither started this process, which then starts the ranks */
} tri__membership;

/* strategy says how its processes meet. servers: how many of Slurm's tasks are servers. TRI_BAD_CALL where the options do not go together,
 * or one is given that only means something to a cluster. */
TRI_MUST_CHECK tri_status tri__membership_find(const tri__session *session, const tri__arguments *arguments, const tri__strategy *strategy,
                                               int servers, tri__membership *out);
void tri__membership_fini(tri__membership *membership);

bool tri__membership_is_taken(const tri__membership *membership); /* somebody has started this process as one of several */

#endif
