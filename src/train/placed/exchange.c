/* exchange.c: ranks of MPI as the tasks of a placed graph. */
#include "trireme/exchange.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "train/placed/rank_exchange.h"

typedef struct {
    tri_exchange exchange;
    tri__ranks *ranks;
    int64_t received; /* bytes */
    int64_t waited;   /* nanoseconds, since the last tri__rank_exchange_waited */
} rank_exchange;

static tri__ranks *ranks_of(const tri_exchange *exchange)
{
    return ((const rank_exchange *)exchange)->ranks;
}

static tri_status expect_value(tri_exchange *exchange, int from, int value, void *data, size_t bytes)
{
    ((rank_exchange *)exchange)->received += (int64_t)bytes;
    return tri__ranks_expect(ranks_of(exchange), from, value, data, bytes);
}

static tri_status receive_value(tri_exchange *exchange, int from, int value)
{
    rank_exchange *self = (rank_exchange *)exchange;
    const int64_t begun = tri__clock_now();
    tri_status status = tri__ranks_receive(self->ranks, from, value);
    self->waited += tri__clock_now() - begun;
    return status;
}

static tri_status send_value(tri_exchange *exchange, int to, int value, const void *data, size_t bytes, int64_t now, int64_t expected)
{
    return tri__ranks_send(ranks_of(exchange), to, value, data, bytes, now, expected);
}

/* All tasks must have the same window: each computes from it when the others expect values. */
static tri_status compare_windows(tri_exchange *exchange)
{
    size_t *all;
    TRI_TRY(tri__allocate((size_t)exchange->tasks, sizeof *all, "an exchange", &all));
    tri_status status = tri_exchange_gather(exchange, &exchange->window, sizeof exchange->window, all);
    for (int i = 0; i < exchange->tasks && !status; i++)
        if (all[i] != exchange->window)
            status = tri_fail(TRI_BAD_CALL, "task %d has a window of %zu bytes, task %d one of %zu: it must be the same for all", i, all[i],
                              exchange->task, exchange->window);
    free(all);
    return status;
}

tri_status tri__rank_exchange_create(tri__ranks *ranks, size_t window, tri_exchange **out)
{
    rank_exchange *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "an exchange", &self));
    self->ranks = ranks;
    self->exchange = (tri_exchange){
        .task = tri__ranks_rank(ranks),
        .tasks = tri__ranks_size(ranks),
        .window = window,
        .expect = expect_value,
        .receive = receive_value,
        .send = send_value,
    };
    tri_status status = compare_windows(&self->exchange);
    if (status) {
        free(self);
        return status;
    }
    *out = &self->exchange;
    return NULL;
}

void tri__rank_exchange_destroy(tri_exchange *exchange)
{
    free(exchange);
}

int64_t tri__rank_exchange_received(const tri_exchange *exchange)
{
    return ((const rank_exchange *)exchange)->received;
}

int64_t tri__rank_exchange_waited(tri_exchange *exchange)
{
    rank_exchange *self = (rank_exchange *)exchange;
    const int64_t waited = self->waited;
    self->waited = 0;
    return waited;
}

tri_status tri_exchange_join(const tri_exchange_options *options, tri_exchange **out)
{
    tri__ranks *joined;
    if (!options->lost)
        return tri_fail(TRI_BAD_CALL, "an exchange needs 'lost', which ends the process when another task is lost");
    double seconds = options->timeout > 0 ? options->timeout : 60;
    const size_t window = options->window ? options->window : TRI_EXCHANGE_WINDOW;
    const tri__ranks_options ranks = {
        .timeout = (int64_t)(seconds * 1e9), .hung = options->lost, .slow = options->slow, .context = options->context, .window = window};
    TRI_TRY(tri__ranks_join(&ranks, &joined));
    tri_status status = tri__rank_exchange_create(joined, window, out);
    if (status)
        tri__ranks_leave(joined);
    return status;
}

void tri_exchange_leave(tri_exchange *exchange)
{
    if (!exchange)
        return;
    tri__ranks_leave(ranks_of(exchange));
    tri__rank_exchange_destroy(exchange);
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
