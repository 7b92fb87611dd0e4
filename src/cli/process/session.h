/* session.h: one call of the program: where its output goes, and what its environment says. */
#ifndef TRI_CLI_PROCESS_SESSION_H
#define TRI_CLI_PROCESS_SESSION_H

#include <stdio.h>

#include "base/file/json.h"
#include "base/report/log.h"
#include "cli/process/relay.h"
#include "cli/table/help.h"
#include "cli/table/option.h"
#include "cli/terminal/terminal.h"
#include "train/cluster/slurm.h"
#include "trireme/tensor.h"

struct tri__session {
    FILE *out;              /* results */
    tri__terminal terminal; /* messages and the live line, on standard error */
    tri__log *log;          /* the terminal, as a log for the other folders of src */
    tri__relay *relay;      /* of a task that a supervisor started: takes what is written to out and to the terminal; otherwise NULL */
    bool quiet, json;
    bool serves;           /* another process manages this one: when a signal has ended it, it exits with 0 */
    int exit_status;       /* of a run that a signal to another of its processes ended; 0: elsewhere */
    bool told;             /* the failure that the command will return has been reported already */
    char *cache_folder;    /* $XDG_CACHE_HOME/trireme or ~/.cache/trireme; NULL where neither is known */
    const char *tf_config; /* $TF_CONFIG; NULL where it is not set */
    const char *hosts;     /* $OMPI_MCA_orte_default_hostfile: the file of hosts that mpirun reads */
    tri__slurm slurm;      /* the variables of a job step: those of srun, not of the batch script */
    int rank, ranks;       /* this rank and how many there are, from mpirun or srun; ranks 0: neither started this process */
    bool strangers;        /* the ranks cannot find each other: srun was called without --mpi */
    int64_t started;       /* tri__clock_now when the process began */
    int argc;              /* the command line as it was typed, the program's name included */
    const char *const *argv;
};

void tri__session_init(tri__session *session, int argc, const char *const *argv);
void tri__session_fini(tri__session *session);

/* TRI_BAD_CALL where ranks were started that cannot find each other: MPI would end them with a message of its own. */
TRI_MUST_CHECK tri_status tri__session_check_ranks(const tri__session *session);

/* From now on, writing to standard output and standard error does not wait for their readers; only fini does. */
TRI_MUST_CHECK tri_status tri__session_relay(tri__session *session);

/* Write what was printed so far. TRI_IO where it cannot be written: results that nobody gets are a failure like any other. */
TRI_MUST_CHECK tri_status tri__session_flush(tri__session *session);

/* Print value as one line of standard output and drop it. TRI_NO_MEMORY where value is NULL, so that callers need not check. */
TRI_MUST_CHECK tri_status tri__session_print_json(tri__session *session, json_t *value);

/* Standard output as a page for help: its width, and whether it shows bold. */
tri__page tri__session_page(const tri__session *session);

#endif
