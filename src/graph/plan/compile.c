/* compile.c: turns a graph into a list of calls.
 *
 * Nodes are taken in order. Each is bound to memory that exists (inputs, parameters, constants), is a view of another operand, or is
 * computed by a call. The call's kernel is the first that there is: narrow, then oneDNN, then plain C. A kernel says in which layouts it
 * wants its inputs; where an operand is not in that layout, a reorder is put before it, once. When all calls are made, plan_buffer.c finds
 * lifetimes and packs the memory, and schedule.c decides at which calls the plan awaits the store and offers to it. */
#include "graph/plan/compile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/placed/cut.h"
#include "graph/placed/exchange.h"
#include "graph/placed/order.h"
#include "graph/placed/placement.h"
#include "graph/plan/lower_exchange.h"
#include "graph/plan/lower_loop.h"
#include "graph/plan/lower_narrow.h"
#include "graph/plan/lower_onednn.h"
#include "graph/plan/lower_plain.h"
#include "graph/plan/lower_table.h"
#include "graph/plan/plan_buffer.h"
#include "graph/plan/plan_table.h"
#include "graph/plan/schedule.h"
#include "graph/rewrite/autodiff.h"
#include "graph/rewrite/label_shares.h"
#include "graph/rewrite/rewrite.h"
#include "tensor/narrow/narrow.h"

const tri__tensor_layout *tri__compiler_layout(const tri__compiler *compiler, const tri_node *node)
{
    return compiler->plan->operand[compiler->operand_of[node->id]].layout;
}

bool tri__compiler_is_live_elsewhere(const tri__compiler *compiler, const tri_node *node, const tri_node *const *inside, int count)
{
    const tri_graph *graph = compiler->graph;
    if (node->target)
        return true;
    for (int i = 0; i < graph->outputs; i++)
        if (graph->output[i].node == node)
            return true;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *user = graph->node[i];
        bool uses = false, is_inside = false;
        for (int k = 0; k < user->inputs; k++)
            uses |= user->input[k] == node;
        for (int k = 0; k < count; k++)
            is_inside |= inside[k] == user;
        if (uses && !is_inside)
            return true;
    }
    return false;
}

/* ---- operands ---- */

static tri_status add_operand(tri_plan *plan, tri__operand operand, int *out)
{
    TRI_TRY(tri__grow(&plan->operand, &plan->operand_room, plan->operands + 1, sizeof *plan->operand, "a plan"));
    operand.root = plan->operands;
    operand.source = -1;
    operand.first = operand.last = -1;
    *out = plan->operands;
    plan->operand[plan->operands++] = operand;
    return NULL;
}

static tri_status add_alias(tri_plan *plan, int original, const tri_node *node, int *out)
{
    tri__operand operand = plan->operand[original];
    int root = operand.root;
    operand.node = node;
    TRI_TRY(add_operand(plan, operand, out));
    plan->operand[*out].root = root;
    return NULL;
}

/* ---- calls ---- */

static tri_status add_call(tri_plan *plan, tri__kernel *kernel, const tri_node *node, const tri__guard *guard, const int *operand)
{
    tri_status status = tri__grow(&plan->call, &plan->call_room, plan->calls + 1, sizeof *plan->call, "a plan");
    char shape[64];
    tri_shape_text(node->shape, shape, sizeof shape);
    const char *text = status ? NULL : tri__arena_format(plan->graph->arena, "%s %s %s", kernel->name, node->name, shape);
    if (!status && !text)
        status = tri_fail(TRI_NO_MEMORY, "no memory for a plan of %d calls", plan->calls);
    if (status) {
        kernel->destroy(kernel);
        return status;
    }
    tri__plan_call call = {.kernel = kernel, .node = node, .text = text, .guard = guard ? guard->number : -1};
    memcpy(call.operand, operand, sizeof call.operand);
    plan->call[plan->calls++] = call;
    return NULL;
}

static tri_status make_reorder(tri__compiler *compiler, const tri_node *node, const tri__tensor_layout *from, const tri__tensor_layout *to,
                               tri__kernel **out)
{
    const tri_plan *plan = compiler->plan;
    int64_t batch = node->shape.rank ? node->shape.dim[0] : 1;
    int64_t rest = batch ? tri_shape_count(node->shape) / batch : 0;
    const tri__narrow_team team = {.threads = plan->options.threads};
    if (tri__tensor_layout_kind_of(to) == TRI_LAYOUT_LANES)
        return tri__narrow_to_lanes(batch, rest, team, out);
    if (tri__tensor_layout_kind_of(from) == TRI_LAYOUT_LANES)
        return tri__narrow_to_plain(batch, rest, team, out);
    return tri__onednn_reorder(plan->onednn, node->shape, from, to, out);
}

/* A copy of an operand in another layout; where there is such a copy already, it is used again. */
static tri_status converted(tri__compiler *compiler, int from, const tri__tensor_layout *layout, int *out)
{
    tri_plan *plan = compiler->plan;
    if (tri__tensor_layout_equal(plan->operand[from].layout, layout)) {
        *out = from;
        return NULL;
    }
    for (int i = 0; i < plan->operands; i++)
        if (plan->operand[i].source == from && tri__tensor_layout_equal(plan->operand[i].layout, layout)) {
            *out = i;
            return NULL;
        }
    bool by_plain = plan->operand[from].layout && layout &&
                    tri__tensor_layout_kind_of(plan->operand[from].layout) != tri__tensor_layout_kind_of(layout);
    if (by_plain)
        TRI_TRY(converted(compiler, from, NULL, &from));
    const tri_node *node = plan->operand[from].node;
    tri__kernel *kernel;
    TRI_TRY(make_reorder(compiler, node, plan->operand[from].layout, layout, &kernel));
    int operand[TRI_KERNEL_ARGUMENTS] = {from};
    tri__operand made = {.node = node, .layout = layout, .bytes = kernel->argument[1].bytes};
    tri_status status = add_operand(plan, made, &operand[1]);
    if (status) {
        kernel->destroy(kernel);
        return status;
    }
    plan->operand[operand[1]].source = from;
    *out = operand[1];
    return add_call(plan, kernel, node, compiler->guard[node->id], operand);
}

/* Where a parameter's gradient belongs: in the store or, where the store dropped its gradient, among the plan's own operands. */
static tri__operand gradient_operand(const tri_plan *plan, const tri_node *node)
{
    if (node->parameter->table >= 0)
        return (tri__operand){.node = node, .where = TRI_IN_TABLE};
    float *all = tri_store_gradient(plan->store);
    return (tri__operand){
        .node = node,
        .bytes = tri__node_bytes(node),
        .where = all ? TRI_FIXED : TRI_IN_BUFFER,
        .fixed = all ? all + node->parameter->range.first : NULL,
        .offered = !all,
    };
}

static tri_status take_inputs(tri__compiler *compiler, const tri__lowered *lowered, int *operand)
{
    for (int i = 0; i < lowered->kernel->inputs; i++) {
        int from = compiler->operand_of[lowered->input[i]->id];
        assert(from >= 0); /* inputs come before their users */
        TRI_TRY(converted(compiler, from, lowered->kernel->argument[i].layout, &operand[i]));
    }
    return NULL;
}

static tri_status make_outputs(tri__compiler *compiler, const tri__lowered *lowered, int *operand)
{
    tri_plan *plan = compiler->plan;
    for (int i = 0; i < lowered->kernel->outputs; i++) {
        int argument = lowered->kernel->inputs + i;
        const tri_node *node = lowered->output[i];
        tri__operand made = {
            .node = node, .layout = lowered->kernel->argument[argument].layout, .bytes = lowered->kernel->argument[argument].bytes};
        if (node->parameter && !made.layout)
            made = gradient_operand(plan, node);
        TRI_TRY(add_operand(plan, made, &operand[argument]));
        compiler->operand_of[node->id] = operand[argument];
        compiler->covered[node->id] = true;
    }
    return NULL;
}

static tri_status make_workspaces(tri__compiler *compiler, const tri__lowered *lowered, int *operand)
{
    const tri__kernel *kernel = lowered->kernel;
    for (int i = 0; i < kernel->workspaces; i++) {
        int argument = kernel->inputs + kernel->outputs + i;
        if (i == 0 && lowered->reads) {
            operand[argument] = compiler->workspace_of[lowered->reads->id];
            continue;
        }
        TRI_TRY(add_operand(compiler->plan, (tri__operand){.bytes = kernel->argument[argument].bytes}, &operand[argument]));
        if (i == 0 && lowered->keeps)
            compiler->workspace_of[lowered->keeps->id] = operand[argument];
    }
    return NULL;
}

/* Where a kernel gives a gradient in a layout of its own, copy it to the flat buffer. */
static tri_status deliver_gradients(tri__compiler *compiler, const tri__lowered *lowered, int outputs)
{
    tri_plan *plan = compiler->plan;
    for (int i = 0; i < outputs; i++) {
        const tri_node *node = lowered->output[i];
        int from = compiler->operand_of[node->id];
        if (!node->parameter || !plan->operand[from].layout)
            continue;
        tri__kernel *kernel;
        TRI_TRY(make_reorder(compiler, node, plan->operand[from].layout, NULL, &kernel));
        int operand[TRI_KERNEL_ARGUMENTS] = {from};
        tri_status status = add_operand(plan, gradient_operand(plan, node), &operand[1]);
        if (status) {
            kernel->destroy(kernel);
            return status;
        }
        compiler->operand_of[node->id] = operand[1];
        TRI_TRY(add_call(plan, kernel, node, compiler->guard[node->id], operand));
    }
    return NULL;
}

/* A call is made where any of its results is needed. */
static const tri__guard *guard_of_call(const tri__compiler *compiler, const tri__lowered *lowered)
{
    const tri__guard *guard = compiler->guard[lowered->node->id];
    for (int i = 0; i < lowered->kernel->outputs; i++)
        guard = tri__guard_common(guard, compiler->guard[lowered->output[i]->id]);
    return guard;
}

/* Put a lowered kernel into the plan; takes ownership of the kernel, also where it fails. */
static tri_status emit(tri__compiler *compiler, const tri__lowered *lowered)
{
    int operand[TRI_KERNEL_ARGUMENTS] = {0};
    int outputs = lowered->kernel->outputs;
    tri_status status = take_inputs(compiler, lowered, operand);
    if (!status)
        status = make_outputs(compiler, lowered, operand);
    if (!status)
        status = make_workspaces(compiler, lowered, operand);
    if (status) {
        lowered->kernel->destroy(lowered->kernel);
        return status;
    }
    TRI_TRY(add_call(compiler->plan, lowered->kernel, lowered->node, guard_of_call(compiler, lowered), operand));
    return deliver_gradients(compiler, lowered, outputs);
}

/* ---- nodes ---- */

static tri_status bind_input(tri__compiler *compiler, const tri_node *node)
{
    static const struct {
        const char *name;
        tri__location where;
        tri_type type;
    } known[] = {{"labels", TRI_BATCH_LABELS, TRI_I32},
                 {"targets", TRI_BATCH_TARGETS, TRI_F32},
                 {"weights", TRI_BATCH_WEIGHTS, TRI_F32},
                 {"keys", TRI_BATCH_LISTS, TRI_I32},
                 {"values", TRI_BATCH_LISTS, TRI_F32}};
    tri__operand operand = {.node = node, .bytes = tri__node_bytes(node), .where = TRI_BATCH_X};
    if (strcmp(node->name, "x") == 0)
        compiler->plan->input_type = node->type;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(node->name, known[i].name) == 0 && node->type == known[i].type)
            operand.where = known[i].where;
    if (operand.where == TRI_BATCH_X && strcmp(node->name, "x") != 0)
        return tri_fail(TRI_BAD_CALL,
                        "a batch has no input '%s' of type %s; inputs are x, labels (i32), targets (f32), weights (f32), keys (i32) "
                        "and values (f32)",
                        node->name, tri_type_name(node->type));
    compiler->plan->sparse |= operand.where == TRI_BATCH_LISTS;
    if (operand.where == TRI_BATCH_TARGETS)
        compiler->plan->outputs = node->shape.rank == 2 ? node->shape.dim[1] : 1;
    return add_operand(compiler->plan, operand, &compiler->operand_of[node->id]);
}

static tri_status bind_table(tri__compiler *compiler, const tri_node *node)
{
    return add_operand(compiler->plan, (tri__operand){.node = node, .where = TRI_IN_TABLE}, &compiler->operand_of[node->id]);
}

static tri_status bind_parameter(tri__compiler *compiler, const tri_node *node)
{
    float *parameters = tri_store_parameters(compiler->plan->store);
    tri__operand operand = {.node = node, .bytes = tri__node_bytes(node), .where = TRI_FIXED, .fixed = parameters + node->range.first};
    return add_operand(compiler->plan, operand, &compiler->operand_of[node->id]);
}

static tri_status bind_constant(tri__compiler *compiler, tri_node *node)
{
    TRI_TRY(tri__constant_data(compiler->graph, node));
    tri__operand operand = {.node = node, .bytes = tri__node_bytes(node), .where = TRI_FIXED, .fixed = (void *)node->data};
    return add_operand(compiler->plan, operand, &compiler->operand_of[node->id]);
}

/* Plain operands can be viewed in another shape, and so can lanes, as long as the batch stays first. Blocked layouts cannot. */
static tri_status view_node(tri__compiler *compiler, const tri_node *node)
{
    const tri_node *input = node->input[0];
    int source = compiler->operand_of[input->id];
    tri__tensor_layout_kind kind = tri__tensor_layout_kind_of(compiler->plan->operand[source].layout);
    bool same_batch = node->shape.rank && input->shape.rank && node->shape.dim[0] == input->shape.dim[0];
    if (kind == TRI_LAYOUT_ONEDNN || (kind == TRI_LAYOUT_LANES && !same_batch))
        TRI_TRY(converted(compiler, source, NULL, &source));
    return add_alias(compiler->plan, source, node, &compiler->operand_of[node->id]);
}

/* Where this build of oneDNN, or this CPU, has no such kernel, plain C computes the node. */
static tri_status try_onednn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    tri_status status = tri__lower_onednn(compiler, node, lowered);
    if (tri_status_code(status) != TRI_UNSUPPORTED)
        return status;
    tri_status_free(status);
    *lowered = (tri__lowered){.node = node};
    return NULL;
}

static tri_status compute_node(tri__compiler *compiler, const tri_node *node)
{
    const unsigned without = compiler->plan->options.without;
    bool empty = tri_shape_count(node->shape) == 0 || compiler->graph->batch == 0;
    tri__lowered lowered = {.node = node};
    TRI_TRY(tri__lower_exchange(compiler, node, &lowered));
    if (!lowered.kernel)
        TRI_TRY(tri__lower_loop(compiler, node, &lowered));
    if (!lowered.kernel)
        TRI_TRY(tri__lower_table(compiler, node, &lowered));
    if (!lowered.kernel && !empty && !(without & TRI_PLAN_NARROW))
        TRI_TRY(tri__lower_narrow(compiler, node, &lowered));
    if (!lowered.kernel && !empty && !(without & TRI_PLAN_ONEDNN))
        TRI_TRY(try_onednn(compiler, node, &lowered));
    if (!lowered.kernel)
        TRI_TRY(tri__lower_plain(compiler, node, &lowered));
    return emit(compiler, &lowered);
}

/* Inputs, parameters and constants exist before anything is computed. */
static tri_status bind_node(tri__compiler *compiler, tri_node *node)
{
    if (tri__node_is(node, "input"))
        return bind_input(compiler, node);
    if (tri__node_is(node, "parameter"))
        return bind_parameter(compiler, node);
    if (node->table >= 0)
        return bind_table(compiler, node);
    return tri__node_is(node, "constant") ? bind_constant(compiler, node) : NULL;
}

static tri_status compile_node(tri__compiler *compiler, const tri_node *node)
{
    if (compiler->operand_of[node->id] >= 0 || compiler->covered[node->id])
        return NULL;
    if (node->op->view && !node->parameter)
        return view_node(compiler, node);
    TRI_TRY(compute_node(compiler, node));
    return tri__node_is(node, "receive") ? view_node(compiler, node) : NULL;
}

/* ---- pointers ---- */

static tri_status bind_argument(tri_plan *plan, int index, int argument)
{
    tri__plan_call *call = &plan->call[index];
    const tri__operand *root = &plan->operand[plan->operand[call->operand[argument]].root];
    const bool scattered = argument == 0 && call->kernel->scattered;
    if (scattered)
        TRI_TRY(tri__allocate((size_t)plan->options.batch, sizeof *call->row, "a plan", &call->row));
    if (root->where == TRI_IN_TABLE)
        return NULL;
    if (root->where != TRI_IN_BUFFER && root->where != TRI_FIXED) {
        plan->gathered |= root->where == TRI_BATCH_X && !scattered;
        TRI_TRY(tri__grow(&plan->binding, &plan->binding_room, plan->bindings + 1, sizeof *plan->binding, "a plan"));
        plan->binding[plan->bindings++] = (tri__binding){index, argument, root->where};
        return NULL;
    }
    call->data[argument] = root->where == TRI_FIXED ? root->fixed : (char *)plan->buffer + root->offset;
    if (scattered)
        tri__plan_point(call, call->data[argument], plan->options.batch);
    return NULL;
}

static void bind_guards(const tri__compiler *compiler)
{
    tri_plan *plan = compiler->plan;
    for (int i = 0; i < compiler->guards; i++) {
        const tri__operand *root = plan->guard[i].operand < 0 ? NULL : &plan->operand[plan->operand[plan->guard[i].operand].root];
        if (root)
            plan->guard[i].data = root->where == TRI_FIXED ? root->fixed : (float *)(void *)((char *)plan->buffer + root->offset);
    }
}

static tri_status bind_all(tri_plan *plan)
{
    for (int c = 0; c < plan->calls; c++)
        for (int s = 0; s < tri__kernel_arguments(plan->call[c].kernel); s++)
            TRI_TRY(bind_argument(plan, c, s));
    return NULL;
}

/* ---- the whole plan ---- */

static tri_status assign_tasks(const tri__compiler *compiler)
{
    const tri_exchange *exchange = compiler->plan->options.exchange;
    return exchange ? tri__graph_assign_tasks(compiler->graph, exchange->tasks) : NULL;
}

/* Rewrites and differentiation made nodes that have no task yet: assign them. In training every task gets the loss. */
static tri_status cut_out_own_part(const tri__compiler *compiler)
{
    const tri_exchange *exchange = compiler->plan->options.exchange;
    if (!exchange)
        return NULL;
    TRI_TRY(assign_tasks(compiler));
    TRI_TRY(tri__graph_order(compiler->graph, exchange->tasks));
    return tri__graph_cut(compiler->graph, exchange, compiler->plan->options.training);
}

static tri_status prepare_graph(tri__compiler *compiler, const tri_graph *graph)
{
    tri_plan *plan = compiler->plan;
    TRI_TRY(tri_graph_copy(graph, plan->options.batch, &plan->graph));
    compiler->graph = plan->graph;
    if (plan->options.training && plan->options.label_shares)
        TRI_TRY(tri__graph_read_label_shares(plan->graph));
    TRI_TRY(assign_tasks(compiler));
    TRI_TRY(tri__graph_rewrite(plan->graph, plan->options.without));
    if (!plan->options.training)
        return cut_out_own_part(compiler);
    tri_node *loss = tri_graph_find_output(plan->graph, "loss");
    if (!loss)
        return tri_fail(TRI_BAD_CALL, "the graph has no output 'loss' to train by");
    TRI_TRY(tri__allocate((size_t)plan->graph->count, sizeof *compiler->gradient, "a plan", &compiler->gradient));
    TRI_TRY(tri__graph_gradients(plan->graph, loss, plan->options.without & TRI_PLAN_INPUT_GRADIENT, compiler->gradient));
    tri_node *logits = plan->options.keep_logits ? tri_graph_find_output(plan->graph, "logits") : NULL;
    plan->graph->outputs = 1; /* training needs only the loss; the other outputs are for evaluation */
    plan->graph->output[0] = (tri__output){"loss", loss};
    if (logits)
        plan->graph->output[plan->graph->outputs++] = (tri__output){"logits", logits};
    if (!(plan->options.without & TRI_PLAN_FOLD))
        TRI_TRY(tri__graph_fold(plan->graph));
    TRI_TRY(tri__graph_sort(plan->graph, !(plan->options.without & TRI_PLAN_DEAD)));
    return cut_out_own_part(compiler);
}

static tri_status prepare_tables(tri__compiler *compiler)
{
    size_t count = (size_t)compiler->graph->count + 1;
    TRI_TRY(tri__allocate(count, sizeof *compiler->operand_of, "a plan", &compiler->operand_of));
    TRI_TRY(tri__allocate(count, sizeof *compiler->workspace_of, "a plan", &compiler->workspace_of));
    TRI_TRY(tri__allocate(count, sizeof *compiler->covered, "a plan", &compiler->covered));
    TRI_TRY(tri__allocate(count, sizeof(tri__guard *), "a plan", &compiler->guard));
    TRI_TRY(tri__graph_find_guards(compiler->graph, compiler->guard, &compiler->guards));
    TRI_TRY(tri__allocate((size_t)compiler->guards + 1, sizeof *compiler->plan->guard, "a plan", &compiler->plan->guard));
    TRI_TRY(tri__allocate(count, sizeof(tri__group *), "a plan", &compiler->forward));
    TRI_TRY(tri__allocate(count, sizeof(tri__group *), "a plan", &compiler->backward));
    for (size_t i = 0; i < count; i++)
        compiler->operand_of[i] = compiler->workspace_of[i] = -1;
    return NULL;
}

static tri_status make_calls(tri__compiler *compiler)
{
    tri_plan *plan = compiler->plan;
    if (!(plan->options.without & TRI_PLAN_NARROW) && plan->options.batch > 0)
        TRI_TRY(tri__narrow_find(compiler));
    for (int i = 0; i < compiler->graph->count; i++)
        TRI_TRY(bind_node(compiler, compiler->graph->node[i]));
    for (int i = 0; i < compiler->graph->count; i++)
        TRI_TRY(compile_node(compiler, compiler->graph->node[i]));
    TRI_TRY(tri__allocate((size_t)plan->graph->outputs + 1, sizeof *plan->output_operand, "a plan", &plan->output_operand));
    for (int i = 0; i < plan->graph->outputs; i++)
        TRI_TRY(converted(compiler, compiler->operand_of[plan->graph->output[i].node->id], NULL, &plan->output_operand[i]));
    return NULL;
}

/* The call that computes the operand; earlier calls cannot use it as a predicate. A value of another task is there when it was received,
 * not when it is expected. */
static int call_of(const tri_plan *plan, int operand)
{
    const int root = plan->operand[operand].root;
    int found = -1;
    for (int c = 0; c < plan->calls; c++) {
        const tri__kernel *kernel = plan->call[c].kernel;
        const int first = tri__node_is(plan->call[c].node, "receive") ? 0 : kernel->inputs;
        for (int s = first; s < kernel->inputs + kernel->outputs; s++)
            if (plan->operand[plan->call[c].operand[s]].root == root)
                found = c;
    }
    return found;
}

/* Whether the predicates of a guard, and of the guards around it, are known when this call is to be made. */
static bool are_known(const tri_plan *plan, int guard, int call)
{
    for (int g = guard; g >= 0; g = plan->guard[g].outer) {
        const int operand = plan->guard[g].operand;
        const bool fixed = operand >= 0 && plan->operand[plan->operand[operand].root].where == TRI_FIXED;
        if (operand < 0 || (!fixed && call_of(plan, operand) >= call))
            return false;
    }
    return true;
}

/* Lists where the predicates of guards lie. Where a call comes before a predicate, it loses that guard and keeps the outer ones. */
static void list_guards(const tri__compiler *compiler)
{
    tri_plan *plan = compiler->plan;
    for (int i = 0; i < compiler->graph->count; i++)
        for (const tri__guard *g = compiler->guard[i]; g; g = g->outer) {
            int operand = compiler->operand_of[g->predicate->id];
            const tri__operand *root = &plan->operand[plan->operand[operand].root];
            bool plain = !plan->operand[operand].layout && (root->where == TRI_IN_BUFFER || root->where == TRI_FIXED);
            plan->guard[g->number] =
                (tri__plan_guard){.operand = plain ? operand : -1, .taken = g->taken, .outer = g->outer ? g->outer->number : -1};
        }
    for (int c = 0; c < plan->calls; c++)
        while (plan->call[c].guard >= 0 && !are_known(plan, plan->call[c].guard, c))
            plan->call[c].guard = plan->guard[plan->call[c].guard].outer;
}

/* Lists the nodes that assign: where the new values lie, and to which variable they go. */
static tri_status list_assignments(const tri__compiler *compiler)
{
    tri_plan *plan = compiler->plan;
    const tri_graph *graph = plan->graph;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *node = graph->node[i];
        if (!node->op->assigns)
            continue;
        if (plan->options.training)
            return tri_fail(TRI_BAD_CALL, "'%s' assigns to '%s', which training updates: run such a graph instead", node->name,
                            node->input[0]->name);
        for (int k = 0; k < plan->assignments; k++)
            if (plan->assignment[k].variable == node->input[0])
                return tri_fail(TRI_BAD_CALL, "'%s' and '%s' both assign to '%s' in one run", plan->assignment[k].node->name, node->name,
                                node->input[0]->name);
        TRI_TRY(tri__grow(&plan->assignment, &plan->assignment_room, plan->assignments + 1, sizeof *plan->assignment, "a plan"));
        plan->assignment[plan->assignments++] = (tri__assignment){node, node->input[0], compiler->operand_of[node->id]};
    }
    return NULL;
}

static tri_status compile(tri__compiler *compiler, const tri_graph *graph)
{
    tri_plan *plan = compiler->plan;
    TRI_TRY(prepare_graph(compiler, graph));
    TRI_TRY(prepare_tables(compiler));
    TRI_TRY(tri__plan_tables_init(plan));
    plan->classes = tri__graph_classes(plan->graph);
    TRI_TRY(make_calls(compiler));
    TRI_TRY(list_assignments(compiler));
    list_guards(compiler);
    tri__plan_find_lifetimes(plan);
    TRI_TRY(tri__plan_schedule(plan));
    TRI_TRY(tri__plan_pack_buffer(plan));
    bind_guards(compiler);
    return bind_all(plan);
}

tri_status tri__plan_compile(tri_plan *plan, const tri_graph *graph)
{
    tri__compiler compiler = {.plan = plan};
    tri_status status = compile(&compiler, graph);
    free(compiler.gradient);
    free(compiler.operand_of);
    free(compiler.workspace_of);
    free(compiler.covered);
    free(compiler.guard);
    free(compiler.forward);
    free(compiler.backward);
    return status;
}
