/* pair_note.h: a file in the run folder. It exists as long as the standby of ps:0's range has every update that ps:0 has acknowledged
 * (store/ps/coordinator/servers/handover.h). */
#ifndef TRI_TRAIN_PS_TASK_PAIR_NOTE_H
#define TRI_TRAIN_PS_TASK_PAIR_NOTE_H

#include <stdint.h>

#include "trireme/status.h"

TRI_MUST_CHECK tri_status tri__pair_note_write(const char *folder, uint32_t pair); /* pair 0: remove the file; synced to disk */
uint32_t tri__pair_note_read(const char *folder);                                  /* 0: there is no file */

#endif
