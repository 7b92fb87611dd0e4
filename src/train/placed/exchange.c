/* exchange.c: ranks of MPI as the tasks of a placed graph. */
#include "graph/placed/exchange.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/mpi/ranks.h"
#include "trireme/exchange.h"

typedef struct {
    tri_exchange exchange;
    tri__ranks *ranks;
} rank_exchange;

static tri__ranks *ranks_of(const tri_exchange *exchange)
{
    return ((const rank_exchange *)exchange)->ranks;
}

static tri_status send_value(tri_exchange *exchange, int to, int value, const void *data, size_t bytes)
{
    return tri__ranks_send(ranks_of(exchange), to, value, data, bytes);
}

static tri_status receive_value(tri_exchange *exchange, int from, int value, void *data, size_t bytes)
{
    return tri__ranks_receive(ranks_of(exchange), from, value, data, bytes);
}

tri_status tri_exchange_join(const tri_exchange_options *options, tri_exchange **out)
{
    rank_exchange *self;
    if (!options->lost)
        return tri_fail(TRI_BAD_CALL, "an exchange needs 'lost', which ends the process when another task is lost");
    TRI_TRY(tri__allocate(1, sizeof *self, "an exchange", &self));
    double seconds = options->timeout > 0 ? options->timeout : 60;
    const tri__ranks_options ranks = {.timeout = (int64_t)(seconds * 1e9), .hung = options->lost, .context = options->context};
    tri_status status = tri__ranks_join(&ranks, &self->ranks);
    if (status) {
        free(self);
        return status;
    }
    self->exchange = (tri_exchange){
        .task = tri__ranks_rank(self->ranks),
        .tasks = tri__ranks_size(self->ranks),
        .send = send_value,
        .receive = receive_value,
    };
    *out = &self->exchange;
    return NULL;
}

void tri_exchange_leave(tri_exchange *exchange)
{
    if (!exchange)
        return;
    tri__ranks_leave(ranks_of(exchange));
    free(exchange);
}

int tri_exchange_task(const tri_exchange *exchange)
{
    return exchange->task;
}

int tri_exchange_tasks(const tri_exchange *exchange)
{
    return exchange->tasks;
}

int tri_exchange_tasks_here(const tri_exchange *exchange)
{
    return tri__ranks_here(ranks_of(exchange));
}

int64_t tri_exchange_sent(const tri_exchange *exchange)
{
    return tri__ranks_sent(ranks_of(exchange));
}

tri_status tri_exchange_flush(tri_exchange *exchange)
{
    return tri__ranks_flush(ranks_of(exchange));
}

tri_status tri_exchange_gather(tri_exchange *exchange, const void *mine, size_t bytes, void *all)
{
    return tri__ranks_gather(ranks_of(exchange), mine, bytes, all);
}
