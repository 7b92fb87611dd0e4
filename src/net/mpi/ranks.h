/* ranks.h: the processes that mpirun or srun started together, and their collectives: sums, broadcasts, comparisons.
 *
 * Every call here is collective, except those that say otherwise or only read what is known: all ranks make the same calls in the same
 * order, and a call returns when enough of the others have made it. One thread at a time may be in a call; the owner sees to that. Errors
 * of MPI come back as statuses.
 *
 * When a rank dies or hangs, the others stay in a call that never returns. So a thread measures how long calls take, and after the timeout
 * it calls `hung` with the names of the ranks that are missing. `hung` ends the process, because nothing else can end the call. Time in
 * which this process was frozen does not count. */
#ifndef TRI_NET_MPI_RANKS_H
#define TRI_NET_MPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/loop/loop.h"

typedef struct tri__ranks tri__ranks;

typedef struct {
    int64_t timeout;                              /* nanoseconds */
    void (*hung)(void *context, const char *why); /* ends the process: does not return */
    void (*slow)(void *context, const char *why); /* called once in a call, when a quarter of its time has passed; may be NULL */
    void *context;
    size_t window;         /* bytes of values that a rank has under way, where it may wait (mailbox.h) */
    tri__traffic *traffic; /* receives, as the traffic of worker:N, what this rank itself sends to rank N and receives from it: sums that go
                            * around the ring, and values. Whom MPI's collectives send to is MPI's choice, so they are not counted. Only
                            * entries of peers are written, not the totals. Borrowed; may be NULL */
} tri__ranks_options;

TRI_MUST_CHECK tri_status tri__ranks_join(const tri__ranks_options *options, tri__ranks **out);
void tri__ranks_leave(tri__ranks *ranks); /* collective; accepts NULL */

int tri__ranks_rank(const tri__ranks *ranks);
int tri__ranks_size(const tri__ranks *ranks);
int tri__ranks_here(const tri__ranks *ranks);   /* how many of them are on this host */
bool tri__ranks_apart(const tri__ranks *ranks); /* whether they are on several hosts */

/* data[i] becomes Σ of all ranks' data[i]: the same bits for all of them. */
TRI_MUST_CHECK tri_status tri__ranks_sum(tri__ranks *ranks, float *data, size_t count);

/* The same in two calls. Up to TRI__RANKS_SUMS sums may have begun and not ended; they end in the order in which they began. From begin to
 * end, the caller must not touch data. Between hosts, data travel only while the caller is in the call that ends a sum. */
enum { TRI__RANKS_SUMS = 4 };
TRI_MUST_CHECK tri_status tri__ranks_begin_sum(tri__ranks *ranks, float *data, size_t count);
TRI_MUST_CHECK tri_status tri__ranks_end_sum(tri__ranks *ranks, float *data, size_t count);

TRI_MUST_CHECK tri_status tri__ranks_broadcast(tri__ranks *ranks, void *data, size_t bytes);               /* of rank 0 to all */
TRI_MUST_CHECK tri_status tri__ranks_gather(tri__ranks *ranks, const void *mine, size_t bytes, void *all); /* all: [size][bytes] */

/* Values from one rank to another, by number: the only calls that are not collective. mailbox.h says what each does. */
TRI_MUST_CHECK tri_status tri__ranks_expect(tri__ranks *ranks, int from, int number, void *data, size_t bytes);
TRI_MUST_CHECK tri_status tri__ranks_receive(tri__ranks *ranks, int from, int number);
TRI_MUST_CHECK tri_status tri__ranks_send(tri__ranks *ranks, int to, int number, const void *data, size_t bytes, int64_t now,
                                          int64_t expected);
TRI_MUST_CHECK tri_status tri__ranks_flush(tri__ranks *ranks);
int64_t tri__ranks_sent(const tri__ranks *ranks); /* bytes that tri__ranks_send was given */

/* patient: rank 0 is known to do something else first. So the next calls may take ten times as long as the timeout, or as the longest time
 * for which we were patient before, unless we see that rank 0 is stopped. Not patient: the timeout holds again. */
void tri__ranks_be_patient(tri__ranks *ranks, bool patient);

#endif
