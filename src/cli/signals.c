/* signals.c: the one place with a global that changes, because a signal handler can be told nothing. */
#include "cli/signals.h"

#include <stddef.h>

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal)
{
    (void)signal;
    stop_requested = 1;
}

const volatile sig_atomic_t *tri__signals_catch(void)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_requested;
}
