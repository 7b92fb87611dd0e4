/* epoch_order.h: in which order an epoch goes through the records. It depends on the seed and the epoch alone. */
#ifndef TRI_DATA_BATCH_EPOCH_ORDER_H
#define TRI_DATA_BATCH_EPOCH_ORDER_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    uint64_t seed;
    int64_t records;
    int64_t window;    /* how many records one is drawn from; 1 keeps them as they are */
    int64_t source;    /* records of the source; where that is more, the order goes through a sample of them */
    int64_t epoch;     /* that the rest is of; −1 before the first */
    int64_t *sequence; /* [records] record numbers; NULL with blocks */

    int64_t block;      /* with blocks: records in each, fewer in the last one */
    int64_t *blocks;    /* [⌈records / block⌉] their order */
    int64_t *waiting;   /* [window] the records of places given … given + window − 1; place p at p mod window */
    int64_t given;      /* records drawn so far */
    int64_t at, inside; /* the next record to come in: of blocks[at], this one */
} tri__epoch_order;

/* window: 0 and 1 keep the records as they are; the number of records or more permutes them all. Takes 8 bytes a record. */
TRI_MUST_CHECK tri_status tri__epoch_order_init(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window);

/* For sets too large for that: blocks of so many records in an order drawn anew each epoch, and then a window over what they hold, so
 * that a disk is read in stretches. Takes 8 bytes for each block and for each record of the window. */
TRI_MUST_CHECK tri_status tri__epoch_order_init_blocks(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window,
                                                       int64_t block);
void tri__epoch_order_fini(tri__epoch_order *order);

/* Let the order go through a sample of the source's records instead of the first ones: the source in as many stretches as the order has
 * records, and of each stretch one that the seed draws. So a source whose classes come one after another gives some of each. */
void tri__epoch_order_sample(tri__epoch_order *order, int64_t source);

/* The epoch's record numbers, in its order; not with blocks. Worked out once an epoch; borrowed until another epoch is asked for. */
const int64_t *tri__epoch_order_of(tri__epoch_order *order, int64_t epoch);

/* The record numbers at places first … first + count − 1 of the epoch. With blocks, going on is quick, going back begins the epoch anew. */
void tri__epoch_order_take(tri__epoch_order *order, int64_t epoch, int64_t first, int64_t count, int64_t *ids);

#endif
