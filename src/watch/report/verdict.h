/* verdict.h: one sentence that names the bottleneck of a run, with its evidence. */
#ifndef TRI_WATCH_REPORT_VERDICT_H
#define TRI_WATCH_REPORT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/progress/phases.h"

typedef struct {
    double share[TRI_PHASES];
    double seconds; /* of training behind the shares */
    int64_t steps;
    int threads;        /* that compute had */
    double cpu_percent; /* of this process, 100 a CPU; NaN where it is not known */
    double decoding;    /* CPUs that reading and decoding took beside it */
    struct {
        const char *host; /* whose link was fullest; NULL: not known */
        double most;      /* bytes a second that it can carry … */
        double fill;      /* … the share that was used … */
        bool sends;       /* … in this direction */
    } link;
} tri__evidence;

enum { TRI_VERDICT_SIZE = 320 };

/* Says that it cannot tell where the run was too short or two phases are too close. Returns buffer. */
const char *tri__verdict(const tri__evidence *evidence, char *buffer, size_t size);

#endif
