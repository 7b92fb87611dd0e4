/* team.h: decides how many threads of a run compute on lent tables: all of them, or one.
 *
 * A step over sparse examples is short, and reading them takes as long as computing on them. Where threads that read want the same CPUs, a
 * team waits for its last member again and again, and one thread that leaves the other CPUs alone may be quicker. That depends on data,
 * model and machine, so both are tried for a moment each. The order of a trial is one, all, all, one: a steady change meanwhile, such as
 * pages that are touched for the first time, then counts for both alike. The quicker one works until the next trial. */
#ifndef TRI_TRAIN_STEP_TEAM_H
#define TRI_TRAIN_STEP_TEAM_H

#include <stdint.h>

typedef struct {
    int most;                       /* how many threads there are; up to 1: nothing is tried */
    int turn;                       /* of the trial: 0 to 3; 4: the trial is over */
    int size;                       /* threads that work now */
    int64_t since, steps, examples; /* when the turn began, and what was done in it */
    int64_t time[2], learnt[2];     /* nanoseconds and examples of the trial: [0] of one thread, [1] of all */
} tri__team;

void tri__team_init(tri__team *team, int threads);

/* How many threads compute the step that begins now. now: the clock, nanoseconds; examples: how many the step has. */
int tri__team_next(tri__team *team, int64_t now, int64_t examples);

#endif
