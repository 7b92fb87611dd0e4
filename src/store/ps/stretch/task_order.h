/* task_order.h: which tasks make up a step, and in which order their parts are added.
 *
 * Orders are a list, the latest step first. Without backup workers an order holds from its step on, until the next one. With backup workers
 * each step has an order of its own, and one without an order is still to be chosen: `own` says so in the calls below. */
#ifndef TRI_STORE_PS_STRETCH_TASK_ORDER_H
#define TRI_STORE_PS_STRETCH_TASK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__task_order {
    struct tri__task_order *next; /* of an earlier step */
    int64_t step;
    int count;
    int task[];
} tri__task_order;

/* Add the order of a step that is later than those in the list. */
TRI_MUST_CHECK tri_status tri__task_orders_add(tri__task_order **orders, int64_t step, const int *tasks, int count);

/* Add an order wherever its step belongs. An order of the same step that is there already was heard later, and stays. */
TRI_MUST_CHECK tri_status tri__task_orders_insert(tri__task_order **orders, int64_t step, const int *tasks, int count);

void tri__task_orders_forget(tri__task_order **orders, int64_t lowest, bool own); /* those that no step from lowest on needs */
void tri__task_orders_free(tri__task_order **orders);

const tri__task_order *tri__task_orders_find(const tri__task_order *orders, int64_t step, bool own); /* NULL: not known yet */
int tri__task_order_position(const tri__task_order *order, int task);                                /* −1: it takes no part */

#endif
