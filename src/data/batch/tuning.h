/* tuning.h: how many threads decode, and how many batches they may be ahead: decided from what is seen, never from what is in the data.
 *
 * If the caller waits for batches while every thread is at work, one thread more helps, as long as there is a CPU for it; threads that wait
 * for the disk leave their CPU to others. Many short waits for small batches count as one long wait does. If the caller waits although a
 * thread was idle since the last wait, the work comes in bursts, and a longer queue helps, as long as memory was granted for it. If the
 * caller has not waited for long, the queue gets shorter. */
#ifndef TRI_DATA_BATCH_TUNING_H
#define TRI_DATA_BATCH_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRI_MOST_DECODERS = 64, TRI_MOST_AHEAD = 64 };

#define TRI_TUNING_PATIENCE INT64_C(2000000) /* nanoseconds that the caller waits before there is one thread more */

/* What a stretch of decoding took; nanoseconds and switches of the thread. */
typedef struct {
    int64_t wall, cpu;
    int64_t blocked, preempted; /* how often it gave up its CPU itself, and how often it lost it */
} tri__decode_effort;

typedef struct {
    int cpus;
    bool fixed;                /* the number of threads is the caller's choice */
    int threads;               /* that should be there */
    int depth;                 /* batches: with the caller, ready, and being filled */
    int most_depth;            /* by the memory that was granted */
    bool slack;                /* a thread found nothing to do since the caller last waited */
    int calm;                  /* batches since then */
    int64_t waited;            /* nanoseconds, by the caller while every thread was at work, since there was one thread more */
    tri__decode_effort effort; /* lately */
} tri__tuning;

/* threads: 0 lets it be tuned. bytes: of one batch; budget: for all of them. */
void tri__tuning_init(tri__tuning *tuning, int cpus, int threads, size_t bytes, size_t budget);

void tri__tuning_worked(tri__tuning *tuning, tri__decode_effort effort); /* a thread has decoded something */
void tri__tuning_idle(tri__tuning *tuning);                              /* a thread has nothing to do: the queue is full */
void tri__tuning_waiting(tri__tuning *tuning, int64_t nanoseconds);      /* the caller has waited, while every thread was at work */
void tri__tuning_given(tri__tuning *tuning, bool waited);                /* the caller got a batch */

#endif
