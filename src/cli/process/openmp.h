/* openmp.h: sets how OpenMP's threads wait. OpenMP reads this setting when the process starts, so we start the program a second time. */
#ifndef TRI_CLI_PROCESS_OPENMP_H
#define TRI_CLI_PROCESS_OPENMP_H

/* Execute this program again in the same process, with a short spin of waiting threads. Returns where that was done already, where the user
 * has set how threads wait, or where it fails. */
void tri__openmp_settle(char *const *argv);

#endif
