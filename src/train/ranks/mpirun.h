/* mpirun.h: the command line of mpirun, up to the program that its ranks run. */
#ifndef TRI_TRAIN_RANKS_MPIRUN_H
#define TRI_TRAIN_RANKS_MPIRUN_H

#include <stdbool.h>

#include "train/job/command_line.h"

/* hosts: the file of hosts to take; NULL: mpirun's own. as_root: the user is root, which mpirun accepts only with an option. */
void tri__mpirun_add(tri__command_line *line, int ranks, const char *hosts, bool as_root);

#endif
