/* tool.h: runs a program of the system to its end. */
#ifndef TRI_LAB_CLUSTER_TOOL_H
#define TRI_LAB_CLUSTER_TOOL_H

#include "trireme/status.h"

/* Run the words of a command line, split at single spaces, and wait until it has ended. TRI_IO where the program failed, with what it
 * printed; TRI_NOT_FOUND where there is no such program. */
TRI_MUST_CHECK tri_status tri__tool_run(const char *format, ...) TRI_FORMAT(1, 2);

/* The same. *out receives the program's standard output; free() it. */
TRI_MUST_CHECK tri_status tri__tool_read(char **out, const char *format, ...) TRI_FORMAT(2, 3);

#endif
