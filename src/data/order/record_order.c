/* record_order.c: which records a worker's batches hold.
 *
 * If a set is small enough for any machine's memory or page cache, an epoch is one permutation. Larger sets are read in blocks, so that
 * disks do not have to read a few hundred bytes here and there. The limits are constants: the order must not depend on the machine. */
#include "data/order/record_order.h"

#include "base/bytes/random.h"

#define LARGE_BYTES   (INT64_C(4) << 30)
#define LARGE_RECORDS (INT64_C(64) << 20) /* 512 MB of record numbers */
#define BLOCK_BYTES   (INT64_C(4) << 20)
#define BLOCKS_WINDOW 65536 /* records in the window, if the caller asked for TRI_SHUFFLE_ALL */

static bool is_large(const tri_source *source, int64_t examples)
{
    return !source->resident_x && (source->info.bytes > LARGE_BYTES || examples > LARGE_RECORDS);
}

/* Records in a block. Synthetic sources have no bytes on disk; for them the size of an example in memory counts. */
static int64_t block_of(const tri_source *source)
{
    int64_t bytes = source->info.bytes / source->info.examples;
    if (bytes == 0)
        bytes = source->info.width ? source->info.width * 8 : (int64_t)source->example_bytes;
    return bytes < BLOCK_BYTES ? BLOCK_BYTES / (bytes ? bytes : 1) : 1;
}

static tri_status init_order(tri__epoch_order *order, const tri_source *source, const tri_dataset_options *options, int64_t examples)
{
    uint64_t seed = options->seed;
    if (options->own_files) /* each worker has other files, so each has another order */
        seed = tri__key_split(tri__key_of(seed), (uint64_t)options->worker).word;
    if (!is_large(source, examples))
        return tri__epoch_order_init(order, seed, examples, options->shuffle);
    int64_t window = options->shuffle == TRI_SHUFFLE_ALL ? BLOCKS_WINDOW : options->shuffle;
    return tri__epoch_order_init_blocks(order, seed, examples, window, block_of(source));
}

tri_status tri__record_order_init(tri__record_order *order, const tri_source *source, const tri_dataset_options *options)
{
    int64_t all = source->info.examples;
    int64_t examples = options->limit > 0 && options->limit < all ? options->limit : all;
    bool shared = options->workers > 1 && !options->own_files;
    *order = (tri__record_order){.shard = {
                                     .batch = options->batch,
                                     .worker = shared ? options->worker : 0,
                                     .workers = shared ? options->workers : 1,
                                     .examples = examples,
                                     .end = INT64_MAX,
                                 }};
    if (options->epochs > 0 && __builtin_mul_overflow(options->epochs, examples, &order->shard.end))
        order->shard.end = INT64_MAX;
    TRI_TRY(init_order(&order->order, source, options, examples));
    if (options->sample)
        tri__epoch_order_sample(&order->order, all);
    return NULL;
}

void tri__record_order_fini(tri__record_order *order)
{
    tri__epoch_order_fini(&order->order);
}

void tri__record_order_take(tri__record_order *order, const tri__slice *slice, int64_t *ids)
{
    if (slice->count > 0)
        tri__epoch_order_take(&order->order, slice->epoch, slice->first, slice->count, ids);
}
