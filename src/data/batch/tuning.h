/* tuning.h: decides how many threads decode, and how many batches they may be ahead. It measures waits and CPU time; what the examples hold
 * does not matter.
 *
 * If the caller waits for batches while every thread is at work, one more thread is added, as long as there is a CPU for it. Threads that
 * wait for the disk leave their CPU to others. Many short waits count as much as one long wait. If the caller waits although a thread was
 * idle since the last wait, the work comes in bursts: the queue gets longer, as far as its memory allows. If the caller has not waited for
 * many batches, the queue gets shorter.
 *
 * A wake-up takes as long as a small batch. So a queue of small batches is long, and a thread that sleeps because the queue is full is
 * woken only when half of it has been used up. */
#ifndef TRI_DATA_BATCH_TUNING_H
#define TRI_DATA_BATCH_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread/clock.h"

enum { TRI_MOST_DECODERS = 64, TRI_MOST_QUEUED = 64 };

#define TRI_TUNING_PATIENCE (2 * TRI_MILLISECOND) /* time that the caller waits before a thread is added */

/* What one thread needed to decode some rows. Times are nanoseconds. */
typedef struct {
    int64_t wall, cpu;
    int64_t blocked, preempted; /* how often the thread gave up its CPU, and how often it lost it to another thread */
} tri__decode_effort;

typedef struct {
    int cpus;
    bool fixed;                /* the caller has chosen the number of threads */
    int threads;               /* how many threads there should be */
    int depth;                 /* how many batches there may be: with the caller, ready, and being filled */
    int least_depth;           /* the queue never gets shorter than this: it takes little memory */
    int most_depth;            /* the largest depth that the memory budget allows */
    bool slack;                /* a thread had nothing to do since the caller last waited */
    int calm;                  /* batches given since the caller last waited */
    int64_t waited;            /* nanoseconds that the caller waited while every thread was at work, since a thread was last added */
    tri__decode_effort effort; /* the sum of the last second or so of decoding */
} tri__tuning;

/* threads: 0 lets the tuning choose. bytes: size of one batch. budget: bytes for all batches. assigned: batches are assigned to this
 * worker, and those that wait in its queue are kept from other workers; so the queue is never longer than it must be. */
void tri__tuning_init(tri__tuning *tuning, int cpus, int threads, size_t bytes, size_t budget, bool assigned);

void tri__tuning_worked(tri__tuning *tuning, tri__decode_effort effort); /* a thread has decoded something */
void tri__tuning_idle(tri__tuning *tuning);                              /* a thread has nothing to do: the queue is full */
void tri__tuning_waiting(tri__tuning *tuning, int64_t nanoseconds);      /* the caller has waited while every thread was at work */
void tri__tuning_given(tri__tuning *tuning, bool waited);                /* the caller got a batch */
bool tri__tuning_is_worth_waking(const tri__tuning *tuning, int ahead);  /* a sleeping thread, with `ahead` batches in the queue */

#endif
