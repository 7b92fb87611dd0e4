/* program.h: the file of this program, to start it again. */
#ifndef TRI_CLI_PROCESS_PROGRAM_H
#define TRI_CLI_PROCESS_PROGRAM_H

#include <limits.h>

#include "trireme/status.h"

TRI_MUST_CHECK tri_status tri__program_find(char path[PATH_MAX]);

#endif
