/* undo.h: what the chunks of a sync stretch were before their last step (--replicas 2).
 *
 * When ps:0 is lost in the midst of a step, some chunks have that step and others do not. They are never further apart: a worker pushes for
 * a step when it has what all chunks were before it. So a copy of the whole model as of the step before can always be put together. */
#ifndef TRI_STORE_PS_STRETCH_UNDO_H
#define TRI_STORE_PS_STRETCH_UNDO_H

#include "store/ps/protocol/keyed.h"
#include "store/ps/stretch/stretch.h"

/* Copy one slot of a chunk as it was after so many steps, now or before its last step: [count of tri__stretch_floats]. False: it is
 * neither. */
TRI_MUST_CHECK bool tri__stretch_read_at(tri__stretch *stretch, uint32_t chunk, int slot, int64_t step, float *out);
/* The same of all rows of a table: [rows][width] */
TRI_MUST_CHECK bool tri__stretch_read_rows_at(tri__stretch *stretch, uint32_t chunk, int64_t rows, int slot, int64_t step, float *out);
/* The same of the weights of the listed rows: [list->count][width] */
TRI_MUST_CHECK bool tri__stretch_read_listed_at(tri__stretch *stretch, uint32_t chunk, const tri__row_list *list, int64_t step, float *out);

#endif
