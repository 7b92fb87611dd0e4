/* lower_loop.c: the body's parameters live in a store of the kernel's own. A run copies the inputs there, runs the body's plan, which
 * assigns new values to carried parameters (graph/nodes/loop.c), and copies the carried values out. */
#include "graph/plan/lower_loop.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/loop.h"
#include "graph/store/store.h"

typedef struct {
    tri__kernel kernel;
    const tri_node *node;
    tri_store variables; /* only the body's parameters; it has no kind, because nothing is trained */
    tri_plan *plan;
    int64_t rounds; /* of the last run */
} loop_kernel;

static float *variable_at(const loop_kernel *self, const tri_node *parameter)
{
    return self->variables.parameters + parameter->range.first;
}

static void take_inputs(const loop_kernel *self, void *const *data)
{
    for (int i = 0; i < self->kernel.inputs; i++) {
        const tri_node *parameter = tri__loop_input(self->node->attributes.body, i);
        memcpy(variable_at(self, parameter), data[i], tri__node_bytes(parameter));
    }
}

static void give_carried(const loop_kernel *self, float *out)
{
    const tri_graph *body = self->node->attributes.body;
    const tri_node *carried;
    for (int i = 0; (carried = tri__loop_carried(body, i)); i++) {
        memcpy(out, variable_at(self, carried), tri__node_bytes(carried));
        out += tri_shape_count(carried->shape);
    }
}

/* Run the body once. *wanted: whether `again` is above 0; where it is not, the run has changed nothing. */
static tri_status make_round(loop_kernel *self, bool *wanted)
{
    tri_tensor again;
    TRI_TRY(tri_plan_run(self->plan, NULL));
    TRI_TRY(tri_plan_value(self->plan, "again", &again));
    *wanted = *(const float *)again.data > 0;
    return NULL;
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    loop_kernel *self = (loop_kernel *)kernel;
    const int64_t most = self->node->attributes.most;
    bool wanted = true;
    take_inputs(self, data);
    for (self->rounds = 0; wanted && self->rounds <= most; self->rounds += wanted)
        TRI_TRY(make_round(self, &wanted));
    if (wanted)
        return tri_fail(TRI_BAD_DATA, "the loop '%s' is not done after %" PRId64 " rounds: '%s' is still above 0 (raise most=, or mend it)",
                        self->node->name, most, self->node->attributes.body->output[0].node->name);
    give_carried(self, data[kernel->inputs]);
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    loop_kernel *self = (loop_kernel *)kernel;
    tri_plan_destroy(self->plan);
    tri__buffer_free(self->variables.parameters);
    free(self);
}

static void fill_arguments(const tri_node *node, tri__kernel *kernel, tri__lowered *lowered)
{
    for (int i = 0; i < node->inputs; i++) {
        kernel->argument[i].bytes = tri__node_bytes(node->input[i]);
        lowered->input[i] = node->input[i];
    }
    kernel->argument[node->inputs].bytes = tri__node_bytes(node);
    lowered->output[0] = node;
}

static tri_status plan_body(const tri__compiler *compiler, loop_kernel *self)
{
    const tri_graph *body = self->node->attributes.body;
    const tri_plan_options *outer = &compiler->plan->options;
    const tri_plan_options options = {.batch = body->batch,
                                      .threads = outer->threads,
                                      .seed = outer->seed,
                                      .without = outer->without,
                                      .deterministic = outer->deterministic};
    const size_t floats = tri_graph_parameter_floats(body);
    TRI_TRY(tri__buffer_allocate(floats * sizeof(float), "the values of a loop", &self->variables.parameters));
    self->variables.floats = floats;
    return tri_wrap(tri_plan_create(body, &options, &self->variables, &self->plan), "the loop '%s'", self->node->name);
}

tri_status tri__lower_loop(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    if (!node->attributes.body)
        return NULL;
    loop_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    self->kernel = (tri__kernel){.name = "loop", .inputs = node->inputs, .outputs = 1, .run = run, .destroy = destroy};
    self->node = node;
    tri_status status = plan_body(compiler, self);
    if (status) {
        destroy(&self->kernel);
        return status;
    }
    fill_arguments(node, &self->kernel, lowered);
    lowered->kernel = &self->kernel;
    return NULL;
}

double tri__loop_flops(const tri__plan_call *call)
{
    if (call->kernel->run != run)
        return 0;
    const loop_kernel *self = (const loop_kernel *)call->kernel;
    return (double)self->rounds * tri_plan_flops(self->plan);
}
