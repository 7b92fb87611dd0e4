/* verdict.h: one sentence that names the bottleneck of a run, the evidence, what would help, and how much time that saves at most. */
#ifndef TRI_WATCH_REPORT_VERDICT_H
#define TRI_WATCH_REPORT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/progress/phases.h"

/* What is known about a run. A text that is NULL or a number that is NaN is not known, and nothing is concluded from it. */
typedef struct {
    double share[TRI_PHASES];
    double seconds; /* training time that the shares are of */
    int64_t steps;
    int threads;        /* threads for compute */
    double cpu_percent; /* of this process, where 100 is one CPU; NaN if not known */
    double decoding;    /* threads that read and decoded, on average */
    bool stream;        /* examples come from standard input */
    double tokens;      /* with parameter servers: the share of the time in which workers waited for ps:0 to hand out a step */
    struct {
        const char *host; /* the host whose link was fullest; NULL: not known */
        double most;      /* bytes a second that the link can carry in each direction */
        double fill;      /* the share of most that was used in the fuller direction */
        bool sends;       /* the fuller direction is sending */
        double other;     /* the fill of the other direction */
    } link;
    struct {
        const char *task; /* the worker whose own work for a step took longest; NULL: there is one worker */
        double times;     /* its time over the median of the others */
    } slowest;
    struct {
        double reached; /* FLOP a second of products and convolutions, in the time for compute; 0: not known, or not what takes the time */
        double sgemm;   /* the same of large matrix products here; 0: not measured */
    } flops;
    struct {
        double compute, update; /* bytes a second that kernels, or the rule, move at least in the time for that phase; 0: not known */
        double copy;            /* the same of a copy of as much memory here; 0: not measured */
    } memory;
    struct {
        double read; /* bytes a second that the disks of the one host read, for all programs; 0: none, or not known */
        double own;  /* those for this run */
        double best; /* the most in a sample */
    } disk;
    const char *remedy; /* what the user can do about a straggler, in words that follow "or": "give --backup 1"; NULL: nothing */
    struct {
        const char *task;     /* with sync parameter servers: the worker for whose parts the others waited longest; NULL: not known */
        double share, of_all; /* shares of the training time, and of all waiting for last parts, that others spent waiting for it */
    } late;
    struct {
        const char *task; /* the busiest server; NULL: there is none */
        double cpu_percent;
        double host_busy; /* the share of its host's CPUs that all programs use or are denied */
    } server;
    struct {
        double cpus;      /* CPUs that the host may use, if all tasks are on one host; 0: they are on several, or it is not known */
        int threads;      /* threads of all workers that compute on it */
        double busy, own; /* shares of its CPUs: used by all programs or denied to them; used by this run */
    } host;
} tri__evidence;

enum { TRI_VERDICT_SIZE = 600 };

/* Write the sentence. If the run was too short, or no phase stands out, it says so. Returns buffer. */
const char *tri__verdict(const tri__evidence *evidence, char *buffer, size_t size);

#endif
