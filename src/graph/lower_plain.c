/* lower_plain.c: an operator's plain C rule as a kernel. It always fits, so it is the last resort and the oracle. */
#include <stdlib.h>

#include "base/memory.h"
#include "graph/plan.h"

typedef struct {
    tri__kernel kernel;
    tri__call call;
} plain_kernel;

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    tri__call *call = &((plain_kernel *)kernel)->call;
    for (int i = 0; i < kernel->inputs; i++)
        call->in[i].data = data[i];
    call->out.data = data[kernel->inputs];
    call->moment = moment;
    call->node->op->forward(call);
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    free(kernel);
}

tri_status tri__lower_plain(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    if (!node->op->forward)
        return tri_fail(TRI_INTERNAL, "'%s' (%s) cannot be computed", node->name, node->op->name);
    plain_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    const tri_plan_options *options = &compiler->plan->options;
    self->kernel = (tri__kernel){
        .name = "plain",
        .inputs = node->inputs,
        .outputs = 1,
        .in_place = node->op->in_place,
        .run = run,
        .destroy = destroy,
    };
    self->call = (tri__call){.node = node, .out = {node->type, node->shape, NULL}, .training = options->training, .seed = options->seed};
    for (int i = 0; i < node->inputs; i++) {
        const tri_node *input = node->input[i];
        self->call.in[i] = (tri_tensor){input->type, input->shape, NULL};
        self->kernel.slot[i].bytes = tri__node_bytes(input);
        lowered->input[i] = input;
    }
    self->kernel.slot[node->inputs].bytes = tri__node_bytes(node);
    lowered->output[0] = node;
    lowered->kernel = &self->kernel;
    return NULL;
}
