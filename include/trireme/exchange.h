/* exchange.h: tasks that run one graph together; each task runs the part that is placed on it.
 *
 * Tasks are ranks of MPI: mpirun or srun starts the same program several times. Each of them builds the same graph, gives its nodes their
 * places (tri_node_place), and makes a plan with its exchange in tri_plan_options. All of them run their plans the same number of times.
 * Task 0 gets the outputs of the graph; in training every task gets the loss.
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
    double timeout; /* seconds that another task may be silent; 0 is 60 */

    /* How many bytes of values a task has under way to others; it also has memory for as many bytes of values that others send before they
     * are needed. 0 is 32 MB. All tasks must give the same. A value that has to be kept for a later reader anyway is not counted. */
    size_t window;

    /* Called when another task has died, is stopped, or has been silent for too long; why names it. The call of MPI that waits for that
     * task never returns, so this function must end the process. A thread of the library calls it. */
    void (*lost)(void *context, const char *why);

    /* Called once in a wait, when a quarter of the timeout has passed; why names the task that this one waits for. A thread of the library
     * calls it. May be NULL. */
    void (*slow)(void *context, const char *why);
    void *context;
} tri_exchange_options;

/* Returns when all tasks have joined. TRI_UNSUPPORTED where Open MPI is not installed. */
TRI_MUST_CHECK tri_status tri_exchange_join(const tri_exchange_options *options, tri_exchange **out);

/* Waits until the other tasks leave, too. After a failure that they do not know of, end the process instead. Accepts NULL. */
void tri_exchange_leave(tri_exchange *exchange);

int tri_exchange_task(const tri_exchange *exchange); /* from 0 */
int tri_exchange_tasks(const tri_exchange *exchange);
int tri_exchange_tasks_here(const tri_exchange *exchange);            /* on this host */
int64_t tri_exchange_sent(const tri_exchange *exchange);              /* bytes of values that were sent so far */
TRI_MUST_CHECK tri_status tri_exchange_flush(tri_exchange *exchange); /* waits until the others have taken all that was sent */

/* Every task gives `bytes` bytes in mine, and gets those of all tasks in all: [tasks][bytes]. All tasks make the call, while no value is
 * under way. */
TRI_MUST_CHECK tri_status tri_exchange_gather(tri_exchange *exchange, const void *mine, size_t bytes, void *all);

#ifdef __cplusplus
}
#endif
#endif
