/* queue.h: a bounded queue of pointers between threads. Every wait has a deadline. */
#ifndef TRI_BASE_QUEUE_H
#define TRI_BASE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__queue tri__queue;

TRI_MUST_CHECK tri_status tri__queue_create(size_t capacity, tri__queue **out);
void tri__queue_destroy(tri__queue *queue); /* after all threads have left it */

/* Wait at most timeout nanoseconds for room or for an item. TRI_TIMEOUT when it passes, TRI_STOPPED once closed (pop: and empty). */
TRI_MUST_CHECK tri_status tri__queue_push(tri__queue *queue, void *item, int64_t timeout);
TRI_MUST_CHECK tri_status tri__queue_pop(tri__queue *queue, void **item, int64_t timeout);
void tri__queue_close(tri__queue *queue); /* wakes everybody; items inside can still be popped */
size_t tri__queue_length(tri__queue *queue);

#endif
