/* exchange.h: tasks that run one graph together, each the part that is placed on it.
 *
 * Tasks are ranks of MPI: mpirun or srun starts the same program several times. Each of them builds the same graph, gives its nodes their
 * places (tri_node_place), and makes a plan with its exchange in tri_plan_options. All of them run their plans the same number of times.
 * Outputs of the graph are task 0's; in training every task gets the loss.
 *
 * One thread uses an exchange and its plans. */
#ifndef TRIREME_EXCHANGE_H
#define TRIREME_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_exchange tri_exchange;

typedef struct {
    double timeout; /* seconds without a word of another task; 0: 60 */

    /* Bytes that a task has under way to others, and as many that it has ready for values of others before they are needed; 0: 32 MB. The
     * same for all tasks. What must lie somewhere between the node that computes it and a later reader is not counted. */
    size_t window;

    /* Another task has died, is stopped, or has been silent for too long: why names it. The call of MPI that waits for it never returns, so
     * this must end the process; a thread of the library calls it. */
    void (*lost)(void *context, const char *why);

    /* A quarter of the timeout has passed, and why names whom this task waits for. Once a wait; a thread of the library calls it. May be
     * NULL. */
    void (*slow)(void *context, const char *why);
    void *context;
} tri_exchange_options;

/* Returns when all tasks have come. TRI_UNSUPPORTED where Open MPI is not installed. */
TRI_MUST_CHECK tri_status tri_exchange_join(const tri_exchange_options *options, tri_exchange **out);

/* Waits for the other tasks to leave, too: after a failure that they do not know of, end the process instead. Accepts NULL. */
void tri_exchange_leave(tri_exchange *exchange);

int tri_exchange_task(const tri_exchange *exchange); /* from 0 */
int tri_exchange_tasks(const tri_exchange *exchange);
int tri_exchange_tasks_here(const tri_exchange *exchange);            /* on this host */
int64_t tri_exchange_sent(const tri_exchange *exchange);              /* bytes of values, so far */
TRI_MUST_CHECK tri_status tri_exchange_flush(tri_exchange *exchange); /* waits until the others have taken all that was sent */

/* Every task gives bytes of mine, and gets those of all: [tasks][bytes]. All tasks make the call, and nothing may be under way. */
TRI_MUST_CHECK tri_status tri_exchange_gather(tri_exchange *exchange, const void *mine, size_t bytes, void *all);

#ifdef __cplusplus
}
#endif
#endif
