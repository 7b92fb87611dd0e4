/* spread.h: runs one command of this program on several virtual hosts at once, and collects what each of them prints.
 *
 * All hosts get the same words. A command that must know its part of the work gets --part 2/3, which is the second of three. When the
 * command fails on one host, it is ended on the others, and the failure names the host. */
#ifndef TRI_LAB_RUN_SPREAD_H
#define TRI_LAB_RUN_SPREAD_H

#include <signal.h>

#include "base/file/json.h"
#include "base/report/log.h"
#include "lab/cluster/virtual_cluster.h"

typedef struct {
    const char *program;               /* this program's file */
    const tri__virtual_cluster *hosts; /* the hosts that take part; the cluster is up */
    const char *const *words;          /* after the program's name: "data", "speed", …; --json and --quiet are added; ends with NULL */
    bool parts;                        /* add --part */
    const volatile sig_atomic_t *stop; /* how often the user asked to stop; may be NULL */
    tri__log *log;                     /* may be NULL */
} tri__spread;

/* Choose hosts of a cluster that is up. names: their names with commas between them; NULL: all hosts. */
TRI_MUST_CHECK tri_status tri__spread_choose(const char *cluster, const char *names, tri__virtual_cluster *out);

/* Returns when the command has ended on all hosts. out: a JSON array of what each printed, in the order of the hosts; drop it. */
TRI_MUST_CHECK tri_status tri__spread_run(const tri__spread *spread, json_t **out);

#endif
