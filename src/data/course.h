/* course.h: which records a worker's batches hold: the epoch's order, and this worker's slices of it. */
#ifndef TRI_DATA_COURSE_H
#define TRI_DATA_COURSE_H

#include "data/order.h"
#include "data/shard.h"
#include "data/source.h"

typedef struct {
    tri__shard shard;
    tri__order order;
} tri__course;

TRI_MUST_CHECK tri_status tri__course_init(tri__course *course, const tri_source *source, const tri_dataset_options *options);
void tri__course_fini(tri__course *course);

/* The record numbers of a slice, of which there are as many as it says. */
void tri__course_take(tri__course *course, const tri__slice *slice, int64_t *ids);

#endif
