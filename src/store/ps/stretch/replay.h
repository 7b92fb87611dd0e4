/* replay.h: two servers with the same range: the primary applies pushes; the standby repeats its updates, and gets the same bits. */
#ifndef TRI_STORE_PS_STRETCH_REPLAY_H
#define TRI_STORE_PS_STRETCH_REPLAY_H

#include "store/ps/stretch/stretch.h"

/* What the standby learns. replay: an update; TRI_BAD_DATA where it is not the next one. stand: the step of a chunk, after its floats were
 * written. know: the task's last push that is in the chunk. learn_order: the tasks that make up a step, unless they are known already.
 * learn_left: a task that has left. */
TRI_MUST_CHECK tri_status tri__stretch_replay(tri__stretch *stretch, const tri__applied *update);
void tri__stretch_stand(tri__stretch *stretch, uint32_t chunk, int64_t step);
TRI_MUST_CHECK tri_status tri__stretch_know(tri__stretch *stretch, uint32_t chunk, int task, int64_t serial);
TRI_MUST_CHECK tri_status tri__stretch_learn_order(tri__stretch *stretch, int64_t step, const int *tasks, int count);
void tri__stretch_learn_left(tri__stretch *stretch, int task, int64_t step);
/* Where tables grow. learn_keys: cells of the keys, from `position` on; learn_counted: the last step whose sightings are counted, and, in
 * async, the serial of the task's last push whose sightings are; −1: none. */
TRI_MUST_CHECK tri_status tri__stretch_learn_keys(tri__stretch *stretch, int server, int servers, int64_t position,
                                                  const tri__key_cell *cell, int64_t count);
void tri__stretch_learn_counted_step(tri__stretch *stretch, int64_t step);
void tri__stretch_learn_counted(tri__stretch *stretch, int task, int64_t serial);

/* What the primary tells its standby. known: the serial of the task's last push; left: the step up to which the task has left; −1: none.
 * order: the tasks of a step, index 0 for the latest; false: there is no such index. counted_step and counted: as learnt above. */
int64_t tri__stretch_known(const tri__stretch *stretch, uint32_t chunk, int task);
int64_t tri__stretch_counted_step(const tri__stretch *stretch);
int64_t tri__stretch_counted(const tri__stretch *stretch, int task);
int64_t tri__stretch_left(const tri__stretch *stretch, int task);
bool tri__stretch_order(const tri__stretch *stretch, int index, int64_t *step, const int **tasks, int *count);

#endif
