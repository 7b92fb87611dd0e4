/* progress.h: how far a run is, as one line. Nothing here prints: cli does, live on a terminal or plain every few seconds. */
#ifndef TRI_WATCH_PROGRESS_PROGRESS_H
#define TRI_WATCH_PROGRESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/progress/phases.h"

/* Examples a second, smoothed over some seconds so that people can read it. */
typedef struct {
    double rate; /* 0 until two readings are far enough apart */
    int64_t examples, at;
    bool begun;
} tri__rate; /* zeroed: nothing seen */

/* Tell how many examples there were at now (nanoseconds); gives the smoothed rate. Readings closer than a tenth of a second wait
 * for the next one, so that it may be called at every step. */
double tri__rate_update(tri__rate *rate, int64_t examples, int64_t now);

/* Start again from here, after a pause that does not count; the rate stays as it was. */
void tri__rate_resume(tri__rate *rate, int64_t examples, int64_t now);

typedef struct {
    const char *label;          /* in front of the line; NULL or "": none */
    int64_t step, steps;        /* steps: in all; 0 where unknown */
    double examples_per_second; /* 0 or NaN: not known yet */
    double loss, accuracy;      /* NaN: not known yet */
    double share[TRI_PHASES];   /* all 0: not known yet */
    double elapsed;             /* seconds */
    double left;                /* seconds to go, NaN where unknown */
    int workers;                /* parameter servers: that are connected; else 0 */
} tri__progress;

enum { TRI_PROGRESS_SIZE = 1024 };

/* One line for a terminal that is width columns wide: it never takes more columns, and drops what matters least where it is narrow.
 * No newline, no control characters. Return buffer. */
const char *tri__progress_live(const tri__progress *progress, int width, char *buffer, size_t size);
const char *tri__progress_plain(const tri__progress *progress, char *buffer, size_t size);

/* Seconds to go at the pace so far, NaN where steps is 0 or no step was made. first is the step at which elapsed began. */
double tri__progress_left(int64_t first, int64_t step, int64_t steps, double elapsed);

#endif
