/* gather.h: how a server gathers the steps of a sync job: whose parts make up a step, and when it is whole. */
#ifndef TRI_STORE_PS_STRETCH_GATHER_H
#define TRI_STORE_PS_STRETCH_GATHER_H

#include "store/ps/stretch/stretch.h"

/* From `step` on, these tasks, in this order, make up each step. Earlier steps keep their tasks. */
TRI_MUST_CHECK tri_status tri__stretch_view(tri__stretch *stretch, int64_t step, const int *tasks, int count);

/* With backup workers: these tasks, in this order, make up this one step. The step waits for this call. */
TRI_MUST_CHECK tri_status tri__stretch_choose(tri__stretch *stretch, int64_t step, const int *tasks, int count);

/* The task has left. What it pushed counts; what it did not push, up to `step`, is no longer awaited. After this call, and after choose,
 * steps may be complete: each call of settle applies a step of one chunk and returns true, until none is left. */
void tri__stretch_leave(tri__stretch *stretch, int task, int64_t step);
bool tri__stretch_settle(tri__stretch *stretch, uint32_t *chunk);

/* With clipping: chunks wait until all are gathered. Then gathered returns true, and *squares is Σ over the chunks of ‖mean gradient‖².
 * scale applies the chunks that are gathered, and chunks that are gathered later are applied at once: a standby that has become the primary
 * may lack parts of a step whose factor ps:0 has sent. scale returns true if a chunk moved on. */
bool tri__stretch_gathered(const tri__stretch *stretch, double *squares);
bool tri__stretch_scale(tri__stretch *stretch, tri__clip_factor clip);
tri__clip_factor tri__stretch_clip(const tri__stretch *stretch); /* the last factor that scale was given */

/* True if this task's part of a present step is missing, so that others may wait for it. */
bool tri__stretch_lacks(const tri__stretch *stretch, int task);

size_t tri__stretch_held(const tri__stretch *stretch, int task); /* bytes of the task's parts that wait for their turn */

#endif
