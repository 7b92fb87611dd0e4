/* supervised.h: a process that this one supervises: started with it, started again when it dies, and ended with it. */
#ifndef TRI_CLI_PROCESS_SUPERVISED_H
#define TRI_CLI_PROCESS_SUPERVISED_H

#include "base/log.h"
#include "train/job/command_line.h"

typedef struct tri__supervised tri__supervised;

/* Run a program: the first of the line's words, which are taken over, and *line is empty then. What it says goes into log, behind its name.
 * In it, TRI_LIFE_FD (train/job/process.h) comes to its end when this process is gone. farewell: the signal by which this process hears
 * that it is not started again. */
TRI_MUST_CHECK tri_status tri__supervised_start(const char *name, tri__command_line *line, int farewell, tri__log *log,
                                                tri__supervised **out);
void tri__supervised_end(tri__supervised *supervised); /* it has some seconds to end by itself, and is made to; accepts NULL */

#endif
