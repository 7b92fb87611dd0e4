/* invariants.h: what must hold for a job. The first violation ends the job. */
#ifndef TESTS_SIM_INVARIANTS_H
#define TESTS_SIM_INVARIANTS_H

#include <stdint.h>

#include "trireme/store.h"

void sim_violate(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *sim_job_violation(void); /* the first violation; NULL: none */

/* If all workers of a sync job took part in all steps, a snapshot must have the same bits as in every other such run. */
void sim_compare(const char *what, int64_t step, tri_store *model);

void sim_job_check(void); /* after the job is over: do the books add up? */

#endif
