/* course.h: which records a worker's batches hold, one after another: the epoch's order, and this worker's slices of it. */
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

/* The batch at position: its slice, and its record numbers, of which there are as many as the slice says. */
tri__slice tri__course_take(tri__course *course, int64_t position, int64_t *ids);

#endif
