/* verdict.h: one sentence that names the bottleneck of a run, with its evidence, what would help, and by how much at most. */
#ifndef TRI_WATCH_REPORT_VERDICT_H
#define TRI_WATCH_REPORT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/progress/phases.h"

/* A text that is NULL and a number that is NaN are not known; then nothing is claimed from them. */
typedef struct {
    double share[TRI_PHASES];
    double seconds; /* of training behind the shares */
    int64_t steps;
    int threads;        /* that compute had */
    double cpu_percent; /* of this process, 100 a CPU; NaN where it is not known */
    double decoding;    /* threads that read and decoded, on average */
    bool stream;        /* examples come on standard input */
    double tokens;      /* of parameter servers: the share of the time in which workers waited for ps:0 to hand out a step */
    struct {
        const char *host; /* whose link was fullest; NULL: not known */
        double most;      /* bytes a second that it can carry … */
        double fill;      /* … the share that was used … */
        bool sends;       /* … in this direction */
        double other;     /* the fill of the other direction */
    } link;
    struct {
        const char *task; /* the worker whose own work for a step took longest; NULL: there is one worker */
        double times;     /* as long as the median of the others */
    } slowest;
    const char *remedy; /* what this run could do about a straggler, as it follows "or": "give --backup 1"; NULL: nothing */
    struct {
        const char *task;     /* with sync parameter servers: whose part of a step came last for longest; NULL: not known */
        double share, of_all; /* of the time others waited for it; that is such a share of all waiting for last parts */
    } late;
    struct {
        const char *task; /* the busiest server; NULL: there is none */
        double cpu_percent;
        double host_busy; /* the share of the CPUs of its host that is in use, by whomever, or denied */
    } server;
    struct {
        double cpus;      /* of the one host on which all tasks are, that it may use; 0: they are on several, or it is not known */
        int threads;      /* that compute on it, of all workers */
        double busy, own; /* shares of its CPUs in use: by all programs (or denied to them), by this run */
    } host;
} tri__evidence;

enum { TRI_VERDICT_SIZE = 400 };

/* Says that it cannot tell where the run was too short or two phases are too close. Returns buffer. */
const char *tri__verdict(const tri__evidence *evidence, char *buffer, size_t size);

#endif
