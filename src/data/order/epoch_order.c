/* epoch_order.c: the order in which an epoch goes through the records.
 *
 * A shuffle through a window of w records draws one of the next w records at random, and then lets one more record into the window. In an
 * array that means: swap each position with one of the w positions that begin with it (with w = 1, nothing moves). With blocks it is the
 * same, with the w positions in a ring. */
#include "data/order/epoch_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"

tri_status tri__epoch_order_init(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window)
{
    *order = (tri__epoch_order){.seed = seed, .records = records, .window = window > 0 ? window : 1, .epoch = -1};
    return tri__allocate((size_t)records, sizeof *order->sequence, "the order of the examples", &order->sequence);
}

tri_status tri__epoch_order_init_blocks(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window, int64_t block)
{
    *order = (tri__epoch_order){.seed = seed, .records = records, .window = window > 0 ? window : 1, .block = block, .epoch = -1};
    if (order->window > records)
        order->window = records;
    TRI_TRY(tri__allocate((size_t)((records - 1) / block + 1), sizeof *order->blocks, "the order of the blocks", &order->blocks));
    return tri__allocate((size_t)order->window, sizeof *order->waiting, "the window that examples are drawn from", &order->waiting);
}

void tri__epoch_order_fini(tri__epoch_order *order)
{
    free(order->sequence);
    free(order->blocks);
    free(order->waiting);
    order->sequence = order->blocks = order->waiting = NULL;
}

void tri__epoch_order_sample(tri__epoch_order *order, int64_t source)
{
    order->source = source;
}

/* Where the span begins from which a position of the sample draws its record. */
static int64_t span_begin(const tri__epoch_order *order, int64_t position)
{
    return order->source / order->records * position + (int64_t)((__int128)(order->source % order->records) * position / order->records);
}

int64_t tri__epoch_order_record(const tri__epoch_order *order, int64_t position)
{
    if (order->source <= order->records)
        return position;
    int64_t begin = span_begin(order, position), count = span_begin(order, position + 1) - begin;
    tri__key key = tri__key_split_name(tri__key_of(order->seed), "sample");
    return begin + (int64_t)tri__random_below(key, (uint64_t)position, (uint64_t)count);
}

/* The last position whose span begins at the record or before it: the largest p with ⌊source · p / records⌋ ≤ record. */
int64_t tri__epoch_order_position(const tri__epoch_order *order, int64_t record)
{
    if (order->source <= order->records)
        return record;
    return (int64_t)(((__int128)(record + 1) * order->records - 1) / order->source);
}

static tri__key key_of(const tri__epoch_order *order, int64_t epoch)
{
    return tri__key_split(tri__key_split_name(tri__key_of(order->seed), "order"), (uint64_t)epoch);
}

/* The distance from position to the position that is drawn for it. */
static int64_t draw(const tri__epoch_order *order, tri__key key, int64_t position)
{
    int64_t left = order->records - position;
    return (int64_t)tri__random_below(key, (uint64_t)position, (uint64_t)(order->window < left ? order->window : left));
}

static void shuffle_window(tri__epoch_order *order, tri__key key)
{
    for (int64_t i = 0; i < order->records; i++)
        order->sequence[i] = i;
    for (int64_t i = 0; i < order->records; i++) {
        int64_t other = i + draw(order, key, i);
        int64_t record = order->sequence[i];
        order->sequence[i] = order->sequence[other];
        order->sequence[other] = record;
    }
}

const int64_t *tri__epoch_order_of(tri__epoch_order *order, int64_t epoch)
{
    bool shuffled = order->window > 1;
    if (epoch == order->epoch || (order->epoch >= 0 && !shuffled))
        return order->sequence;
    tri__key key = key_of(order, epoch);
    if (order->window < order->records)
        shuffle_window(order, key);
    else
        tri__random_permutation(key, order->records, order->sequence);
    if (order->source > order->records)
        for (int64_t i = 0; i < order->records; i++)
            order->sequence[i] = tri__epoch_order_record(order, order->sequence[i]);
    order->epoch = epoch;
    return order->sequence;
}

/* The next record that enters the window, from the blocks in their order. */
static int64_t come_in(tri__epoch_order *order)
{
    int64_t first = order->blocks[order->at] * order->block, record = first + order->inside++;
    if (order->inside == order->block || record + 1 == order->records) {
        order->inside = 0;
        order->at++;
    }
    return record;
}

static void begin_epoch(tri__epoch_order *order, int64_t epoch)
{
    int64_t blocks = (order->records - 1) / order->block + 1;
    if (order->window > 1)
        tri__random_permutation(tri__key_split_name(key_of(order, epoch), "blocks"), blocks, order->blocks);
    else
        for (int64_t i = 0; i < blocks; i++)
            order->blocks[i] = i;
    order->epoch = epoch;
    order->given = order->at = order->inside = 0;
    for (int64_t i = 0; i < order->window; i++)
        order->waiting[i] = come_in(order);
}

/* Draw a record of the window, move the oldest one to its place, and let the next one in. */
static int64_t draw_record(tri__epoch_order *order, tri__key key)
{
    int64_t *oldest = &order->waiting[order->given % order->window];
    int64_t *drawn = &order->waiting[(order->given + draw(order, key, order->given)) % order->window];
    int64_t record = *drawn;
    *drawn = *oldest;
    if (order->given + order->window < order->records)
        *oldest = come_in(order);
    order->given++;
    return record;
}

void tri__epoch_order_take(tri__epoch_order *order, int64_t epoch, int64_t first, int64_t count, int64_t *ids)
{
    if (order->sequence) {
        memcpy(ids, tri__epoch_order_of(order, epoch) + first, (size_t)count * sizeof *ids);
        return;
    }
    if (epoch != order->epoch || first < order->given)
        begin_epoch(order, epoch);
    tri__key key = key_of(order, epoch);
    while (order->given < first)
        draw_record(order, key);
    for (int64_t i = 0; i < count; i++)
        ids[i] = tri__epoch_order_record(order, draw_record(order, key));
}
