/* undo.h: what the chunks of a sync stretch were before their last step (--replicas 2).
 *
 * When ps:0 is lost in the middle of a step, some chunks have that step and others do not. They are never further apart: a worker pushes
 * for a step only when it has all chunks as they were before it. So the whole model before that step can always be copied. */
#ifndef TRI_STORE_PS_STRETCH_UNDO_H
#define TRI_STORE_PS_STRETCH_UNDO_H

#include "store/ps/protocol/keyed.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/stretch.h"

/* Copies one slot of a chunk as it was after `step` steps: [count of tri__stretch_floats]. That must be now, or before its last step.
 * False: it is neither. */
TRI_MUST_CHECK bool tri__stretch_read_at(tri__stretch *stretch, uint32_t chunk, int slot, int64_t step, float *out);
/* Begins a copy of a table as it was after `step` steps (tri__table_shard_begin_copy). TRI_NOT_FOUND: that is neither. */
TRI_MUST_CHECK tri_status tri__stretch_begin_copy_at(tri__stretch *stretch, uint32_t chunk, int64_t step);
/* As read_at, for the weights of the listed rows: [list->count][width] */
TRI_MUST_CHECK bool tri__stretch_read_listed_at(tri__stretch *stretch, uint32_t chunk, const tri__row_list *list, int64_t step, float *out);
/* Where tables grow: takes the cells of the keys as they were after `step` steps, when *rows keys had a row; in async as they are now.
 * TRI_NOT_FOUND: that is neither now nor before the last step. */
TRI_MUST_CHECK tri_status tri__stretch_read_keys_at(tri__stretch *stretch, int server, int servers, int64_t step, tri__key_cells *cells,
                                                    int64_t *rows);

#endif
