/* ahead.h: batches read and decoded before they are asked for, by threads.
 *
 * What a batch holds is settled by the agenda and the course alone; threads only share the work, so their number changes no result. One
 * thread calls. */
#ifndef TRI_DATA_AHEAD_H
#define TRI_DATA_AHEAD_H

#include "data/agenda.h"
#include "data/batch.h"
#include "data/cache.h"
#include "data/course.h"

typedef struct tri__ahead tri__ahead;

/* Threads start with the first batch. The source is held, not only borrowed: a thread whose read hangs may outlive everybody. */
TRI_MUST_CHECK tri_status tri__ahead_create(tri_source *source, const tri_dataset_options *options, tri__ahead **out);
void tri__ahead_destroy(tri__ahead *ahead); /* leaves alone a thread that hangs; it cleans up itself when its read returns. Accepts NULL */

/* Plan the batches of the agenda's line as far as there is room for them; of those that are planned already nothing has changed. */
void tri__ahead_plan(tri__ahead *ahead, tri__agenda *agenda);

/* The first batch that is planned; there is one. It is borrowed until the next call of this. A record that cannot be read is a failure of
 * its row, not of the call. TRI_TIMEOUT names the file that hangs. */
TRI_MUST_CHECK tri_status tri__ahead_next(tri__ahead *ahead, tri__slot **out);

/* Forget all that is planned. False where a thread hangs: then destroy it and make another. */
TRI_MUST_CHECK bool tri__ahead_clear(tri__ahead *ahead);

const tri__shard *tri__ahead_shard(const tri__ahead *ahead);
int tri__ahead_depth(tri__ahead *ahead);                     /* how many planned batches are of use now */
double tri__ahead_cpu_seconds(tri__ahead *ahead);            /* that reading and decoding has taken of all CPUs */
const tri__cache *tri__ahead_cache(const tri__ahead *ahead); /* NULL where none was asked for */

#endif
