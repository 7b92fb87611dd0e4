/* ahead.h: batches read and decoded before they are asked for, by threads.
 *
 * What a batch holds is settled by the course alone; threads only share the work, so their number changes no result. One thread calls. */
#ifndef TRI_DATA_AHEAD_H
#define TRI_DATA_AHEAD_H

#include "data/batch.h"
#include "data/cache.h"
#include "data/course.h"

typedef struct tri__ahead tri__ahead;

/* Threads start with the first batch. The source is held, not only borrowed: a thread whose read hangs may outlive everybody. */
TRI_MUST_CHECK tri_status tri__ahead_create(tri_source *source, const tri_dataset_options *options, tri__ahead **out);
void tri__ahead_destroy(tri__ahead *ahead); /* leaves alone a thread that hangs; it cleans up itself when its read returns. Accepts NULL */

/* The next batch, NULL at the end, and the position behind it. It is borrowed until the next call. A record that cannot be read is a
 * failure of its row, not of the call. TRI_TIMEOUT names the file that hangs. */
TRI_MUST_CHECK tri_status tri__ahead_next(tri__ahead *ahead, tri__slot **out, int64_t *after);

/* Go on at position. False where a thread hangs: then destroy it and make another. */
TRI_MUST_CHECK bool tri__ahead_seek(tri__ahead *ahead, int64_t position);

const tri__shard *tri__ahead_shard(const tri__ahead *ahead);
double tri__ahead_cpu_seconds(tri__ahead *ahead);            /* that reading and decoding has taken of all CPUs */
const tri__cache *tri__ahead_cache(const tri__ahead *ahead); /* NULL where none was asked for */

#endif
