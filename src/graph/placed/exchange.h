/* exchange.h: how the tasks that run a placed graph get values to each other.
 *
 * A plan that is one task's part of a graph calls it, from the plan's thread. Each value that crosses has a number, the same for all tasks,
 * and is sent once a run to each task that reads it. */
#ifndef TRI_GRAPH_PLACED_EXCHANGE_H
#define TRI_GRAPH_PLACED_EXCHANGE_H

#include "trireme/exchange.h"

struct tri_exchange {
    int task, tasks; /* which of how many this is */

    /* Never waits for the other task: data is copied, and may change when the call returns. */
    tri_status (*send)(tri_exchange *exchange, int to, int value, const void *data, size_t bytes);

    /* Waits until the value has come. */
    tri_status (*receive)(tri_exchange *exchange, int from, int value, void *data, size_t bytes);
};

#endif
