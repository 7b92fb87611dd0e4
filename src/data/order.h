/* order.h: in which order an epoch goes through the records. It depends on the seed and the epoch alone. */
#ifndef TRI_DATA_ORDER_H
#define TRI_DATA_ORDER_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    uint64_t seed;
    int64_t records;
    int64_t window;    /* how many records one is drawn from; 1 keeps them as they are */
    int64_t epoch;     /* that sequence is of; −1 before the first */
    int64_t *sequence; /* [records] record numbers */
} tri__order;

/* window: 0 and 1 keep the records as they are; the number of records or more permutes them all. */
TRI_MUST_CHECK tri_status tri__order_init(tri__order *order, uint64_t seed, int64_t records, int64_t window);
void tri__order_fini(tri__order *order);

/* The epoch's record numbers, in its order. Worked out once an epoch; borrowed until another epoch is asked for. */
const int64_t *tri__order_of(tri__order *order, int64_t epoch);

#endif
