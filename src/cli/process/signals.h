/* signals.h: Ctrl-C, SIGTERM, SIGHUP (a lost connection) and SIGUSR1 (which mpirun hands on to its ranks) as a request to end in good
 * order. */
#ifndef TRI_CLI_PROCESS_SIGNALS_H
#define TRI_CLI_PROCESS_SIGNALS_H

#include <signal.h>

/* Catch SIGINT, SIGTERM, SIGHUP and SIGUSR1 up to `most` times. Returns the counter of these signals. After `most` of them, the next ends
 * the process as usual. Signals within 0.3 s count as one: a wrapper may hand on a signal that the terminal has already sent to all
 * processes. A SIGHUP that is ignored, as under nohup, stays ignored. */
const volatile sig_atomic_t *tri__signals_catch(int most);

/* From now on these signals end the process at once, with the exit status of tri__signals_status. For commands that have nothing to
 * save. */
void tri__signals_exit(void);

/* The exit status of a process that ended in good order because it was asked to: 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP. 0
 * where no signal was counted, and after SIGUSR1, which asks for an orderly end. */
int tri__signals_status(void);

/* Catch another signal. The returned flag is not 0 after the signal has come. A process can call this for one signal only. */
const volatile sig_atomic_t *tri__signals_note(int signal);

#endif
