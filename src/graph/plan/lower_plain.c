/* lower_plain.c: an operator's plain C rule as a kernel. Every operator has one, so it is used where there is no other kernel, and to test
 * the others. */
#include "graph/plan/lower_plain.h"

#include <stdlib.h>

#include "base/memory/memory.h"

typedef struct {
    tri__kernel kernel;
    tri__call call;
    int parts; /* parts into which the rows are split */
} plain_kernel;

/* Below this many elements a team costs more time than it saves. */
#define WORTH_A_TEAM 16384

static size_t row_bytes(const tri_tensor *tensor)
{
    return (size_t)(tri_shape_count(tensor->shape) / tensor->shape.dim[0]) * tri_type_size(tensor->type);
}

/* The part of a tensor that is rows first … first + count − 1. */
static tri_tensor rows_of(const tri_tensor *tensor, int64_t first, int64_t count)
{
    tri_tensor part = *tensor;
    part.data = (char *)tensor->data + (size_t)first * row_bytes(tensor);
    part.shape.dim[0] = count;
    return part;
}

static void run_rows(const tri__call *whole, int inputs, int64_t first, int64_t count)
{
    tri__call part = *whole;
    for (int i = 0; i < inputs; i++)
        part.in[i] = rows_of(&whole->in[i], first, count);
    part.out = rows_of(&whole->out, first, count);
    part.row = first;
    part.node->op->forward(&part);
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    plain_kernel *self = (plain_kernel *)kernel;
    tri__call *call = &self->call;
    for (int i = 0; i < kernel->inputs; i++)
        call->in[i].data = data[i];
    call->out.data = data[kernel->inputs];
    call->moment = moment;
    if (self->parts == 1) {
        call->node->op->forward(call);
        return NULL;
    }
    int64_t rows = call->out.shape.dim[0];
#pragma omp parallel for schedule(static) num_threads(self->parts)
    for (int t = 0; t < self->parts; t++)
        run_rows(call, kernel->inputs, rows * t / self->parts, rows * (t + 1) / self->parts - rows * t / self->parts);
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
        self->kernel.argument[i].bytes = tri__node_bytes(input);
        lowered->input[i] = input;
    }
    self->kernel.argument[node->inputs].bytes = tri__node_bytes(node);
    self->parts = node->op->by_row && tri_shape_count(node->shape) >= WORTH_A_TEAM ? options->threads : 1;
    lowered->output[0] = node;
    lowered->kernel = &self->kernel;
    return NULL;
}
