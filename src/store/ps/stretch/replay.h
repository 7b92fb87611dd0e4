/* replay.h: two servers with the same range: one applies pushes, the other repeats its updates, and comes to the same bits. */
#ifndef TRI_STORE_PS_STRETCH_REPLAY_H
#define TRI_STORE_PS_STRETCH_REPLAY_H

#include "store/ps/stretch/stretch.h"

/* What a range's other server learns: an update; a chunk's step, after its floats were written; the last push of a task that is in it; who
 * makes up a step, where it is not known already; who has left. TRI_BAD_DATA where an update is not the next one. */
TRI_MUST_CHECK tri_status tri__stretch_replay(tri__stretch *stretch, const tri__applied *update);
void tri__stretch_stand(tri__stretch *stretch, uint32_t chunk, int64_t step);
TRI_MUST_CHECK tri_status tri__stretch_know(tri__stretch *stretch, uint32_t chunk, int task, int64_t serial);
TRI_MUST_CHECK tri_status tri__stretch_learn_order(tri__stretch *stretch, int64_t step, const int *tasks, int count);
void tri__stretch_learn_left(tri__stretch *stretch, int task, int64_t step);

/* … and what it is told: −1 where there is none; orders from 0 on, the latest first, until false. */
int64_t tri__stretch_known(const tri__stretch *stretch, uint32_t chunk, int task);
int64_t tri__stretch_left(const tri__stretch *stretch, int task);
bool tri__stretch_order(const tri__stretch *stretch, int index, int64_t *step, const int **tasks, int *count);

#endif
