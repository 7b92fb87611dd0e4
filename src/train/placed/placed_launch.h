/* placed_launch.h: starts the tasks of a placed graph on this machine, as ranks under mpirun. */
#ifndef TRI_TRAIN_PLACED_PLACED_LAUNCH_H
#define TRI_TRAIN_PLACED_PLACED_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/report/log.h"

typedef struct {
    const char *program;      /* the binary of every task */
    const char *const *words; /* its command line without the program's name; ends with NULL */
    int workers;
    int64_t timeout; /* nanoseconds in which all tasks must have started, where it is more than their start may take */
    bool as_root;
    tri__log *log;                                /* gets what tasks write on standard error */
    void (*say)(void *context, const char *line); /* gets what task 0 writes on standard output */
    void *context;
    const volatile sig_atomic_t *stop; /* how often the user asked to stop */
} tri__placed_launch_request;

/* Returns when all tasks have ended. The status says why a task failed. */
TRI_MUST_CHECK tri_status tri__placed_launch(const tri__placed_launch_request *request);

#endif
