/* signals.c: the only file with globals that change, because a signal handler takes no context. */
#include "cli/process/signals.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/thread/clock.h"

#define SAME (300 * TRI_MILLISECOND)

static volatile sig_atomic_t caught, limit, noted, first;
static atomic_int_fast64_t last; /* when a signal was last counted; 0: never */

static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals, BY_SIGNAL = 128 };

static void handle_all(const struct sigaction *action)
{
    struct sigaction before;
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGHUP || sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)
            sigaction(signals[i], action, NULL);
}

/* The same Ctrl-C may arrive twice, from the terminal and from a wrapper such as timeout: it counts once. Two threads may run this at the
 * same time. */
static void count(int signal)
{
    int_fast64_t before = atomic_load(&last), now = tri__clock_now();
    if ((before && now - before < SAME) || !atomic_compare_exchange_strong(&last, &before, now))
        return;
    if (caught < limit) {
        first = first ? first : signal;
        __atomic_store_n(&caught, caught + 1, __ATOMIC_RELAXED); /* other threads may read it at the same time */
        return;
    }
    handle_all(&(struct sigaction){.sa_handler = SIG_DFL});
    raise(signal); /* the signal is delivered when this handler has returned */
}

/* While the handler runs, these signals are blocked. */
static void handle_all_by(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i]);
    handle_all(&action);
}

const volatile sig_atomic_t *tri__signals_catch(int most)
{
    limit = most;
    handle_all_by(count);
    return &caught;
}

static void leave(int signal)
{
    _exit(BY_SIGNAL + signal);
}

void tri__signals_exit(void)
{
    handle_all_by(leave);
}

int tri__signals_status(void)
{
    return first && first != SIGUSR1 ? BY_SIGNAL + first : 0;
}

static void note(int signal)
{
    (void)signal;
    noted = 1;
}

const volatile sig_atomic_t *tri__signals_note(int signal)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    return &noted;
}
