/* place.h: which task of which cluster this process is, by its options and its surroundings. */
#ifndef TRI_CLI_PROCESS_PLACE_H
#define TRI_CLI_PROCESS_PLACE_H

#include "cli/process/session.h"
#include "train/cluster/cluster.h"

typedef struct {
    const char *by; /* what described the cluster: "--cluster", "TF_CONFIG", …; NULL: nothing did, and the tasks are to be started here */
    tri__cluster cluster;
    tri__task task;
} tri__place;

/* servers: how many of Slurm's ranks are servers. TRI_BAD_CALL where the options do not go together. */
TRI_MUST_CHECK tri_status tri__place_find(const tri__session *session, const tri__arguments *arguments, int servers, tri__place *out);
void tri__place_fini(tri__place *place);

/* TRI_BAD_CALL where an option is given that only means something to a cluster, and the strategy has none. */
TRI_MUST_CHECK tri_status tri__place_none(const tri__arguments *arguments);

#endif
