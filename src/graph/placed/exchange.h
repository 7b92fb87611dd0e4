/* exchange.h: how the tasks that run a placed graph send values to each other.
 *
 * A plan of one task's part of a graph calls the exchange, in the plan's thread. Each value that crosses has a number, the same for all
 * tasks, and is sent once a run to each task that reads it. All tasks work in one common order (cut.h): a moment is a place in that
 * order. */
#ifndef TRI_GRAPH_PLACED_EXCHANGE_H
#define TRI_GRAPH_PLACED_EXCHANGE_H

#include "trireme/exchange.h"

struct tri_exchange {
    int task, tasks; /* the number of this task, from 0, and how many tasks there are */
    size_t window;   /* bytes that a task has under way, and as many that it expects; the same for all tasks */
    int64_t run;     /* the number of the present run; plans count it up */

    /* Provides memory for a value that will come. The memory is the exchange's until receive returns. */
    tri_status (*expect)(tri_exchange *exchange, int from, int value, void *data, size_t bytes);

    /* Waits until the value that was expected has come. */
    tri_status (*receive)(tri_exchange *exchange, int from, int value);

    /* Sends a value; data are copied. now: the present moment; expected: the moment from which on the other task expects the value. Where
     * more than the window is under way, it waits for values that are expected before now, and never for others. */
    tri_status (*send)(tri_exchange *exchange, int to, int value, const void *data, size_t bytes, int64_t now, int64_t expected);
};

/* The moment of the node with this number in the whole graph's order, in the present run. */
static inline int64_t tri__exchange_moment(const tri_exchange *exchange, int number)
{
    return exchange->run * (INT64_C(1) << 32) + number;
}

#endif
