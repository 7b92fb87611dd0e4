/* task_order.c: a list of orders, the latest first. It is short: servers are few steps behind ps:0. */
#include "store/ps/stretch/task_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

/* Inserts an order before *at. */
static tri_status put(tri__task_order **at, int64_t step, const int *tasks, int count)
{
    tri__task_order *order;
    TRI_TRY(tri__allocate(1, sizeof *order + (size_t)count * sizeof *order->task, "the tasks of a step", &order));
    *order = (tri__task_order){.next = *at, .step = step, .count = count};
    memcpy(order->task, tasks, (size_t)count * sizeof *order->task);
    *at = order;
    return NULL;
}

tri_status tri__task_orders_add(tri__task_order **orders, int64_t step, const int *tasks, int count)
{
    return put(orders, step, tasks, count);
}

tri_status tri__task_orders_insert(tri__task_order **orders, int64_t step, const int *tasks, int count)
{
    tri__task_order **at = orders;
    while (*at && (*at)->step > step)
        at = &(*at)->next;
    return *at && (*at)->step == step ? NULL : put(at, step, tasks, count);
}

void tri__task_orders_forget(tri__task_order **orders, int64_t lowest, bool own)
{
    int64_t until = own ? lowest - 1 : lowest;
    tri__task_order **at = orders;
    while (*at && (*at)->step > until)
        at = &(*at)->next;
    if (*at && !own)
        at = &(*at)->next; /* this is the order of the lowest step */
    tri__task_orders_free(at);
}

void tri__task_orders_free(tri__task_order **at)
{
    while (*at) {
        tri__task_order *order = *at;
        *at = order->next;
        free(order);
    }
}

const tri__task_order *tri__task_orders_find(const tri__task_order *orders, int64_t step, bool own)
{
    const tri__task_order *order = orders;
    while (order && order->step > step)
        order = order->next;
    return order && own && order->step < step ? NULL : order;
}

int tri__task_order_position(const tri__task_order *order, int task)
{
    for (int i = 0; i < order->count; i++)
        if (order->task[i] == task)
            return i;
    return -1;
}
