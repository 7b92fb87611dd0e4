/* lower_exchange.c: send has no result, receive no input. */
#include "graph/placed/lower_exchange.h"

#include <stdlib.h>

#include "base/memory.h"
#include "graph/placed/exchange.h"

typedef struct {
    tri__kernel kernel;
    tri_exchange *exchange;
    int peer, number;
} exchange_kernel;

static tri_status run_send(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const exchange_kernel *self = (const exchange_kernel *)kernel;
    return self->exchange->send(self->exchange, self->peer, self->number, data[0], kernel->argument[0].bytes);
}

static tri_status run_receive(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const exchange_kernel *self = (const exchange_kernel *)kernel;
    return self->exchange->receive(self->exchange, self->peer, self->number, data[0], kernel->argument[0].bytes);
}

static void destroy(tri__kernel *kernel)
{
    free(kernel);
}

tri_status tri__lower_exchange(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    bool sends = tri__node_is(node, "send");
    if (!sends && !tri__node_is(node, "receive"))
        return NULL;
    exchange_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    self->kernel = (tri__kernel){
        .name = node->op->name,
        .inputs = sends,
        .outputs = !sends,
        .argument = {{.bytes = tri__node_bytes(node)}},
        .run = sends ? run_send : run_receive,
        .destroy = destroy,
    };
    self->exchange = compiler->plan->options.exchange;
    self->peer = node->peer;
    self->number = node->number;
    lowered->input[0] = sends ? node->input[0] : NULL;
    lowered->output[0] = sends ? NULL : node;
    lowered->kernel = &self->kernel;
    return NULL;
}
