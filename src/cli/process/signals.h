/* signals.h: Ctrl-C, SIGTERM and SIGUSR1 (which mpirun hands on to its ranks) as a request to end in good order. */
#ifndef TRI_CLI_PROCESS_SIGNALS_H
#define TRI_CLI_PROCESS_SIGNALS_H

#include <signal.h>

/* Catch SIGINT, SIGTERM and SIGUSR1 `most` times: what is returned counts them. The one after that ends the process as usual. Signals
 * within 0.3 s count as one: a wrapper may hand on what the terminal has already sent to all processes. */
const volatile sig_atomic_t *tri__signals_catch(int most);

/* Catch another signal: what is returned is not 0 after it has come. A process can do so for one signal. */
const volatile sig_atomic_t *tri__signals_note(int signal);

#endif
