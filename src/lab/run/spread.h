/* spread.h: one command of this program on several virtual hosts at once, and what each of them printed.
 *
 * All hosts get the same words; a command that has to know which part is its own is told by --part 2/3, the second of three. It returns
 * when all have ended. Where one fails, the others are ended, and the failure names the host. */
#ifndef TRI_LAB_RUN_SPREAD_H
#define TRI_LAB_RUN_SPREAD_H

#include <signal.h>

#include "base/file/json.h"
#include "base/report/log.h"
#include "lab/cluster/virtual_cluster.h"

typedef struct {
    const char *program;               /* this one's file */
    const tri__virtual_cluster *hosts; /* those that take part; the cluster is up */
    const char *const *words;          /* behind the program's name: "data", "speed", …; --json and --quiet are added; ends with NULL */
    bool parts;                        /* add --part */
    const volatile sig_atomic_t *stop; /* how often the user asked to stop; may be NULL */
    tri__log *log;                     /* may be NULL */
} tri__spread;

/* The hosts of a cluster that is up: those with these names, which have commas between, or all where names is NULL. */
TRI_MUST_CHECK tri_status tri__spread_choose(const char *cluster, const char *names, tri__virtual_cluster *out);

/* out: [hosts] what each printed, in the order of the hosts; drop it. */
TRI_MUST_CHECK tri_status tri__spread_run(const tri__spread *spread, json_t **out);

#endif
