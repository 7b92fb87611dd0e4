/* signals.c: the one place with globals that change, because a signal handler can be told nothing. */
#include "cli/signals.h"

#include <stddef.h>

static volatile sig_atomic_t caught, limit;

static void count(int signal)
{
    (void)signal;
    if (++caught < limit)
        return;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &usual, NULL);
    sigaction(SIGTERM, &usual, NULL);
    sigaction(SIGUSR1, &usual, NULL);
}

const volatile sig_atomic_t *tri__signals_catch(int most)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    limit = most;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    return &caught;
}
