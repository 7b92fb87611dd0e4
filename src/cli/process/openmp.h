/* openmp.h: how OpenMP's threads wait, which has to be said before the process starts. */
#ifndef TRI_CLI_PROCESS_OPENMP_H
#define TRI_CLI_PROCESS_OPENMP_H

/* Start this program anew, in the same process, with a short spin of waiting threads, unless the user has said how they are to wait.
 * Returns where that is so, or where it cannot be done. */
void tri__openmp_settle(char *const *argv);

#endif
