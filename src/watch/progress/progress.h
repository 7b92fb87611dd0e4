/* progress.h: how far a run is, as one line. Nothing is printed here; cli prints the line, live on a terminal or plain every few
 * seconds. */
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

/* There were `examples` examples at the time now (nanoseconds). Returns the smoothed rate. It may be called at every step: a reading less
 * than a tenth of a second after the last one does not change the rate. */
double tri__rate_update(tri__rate *rate, int64_t examples, int64_t now);

void tri__rate_begin(tri__rate *rate, int64_t examples, int64_t now); /* the work begins; without it, the first reading does */
void tri__rate_skip(tri__rate *rate, int64_t nanoseconds);            /* a pause, since the last reading, that does not count */

typedef struct {
    const char *label;          /* the line begins with it; NULL or "": none */
    int64_t step, steps;        /* the present step, and how many there are; 0 if unknown */
    double examples_per_second; /* 0 or NaN: not known yet */
    double loss, accuracy;      /* NaN: not known yet */
    double share[TRI_PHASES];   /* all 0: not known yet */
    double elapsed;             /* seconds */
    double left;                /* seconds to go; NaN if unknown */
    int workers;                /* of a parameter server: workers that are connected; otherwise 0 */
} tri__progress;

enum { TRI_PROGRESS_SIZE = 1024 };

/* One line, without newline or control characters. The live line is for a terminal of `width` columns: it never takes more, and leaves out
 * what matters least if the terminal is narrow. Both return buffer. */
const char *tri__progress_live(const tri__progress *progress, int width, char *buffer, size_t size);
const char *tri__progress_plain(const tri__progress *progress, char *buffer, size_t size);

/* Seconds to go at the pace so far; NaN if steps is 0 or no step was made. elapsed counts from the step `first`. */
double tri__progress_left(int64_t first, int64_t step, int64_t steps, double elapsed);

#endif
