/* openmp.c: how OpenMP's threads wait.
 *
 * A small model's step has dozens of places where threads wait for each other, for microseconds: they must spin, because waking a thread
 * takes a hundred microseconds. But libgomp spins for milliseconds. When another program takes a CPU, a thread wastes its CPU time waiting
 * for a thread that is not running: two threads become slower than one. A thousand rounds of spinning are as quick on a quiet machine and
 * twice as quick on a busy one. libgomp reads this number when it is loaded, before main, so the program executes itself once more. */
#include "cli/process/openmp.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/process/program.h"

#define SPINS "1000"

void tri__openmp_settle(char *const *argv)
{
    char path[PATH_MAX];
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    tri_status unknown = tri__program_find(path);
    if (!unknown && !setenv("GOMP_SPINCOUNT", SPINS, 0))
        execv(path, argv);
    tri_status_free(unknown);
}
