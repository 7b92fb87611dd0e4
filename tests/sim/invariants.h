/* invariants.h: what must hold of a job. The first thing that does not ends it. */
#ifndef TESTS_SIM_INVARIANTS_H
#define TESTS_SIM_INVARIANTS_H

#include <stdint.h>

#include "trireme/store.h"

void sim_violate(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *sim_job_violation(void); /* what must hold and did not; NULL */

/* A snapshot of a sync job in which all workers took part in all steps is what it is in every such run. */
void sim_compare(const char *what, int64_t step, tri_store *model);

void sim_job_check(void); /* after it is over: do the books add up? */

#endif
