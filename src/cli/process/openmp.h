/* openmp.h: sets how OpenMP's threads wait, which must be done before the process starts. */
#ifndef TRI_CLI_PROCESS_OPENMP_H
#define TRI_CLI_PROCESS_OPENMP_H

/* Execute this program again in the same process, with a short spin of waiting threads. Returns if the user has set how threads wait, or if
 * it fails. */
void tri__openmp_settle(char *const *argv);

#endif
