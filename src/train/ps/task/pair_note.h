/* pair_note.h: a file of the run folder that is there as long as the standby of ps:0's range has all that ps:0 has answered for
 * (store/ps/coordinator/servers/handover.h). */
#ifndef TRI_TRAIN_PS_TASK_PAIR_NOTE_H
#define TRI_TRAIN_PS_TASK_PAIR_NOTE_H

#include <stdint.h>

#include "trireme/status.h"

TRI_MUST_CHECK tri_status tri__pair_note_write(const char *folder, uint32_t pair); /* 0: remove it; it is on disk when this returns */
uint32_t tri__pair_note_read(const char *folder);                                  /* 0: there is none */

#endif
