/* placing.h: on which hosts the processes of a run are started: with --on, on those of a virtual cluster; with --cluster alone, on those
 * that it lists, by ssh. */
#ifndef TRI_CLI_PROCESS_PLACING_H
#define TRI_CLI_PROCESS_PLACING_H

#include "cli/process/program.h"
#include "cli/table/option.h"
#include "lab/cluster/virtual_cluster.h"
#include "train/job/placement.h"
#include "train/options/strategy.h"

enum { TRI_REACH_WORDS = 32 };

typedef struct {
    const char *on;             /* the name of the virtual cluster; NULL: there is none */
    bool placed;                /* not on this machine */
    tri__virtual_cluster hosts; /* with --on */
    char program[PATH_MAX];
    char ssh[PATH_MAX]; /* the words of --ssh */
    const char *reach[TRI_REACH_WORDS];
    tri__placement placement;
} tri__placing;

/* listed: where --cluster places the tasks, or an empty one. Otherwise servers and workers say how many are to be dealt out over the hosts;
 * a strategy that starts no processes has all of them on the first host. *out keeps pointers to itself: it must not move. Call fini after
 * a failure, too. */
TRI_MUST_CHECK tri_status tri__placing_open(const tri__arguments *arguments, const tri__strategy *strategy, const tri__cluster *listed,
                                            int servers, int workers, tri__placing *out);
void tri__placing_fini(tri__placing *placing);

const tri__placement *tri__placing_placement(const tri__placing *placing); /* NULL: processes are started on this machine */

/* Puts this process, which trains alone, on the first host. Does nothing without --on. */
TRI_MUST_CHECK tri_status tri__placing_enter(const tri__placing *placing);

#endif
