/* shard.c: which examples a worker's next batch holds. */
#include "data/order/shard.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

tri__slice tri__shard_slice(const tri__shard *shard, int64_t position)
{
    int64_t epoch = position / shard->examples, first = position % shard->examples;
    int64_t step = least(shard->workers * shard->batch, least(shard->examples - first, shard->end - position));
    int64_t each = step / shard->workers, more = step % shard->workers; /* the first `more` workers take one example more */
    return (tri__slice){
        .position = position,
        .epoch = epoch,
        .first = first + shard->worker * each + least(shard->worker, more),
        .count = each + (shard->worker < more),
        .after = position + step,
    };
}
