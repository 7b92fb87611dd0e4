/* record_order.h: which records a worker's batches hold, from the epoch's order and this worker's slices of it. */
#ifndef TRI_DATA_ORDER_RECORD_ORDER_H
#define TRI_DATA_ORDER_RECORD_ORDER_H

#include "data/order/epoch_order.h"
#include "data/order/shard.h"
#include "data/source/source.h"

typedef struct {
    tri__shard shard;
    tri__epoch_order order;
} tri__record_order;

TRI_MUST_CHECK tri_status tri__record_order_init(tri__record_order *order, const tri_source *source, const tri_dataset_options *options);
void tri__record_order_fini(tri__record_order *order);

/* The record numbers of a slice; there are slice.count of them. */
void tri__record_order_take(tri__record_order *order, const tri__slice *slice, int64_t *ids);

#endif
