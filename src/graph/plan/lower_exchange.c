/* lower_exchange.c: send has no result, expect no input. Receive gives the value that expect provided memory for: the compiler makes its
 * result an alias of that memory. */
#include "graph/plan/lower_exchange.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/placed/exchange.h"

typedef struct {
    tri__kernel kernel;
    tri_exchange *exchange;
    int peer, number, expected;
} exchange_kernel;

static tri_status run_send(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const exchange_kernel *self = (const exchange_kernel *)kernel;
    tri_exchange *exchange = self->exchange;
    return exchange->send(exchange, self->peer, self->number, data[0], kernel->argument[0].bytes,
                          tri__exchange_moment(exchange, self->number), tri__exchange_moment(exchange, self->expected));
}

static tri_status run_expect(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const exchange_kernel *self = (const exchange_kernel *)kernel;
    return self->exchange->expect(self->exchange, self->peer, self->number, data[0], kernel->argument[0].bytes);
}

static tri_status run_receive(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)data, (void)moment;
    const exchange_kernel *self = (const exchange_kernel *)kernel;
    return self->exchange->receive(self->exchange, self->peer, self->number);
}

static void destroy(tri__kernel *kernel)
{
    free(kernel);
}

tri_status tri__lower_exchange(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    bool sends = tri__node_is(node, "send"), expects = tri__node_is(node, "expect");
    if (!sends && !expects && !tri__node_is(node, "receive"))
        return NULL;
    exchange_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    self->kernel = (tri__kernel){
        .name = node->op->name,
        .inputs = !expects,
        .outputs = expects,
        .argument = {{.bytes = tri__node_bytes(node)}},
        .run = sends     ? run_send
               : expects ? run_expect
                         : run_receive,
        .destroy = destroy,
    };
    self->exchange = compiler->plan->options.exchange;
    self->peer = node->peer;
    self->number = node->number;
    self->expected = node->expected;
    lowered->input[0] = expects ? NULL : node->input[0];
    lowered->output[0] = expects ? node : NULL;
    lowered->kernel = &self->kernel;
    return NULL;
}
