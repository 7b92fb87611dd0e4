/* supervised.h: a child process that this process supervises: starts it, starts it again when it dies, and ends it at its own end. */
#ifndef TRI_CLI_PROCESS_SUPERVISED_H
#define TRI_CLI_PROCESS_SUPERVISED_H

#include "base/report/log.h"
#include "train/job/command_line.h"

typedef struct tri__supervised tri__supervised;

/* Run a program: the first word of line. Takes the words and leaves *line empty. The program's output goes to log, with `name` before each
 * line. The program gets TRI_LIFE_FD (train/job/process.h), which reports end of file when this process is gone. farewell: the signal that
 * this process sends itself when it gives the program up. */
TRI_MUST_CHECK tri_status tri__supervised_start(const char *name, tri__command_line *line, int farewell, tri__log *log,
                                                tri__supervised **out);
void tri__supervised_end(tri__supervised *supervised); /* asks the program to end, and kills it after some seconds; accepts NULL */

#endif
