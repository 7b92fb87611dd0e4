/* clocks.h: bounded staleness: does a worker read what the bound promises?
 *
 * A worker that has done c steps, with those of the slowest when it joined, reads for its next step parameters that contain the first
 * c − staleness steps of every other worker (Ho et al., "More effective distributed ML via a stale synchronous parallel parameter server",
 * 2013). Clocks follow the coordinator's tokens; parameters that count the updates of each worker tell what was read. */
#ifndef TESTS_SIM_CLOCKS_H
#define TESTS_SIM_CLOCKS_H

#include <stdint.h>

/* These are all parameters that the worker reads in this step. */
void sim_check_read(int worker, int64_t step, const float *parameters);

#endif
