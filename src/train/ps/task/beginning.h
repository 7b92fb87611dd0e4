/* beginning.h: where a job began: all zeros for a new run; for a resumed run, what its earlier jobs had done. A file in the run folder
 * keeps it, because a ps:0 that replaces a dead one cannot tell it from the newest checkpoint: that may be of an earlier job. */
#ifndef TRI_TRAIN_PS_TASK_BEGINNING_H
#define TRI_TRAIN_PS_TASK_BEGINNING_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    int64_t step, examples;
    double seconds;
} tri__beginning;

TRI_MUST_CHECK tri_status tri__beginning_write(const char *folder, const tri__beginning *began);
TRI_MUST_CHECK tri_status tri__beginning_read(const char *folder, tri__beginning *out); /* TRI_NOT_FOUND: no job has begun here */

#endif
