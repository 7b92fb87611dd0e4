/* ranks.h: what tests of ranks share: runs in the background, the ranks of them, and the parameters that they end with. */
#ifndef TESTS_CLI_RANKS_H
#define TESTS_CLI_RANKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/binary.h"
#include "train/checkpoint/checkpoint_read.h"

#define TRAIN "train", "softmax", "--data", "digits:500", "--rule", "sgd", "--eval-every", "end", "--quiet", "--threads", "1"

/* Whether mpirun is there; says so where it is not. Of the ranks, what sanitizers say of Open MPI is left out from now on: it is not
 * instrumented, and leaks in modules that are gone at the end. */
bool ranks_can_run(void);

/* ‖a − b‖ / ‖a‖ over all tensors of the newest checkpoints of two runs, which must have come equally far; or as many steps, with other
 * examples. */
double ranks_distance(const char *here, const char *a, const char *b);
double ranks_distance_of_steps(const char *here, const char *a, const char *b);

pid_t ranks_start(const char *here, const char *const *arguments); /* in the folder here, where its words go to out and err */
int ranks_end(pid_t run);                                          /* waits; its exit status, −1 where it was killed */
void ranks_assert_said(const char *here, const char *text);
void ranks_await_said(const char *here, const char *text);
tri__checkpoint *ranks_newest(const char *here, const char *name);                 /* the newest checkpoint of a run: the caller's */
int64_t ranks_await_checkpoint(const char *here, const char *name, int64_t after); /* its step, which is to be after another one; −1: any */
void ranks_signal(const char *here, int signal);                                   /* to all of its ranks */
pid_t ranks_find(const char *here); /* a rank of the run that was started in the folder here; 0: there is none */
void ranks_await_none(const char *here);
int ranks_pairs(const char *here, const char *run); /* how many ranks counted bytes of how many peers; both ends must have the same ones */
pid_t ranks_mpirun(const char *here);               /* the mpirun of that run, which has ranks */

#endif
