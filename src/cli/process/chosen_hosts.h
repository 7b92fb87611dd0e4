/* chosen_hosts.h: the hosts that the user chose for the processes of a run: with --on, hosts of a virtual cluster; with --cluster alone,
 * the hosts that its file lists, which are reached by ssh. */
#ifndef TRI_CLI_PROCESS_CHOSEN_HOSTS_H
#define TRI_CLI_PROCESS_CHOSEN_HOSTS_H

#include "cli/process/program.h"
#include "cli/table/option.h"
#include "lab/cluster/virtual_cluster.h"
#include "train/job/job_hosts.h"
#include "train/options/strategy.h"

enum { TRI_REACH_WORDS = 32 };

typedef struct {
    const char *on;             /* the name of the virtual cluster; NULL: there is none */
    bool elsewhere;             /* processes run on other hosts, real or virtual */
    tri__virtual_cluster hosts; /* with --on */
    char program[PATH_MAX];
    char ssh[PATH_MAX]; /* the words of --ssh */
    const char *reach[TRI_REACH_WORDS];
    tri__job_hosts job_hosts;
} tri__chosen_hosts;

/* listed: the cluster of --cluster, or an empty one. With an empty one, `servers` servers and `workers` workers are distributed over the
 * hosts; a strategy that starts no processes runs on the first host. *out points into itself: it must not move. Call fini after a failure,
 * too. */
TRI_MUST_CHECK tri_status tri__chosen_hosts_open(const tri__arguments *arguments, const tri__strategy *strategy, const tri__cluster *listed,
                                                 int servers, int workers, tri__chosen_hosts *out);
void tri__chosen_hosts_fini(tri__chosen_hosts *chosen);

const tri__job_hosts *tri__chosen_hosts_of_job(const tri__chosen_hosts *chosen); /* NULL: processes are started on this machine */

/* Puts this process, which trains alone, on the first host. Does nothing without --on. */
TRI_MUST_CHECK tri_status tri__chosen_hosts_enter(const tri__chosen_hosts *chosen);

#endif
