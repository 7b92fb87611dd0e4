/* signals.h: Ctrl-C and SIGTERM as a request to end in good order. */
#ifndef TRI_CLI_SIGNALS_H
#define TRI_CLI_SIGNALS_H

#include <signal.h>

/* Catch SIGINT and SIGTERM `most` times: what is returned counts them. The one after that ends the process as usual. */
const volatile sig_atomic_t *tri__signals_catch(int most);

#endif
