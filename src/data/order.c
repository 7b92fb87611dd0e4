/* order.c: in which order an epoch goes through the records.
 *
 * A shuffle through a window of w records gives out one of the next w that are left, at random, and then takes one more in. Over an
 * array that is: swap each place with one of the w places from it on. With w at least the number of records it is the shuffle
 * of Fisher and Yates. */
#include "data/order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

#define DRAWS 512 /* random words made at a time */

tri_status tri__order_init(tri__order *order, uint64_t seed, int64_t records, int64_t window)
{
    *order = (tri__order){.seed = seed, .records = records, .window = window, .epoch = -1};
    return tri__allocate((size_t)records, sizeof *order->sequence, "the order of the examples", &order->sequence);
}

void tri__order_fini(tri__order *order)
{
    free(order->sequence);
    order->sequence = NULL;
}

/* A number below bound from 64 random bits; the bias is below bound / 2⁶⁴. */
static int64_t below(uint64_t bits, int64_t bound)
{
    return (int64_t)((unsigned __int128)bits * (uint64_t)bound >> 64);
}

static void shuffle(tri__order *order, tri__key key)
{
    uint64_t draws[DRAWS];
    for (int64_t i = 0; i < order->records; i++) {
        if (i % DRAWS == 0)
            tri__random_fill_bytes(key, (uint64_t)i * sizeof *draws, sizeof draws, (uint8_t *)draws);
        int64_t left = order->records - i;
        int64_t other = i + below(draws[i % DRAWS], order->window < left ? order->window : left);
        int64_t record = order->sequence[i];
        order->sequence[i] = order->sequence[other];
        order->sequence[other] = record;
    }
}

const int64_t *tri__order_of(tri__order *order, int64_t epoch)
{
    if (epoch == order->epoch || (order->epoch >= 0 && order->window <= 1))
        return order->sequence;
    for (int64_t i = 0; i < order->records; i++)
        order->sequence[i] = i;
    if (order->window > 1)
        shuffle(order, tri__key_split(tri__key_split_name(tri__key_of(order->seed), "order"), (uint64_t)epoch));
    order->epoch = epoch;
    return order->sequence;
}
