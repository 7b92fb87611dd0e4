/* mpirun.c: how we want mpirun to start ranks. */
#include "train/ranks/mpirun.h"

#include <stddef.h>

void tri__mpirun_add(tri__command_line *line, int ranks, const char *hosts, bool as_root)
{
    /* --bind-to none: the threads of all ranks share the CPUs. Ranks yield while they wait: another rank or a computing thread may need the
     * CPU. --novm: mpirun does not contact hosts that get no rank, since one of them may be gone. */
    const char *const fixed[] = {"--oversubscribe", "--novm", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", NULL};
    const char *const chosen[] = {"--mca", "orte_default_hostfile", hosts, NULL};
    tri__command_line_add(line, "mpirun");
    tri__command_line_add_number(line, "-n", ranks);
    tri__command_line_add_all(line, fixed);
    if (hosts)
        tri__command_line_add_all(line, chosen);
    if (as_root)
        tri__command_line_add(line, "--allow-run-as-root");
}
