/* exit.h: how a process ended, as text for messages and as a tri_code. */
#ifndef TRI_TRAIN_JOB_EXIT_H
#define TRI_TRAIN_JOB_EXIT_H

#include <stdbool.h>

#include "trireme/status.h"

enum { TRI_EXIT_SIZE = 1024 };

typedef struct {
    int status, signal; /* signal: what ended the process; 0: it exited with `status` */
} tri__exit;

bool tri__exit_is_good(tri__exit ending); /* the process ended by itself, with exit status 0 */

/* "was killed by signal 9 (Killed)", "failed: why" where complaint is not NULL, or "failed with exit status 1". Returns text. */
const char *tri__exit_text(tri__exit ending, const char *complaint, char text[TRI_EXIT_SIZE]);

/* The code of a failure: TRI_BAD_CALL where the exit status says that the call was wrong, otherwise TRI_INTERNAL. */
tri_code tri__exit_code(tri__exit ending);

#endif
