/* task_order.h: which tasks make up a step, and in which order their parts are added.
 *
 * Orders are a list, the latest step first. Without backup workers an order holds from its step on, until the step of the next order. With
 * backup workers each step has an order of its own, and a step without an order is still to be chosen. In the calls below, own: there are
 * backup workers. */
#ifndef TRI_STORE_PS_STRETCH_TASK_ORDER_H
#define TRI_STORE_PS_STRETCH_TASK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__task_order {
    struct tri__task_order *next; /* the order of an earlier step */
    int64_t step;
    int count;
    int task[];
} tri__task_order;

/* Adds the order of a step that is later than all steps in the list. */
TRI_MUST_CHECK tri_status tri__task_orders_add(tri__task_order **orders, int64_t step, const int *tasks, int count);

/* Inserts an order at the place of its step. If the list has an order of this step already, that one came later from ps:0, and stays. */
TRI_MUST_CHECK tri_status tri__task_orders_insert(tri__task_order **orders, int64_t step, const int *tasks, int count);

void tri__task_orders_forget(tri__task_order **orders, int64_t lowest, bool own); /* frees orders that no step from lowest on needs */
void tri__task_orders_free(tri__task_order **orders);

const tri__task_order *tri__task_orders_find(const tri__task_order *orders, int64_t step, bool own); /* NULL: not known yet */
int tri__task_order_position(const tri__task_order *order, int task);                                /* −1: the task takes no part */

#endif
