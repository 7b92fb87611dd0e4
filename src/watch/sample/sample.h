/* sample.h: what a task and its host did between two moments, and how that is written as CSV. */
#ifndef TRI_WATCH_SAMPLE_SAMPLE_H
#define TRI_WATCH_SAMPLE_SAMPLE_H

#include <stdatomic.h>
#include <stdio.h>

#include "net/loop/loop.h"
#include "watch/host/host.h"
#include "watch/host/own_usage.h"
#include "watch/progress/phases.h"
#include "watch/sample/columns.h"

/* A task publishes its work here with each step; the sampler's thread reads it. All numbers count from the beginning of the task. */
typedef struct {
    _Atomic int64_t step;              /* of the job, as far as the task knows */
    _Atomic int64_t examples;          /* computed by this task */
    _Atomic double loss;               /* of the last steps; NaN if the task computes none */
    tri__traffic traffic;              /* of a rank as its store counts, of other tasks as their connections do */
    _Atomic int64_t phase[TRI_PHASES]; /* nanoseconds */
} tri__task_counters;

/* Rates are per second. */
typedef struct {
    double step, examples; /* so far */
    double speed;          /* examples a second */
    double loss;
    double sent, received;    /* bytes a second */
    double phase[TRI_PHASES]; /* percent of the time */
} tri__task_sample;

typedef struct {
    tri__host_sample host;
    tri__own_sample process;
    tri__task_sample task;
} tri__sample;

/* Write the header of a CSV file in dstat's layout: four lines about its origin, one with groups, one with names. The first columns are
 * those of `dstat --epoch -c -m -d -r -n -y`; then come the interfaces, the cores and, with `task`, the process and its work. */
void tri__sample_header(FILE *file, const tri__host *host, bool task, int64_t every, const char *command);
void tri__sample_names(FILE *file, const tri__host *host, bool task); /* the last line of the header */
void tri__sample_line(FILE *file, const tri__sample *sample, bool task);

#endif
