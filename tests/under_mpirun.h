/* under_mpirun.h: tests that start themselves under mpirun, as the ranks that they test. */
#ifndef TESTS_UNDER_MPIRUN_H
#define TESTS_UNDER_MPIRUN_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static inline bool mpirun_is_there(void)
{
    return system("command -v mpirun >/dev/null") == 0;
}

/* Run self as so many ranks, with one word on the command line. Of what sanitizers say of Open MPI, nothing is told: it is not
 * instrumented. */
static inline test_result run_under_mpirun(const char *self, const char *ranks, const char *word)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* Open MPI's own */
    setenv("TSAN_OPTIONS", "suppressions=" TEST_SOURCE "/tests/openmpi.supp", 1);
    return test_run(NULL, (const char *[]){"mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle",
                                           "1", self, word, NULL});
}

/* The ranks succeeded, and one of them said this line. */
static inline void expect_ranks(const char *self, const char *ranks, const char *word, const char *line)
{
    test_result result = run_under_mpirun(self, ranks, word);
    if (result.status || strcmp(result.out, line))
        fail_msg("%s %s: exit %d:\n%s%s", self, word, result.status, result.out, result.err);
    test_result_fini(&result);
}

#endif
