/* gather.h: how the steps of a sync job come about: whose parts make up a step, and when it is whole. */
#ifndef TRI_STORE_PS_STRETCH_GATHER_H
#define TRI_STORE_PS_STRETCH_GATHER_H

#include "store/ps/stretch/stretch.h"

/* From step on these tasks, in this order, make up each step. Earlier steps keep theirs. */
TRI_MUST_CHECK tri_status tri__stretch_view(tri__stretch *stretch, int64_t step, const int *tasks, int count);

/* With backup workers: these tasks, in this order, make up this one step, which waits for being told. */
TRI_MUST_CHECK tri_status tri__stretch_choose(tri__stretch *stretch, int64_t step, const int *tasks, int count);

/* The task is gone; what it pushed counts, what it did not, up to step, is no longer waited for. After this, and after choose, steps
 * may be complete: settle gives the chunks that moved on, one a call, until it gives false. */
void tri__stretch_leave(tri__stretch *stretch, int task, int64_t step);
bool tri__stretch_settle(tri__stretch *stretch, uint32_t *chunk);

/* With clipping: chunks wait until all are gathered. Then squares is Σ over them of ‖mean gradient‖². scale applies what is gathered of
 * the step, and what will be: a standby that has become the primary may lack parts of a step whose factor ps:0 has told, and have some
 * chunks of it already. True where a chunk moved on. */
bool tri__stretch_gathered(const tri__stretch *stretch, double *squares);
bool tri__stretch_scale(tri__stretch *stretch, tri__clip_factor clip);
tri__clip_factor tri__stretch_clip(const tri__stretch *stretch); /* the last that was told */

/* True where a step that others may wait for lacks this task's part. */
bool tri__stretch_lacks(const tri__stretch *stretch, int task);

size_t tri__stretch_held(const tri__stretch *stretch, int task); /* bytes of its parts that wait for their turn */

#endif
