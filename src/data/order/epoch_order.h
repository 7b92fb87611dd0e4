/* epoch_order.h: the order in which an epoch goes through the records. It depends on the seed and the epoch alone. */
#ifndef TRI_DATA_ORDER_EPOCH_ORDER_H
#define TRI_DATA_ORDER_EPOCH_ORDER_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    uint64_t seed;
    int64_t records;
    int64_t window;    /* each record is drawn from the next `window` ones; 1 keeps their order */
    int64_t source;    /* records of the source; if more than `records`, the order goes through a sample of them */
    int64_t epoch;     /* the epoch that the fields below describe; −1 before the first */
    int64_t *sequence; /* [records] record numbers; NULL with blocks */

    int64_t block;      /* with blocks: records in each; the last block may have fewer */
    int64_t *blocks;    /* [⌈records / block⌉] the order of the blocks */
    int64_t *waiting;   /* [window] the records of places given … given + window − 1; place p is at p mod window */
    int64_t given;      /* records drawn so far */
    int64_t at, inside; /* the next record to enter the window is record `inside` of blocks[at] */
} tri__epoch_order;

/* window: 0 and 1 keep the order of the records; `records` or more permutes them all. Takes 8 bytes a record. */
TRI_MUST_CHECK tri_status tri__epoch_order_init(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window);

/* For sets too large for that. Each epoch draws a new order of the blocks, which have `block` records each, and shuffles their records
 * through a window. So a disk is read in long stretches. Takes 8 bytes for each block and for each record of the window. */
TRI_MUST_CHECK tri_status tri__epoch_order_init_blocks(tri__epoch_order *order, uint64_t seed, int64_t records, int64_t window,
                                                       int64_t block);
void tri__epoch_order_fini(tri__epoch_order *order);

/* Go through a sample of the source's records instead of the first ones. `source`: how many records the source has. The source is divided
 * into as many spans as the order has records, and the seed draws one record of each span. So a source sorted by class gives some of
 * each class. */
void tri__epoch_order_sample(tri__epoch_order *order, int64_t source);

/* The record at this position, from 0 to order->records − 1, among those that the order goes through, unshuffled. Any thread. */
int64_t tri__epoch_order_record(const tri__epoch_order *order, int64_t position);
int64_t tri__epoch_order_position(const tri__epoch_order *order, int64_t record); /* of a record that the order goes through. Any thread */

/* The epoch's record numbers, in its order; not with blocks. Computed once an epoch; borrowed until another epoch is asked for. */
const int64_t *tri__epoch_order_of(tri__epoch_order *order, int64_t epoch);

/* The record numbers at places first … first + count − 1 of the epoch. With blocks, going forward is quick; going back starts the epoch
 * from its beginning. */
void tri__epoch_order_take(tri__epoch_order *order, int64_t epoch, int64_t first, int64_t count, int64_t *ids);

#endif
