/* order.c: in which order an epoch goes through the records.
 *
 * A shuffle through a window of w records gives out one of the next w that are left, at random, and then takes one more in. Over an
 * array that is: swap each place with one of the w places from it on (with w = 1, none moves). */
#include "data/order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

tri_status tri__order_init(tri__order *order, uint64_t seed, int64_t records, int64_t window)
{
    *order = (tri__order){.seed = seed, .records = records, .window = window > 0 ? window : 1, .epoch = -1};
    return tri__allocate((size_t)records, sizeof *order->sequence, "the order of the examples", &order->sequence);
}

void tri__order_fini(tri__order *order)
{
    free(order->sequence);
    order->sequence = NULL;
}

static void shuffle_window(tri__order *order, tri__key key)
{
    for (int64_t i = 0; i < order->records; i++)
        order->sequence[i] = i;
    for (int64_t i = 0; i < order->records; i++) {
        int64_t left = order->records - i;
        int64_t other = i + (int64_t)tri__random_below(key, (uint64_t)i, (uint64_t)(order->window < left ? order->window : left));
        int64_t record = order->sequence[i];
        order->sequence[i] = order->sequence[other];
        order->sequence[other] = record;
    }
}

const int64_t *tri__order_of(tri__order *order, int64_t epoch)
{
    bool shuffled = order->window > 1;
    if (epoch == order->epoch || (order->epoch >= 0 && !shuffled))
        return order->sequence;
    tri__key key = tri__key_split(tri__key_split_name(tri__key_of(order->seed), "order"), (uint64_t)epoch);
    if (order->window < order->records)
        shuffle_window(order, key);
    else
        tri__random_permutation(key, order->records, order->sequence);
    order->epoch = epoch;
    return order->sequence;
}
