/* plan.c: makes plans, runs them, and gives their values. */
#include "graph/plan/plan.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/placed/exchange.h"
#include "graph/plan/compile.h"
#include "graph/plan/lower_loop.h"
#include "graph/plan/plan_parts.h"
#include "graph/plan/plan_table.h"
#include "graph/store/store.h"

/* Checks that the rule knows the graph's state: otherwise it would update running statistics as parameters. */
static tri_status check_state(const tri_graph *graph, const tri_rule *rule)
{
    const tri_state ours = tri_graph_state_of(graph);
    if (ours.range.first == rule->state.range.first && ours.range.count == rule->state.range.count && ours.rate == rule->state.rate &&
        ours.frozen == rule->state.frozen)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "the graph has state without a gradient, the store's rule does not know it: make the store with a rule "
                                  "whose .state is tri_graph_state_of(graph)");
}

static tri_status allocate_absent(tri_plan *plan)
{
    const int64_t rows = plan->options.batch > 0 ? plan->options.batch : 1, outputs = plan->outputs > 0 ? plan->outputs : 1;
    return tri__allocate((size_t)(rows * outputs), sizeof(float), "a plan", &plan->absent);
}

tri_status tri_plan_create(const tri_graph *graph, const tri_plan_options *options, tri_store *store, tri_plan **out)
{
    if (tri_store_floats(store) < tri_graph_parameter_floats(graph))
        return tri_fail(TRI_BAD_CALL, "the store holds %zu floats, the graph's parameters need %zu", tri_store_floats(store),
                        tri_graph_parameter_floats(graph));
    if (options->training)
        TRI_TRY(check_state(graph, tri_store_rule(store)));
    tri_plan *plan;
    TRI_TRY(tri__allocate(1, sizeof *plan, "a plan", &plan));
    plan->options = *options;
    plan->store = store;
    if (plan->options.threads <= 0)
        plan->options.threads = omp_get_max_threads();
    if (plan->options.threads > omp_get_thread_limit()) /* oneDNN waits for ever for threads that OpenMP does not give */
        plan->options.threads = omp_get_thread_limit();
    plan->table_threads = plan->table_team = plan->options.threads;
    if (plan->options.deterministic)
        plan->options.threads = 1; /* the size of the team decides how dense kernels divide their sums */
    omp_set_num_threads(plan->options.threads);
    tri_status status = tri__onednn_create(&plan->onednn);
    if (!status)
        status = tri__plan_compile(plan, graph);
    if (!status)
        status = allocate_absent(plan);
    if (!status && options->parts > 1)
        status = tri__plan_parts_init(plan);
    if (status) {
        tri_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return NULL;
}

void tri_plan_destroy(tri_plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->calls; i++) {
        plan->call[i].kernel->destroy(plan->call[i].kernel);
        free(plan->call[i].row);
    }
    tri__onednn_destroy(plan->onednn);
    tri_graph_destroy(plan->graph);
    tri__plan_tables_fini(plan);
    tri__buffer_free(plan->buffer);
    free(plan->operand);
    free(plan->call);
    free(plan->binding);
    free(plan->assignment);
    free(plan->guard);
    free(plan->await);
    free(plan->offer);
    free(plan->output_operand);
    free(plan->absent);
    tri__buffer_free(plan->sum);
    free(plan);
}

static tri_status check_examples(const tri_plan *plan, const tri_batch *batch)
{
    if (batch->rows != plan->options.batch)
        return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " rows, the plan was made for %" PRId64, batch->rows, plan->options.batch);
    if (plan->sparse && !batch->offsets)
        return tri_fail(TRI_BAD_CALL, "a batch is dense, the model's input is sparse");
    if (plan->sparse)
        return tri__plan_tables_check(plan, batch);
    if (batch->type != plan->input_type)
        return tri_fail(TRI_BAD_CALL, "a batch holds %s, the plan was made for %s", tri_type_name(batch->type),
                        tri_type_name(plan->input_type));
    if (!batch->x && (plan->gathered || !batch->at))
        return tri_fail(TRI_BAD_CALL, batch->offsets ? "a batch is sparse, the model's input is dense"
                                                     : "a batch's examples are scattered, and the plan needs them one after another");
    return NULL;
}

static tri_status check_labels(const tri_plan *plan, const tri_batch *batch)
{
    bool wrong = false;
    for (int64_t i = 0; plan->classes && batch->labels && i < batch->rows; i++)
        wrong |= (uint32_t)batch->labels[i] >= (uint64_t)plan->classes;
    if (plan->outputs && batch->targets && batch->outputs != plan->outputs)
        return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " targets an example, the model has %" PRId64 " outputs", batch->outputs,
                        plan->outputs);
    if (wrong)
        return tri_fail(TRI_BAD_DATA, "a batch has labels outside 0 to %" PRId64 ", the classes that the model tells apart",
                        plan->classes - 1);
    return NULL;
}

void tri__plan_point(tri__plan_call *call, const void *x, int64_t rows)
{
    const size_t pitch = call->kernel->argument[0].bytes / (size_t)rows;
    for (int64_t i = 0; i < rows; i++)
        call->row[i] = (const char *)x + (size_t)i * pitch;
    call->data[0] = call->row;
}

static void bind_x(tri__plan_call *call, int argument, const tri_batch *batch)
{
    if (argument != 0 || !call->kernel->scattered)
        call->data[argument] = (void *)batch->x; /* inputs are only read */
    else if (batch->x)
        tri__plan_point(call, batch->x, batch->rows);
    else
        call->data[argument] = (void *)batch->at;
}

/* NULL where the batch has no such data. */
static const void *batch_data(const tri_batch *batch, tri__location where)
{
    return where == TRI_BATCH_LABELS    ? (const void *)batch->labels
           : where == TRI_BATCH_TARGETS ? (const void *)batch->targets
                                        : (const void *)batch->weights;
}

/* Point the arguments that read the batch to it. */
static tri_status bind_batch(tri_plan *plan, const tri_batch *batch)
{
    if (plan->bindings == 0)
        return NULL;
    if (!batch)
        return tri_fail(TRI_BAD_CALL, "the graph has inputs, but no batch was given");
    TRI_TRY(check_examples(plan, batch));
    TRI_TRY(check_labels(plan, batch));
    for (int i = 0; i < plan->bindings; i++) {
        const tri__binding *b = &plan->binding[i];
        if (b->where == TRI_BATCH_X)
            bind_x(&plan->call[b->call], b->argument, batch);
        else if (b->where != TRI_BATCH_LISTS) { /* kernels that read lists take them from the batch */
            const void *data = batch_data(batch, b->where);
            plan->call[b->call].data[b->argument] = data ? (void *)data : plan->absent;
        }
    }
    return NULL;
}

static bool is_needed(const tri_plan *plan, const tri__plan_call *call)
{
    for (int g = call->guard; g >= 0; g = plan->guard[g].outer)
        if (plan->guard[g].data && (*plan->guard[g].data > 0) != plan->guard[g].taken)
            return false;
    return true;
}

static tri_status run_call(tri_plan *plan, tri__plan_call *call, const tri__moment *moment)
{
    if (!is_needed(plan, call))
        return NULL;
    if (!plan->timing && !plan->lane)
        return call->kernel->run(call->kernel, call->data, moment);
    int64_t start = tri__clock_now();
    TRI_TRY(call->kernel->run(call->kernel, call->data, moment));
    call->nanoseconds += tri__clock_now() - start;
    tri__trace_end(plan->lane, call->span, start, moment->step);
    return NULL;
}

double tri__batch_weight(const tri_batch *batch)
{
    double weight = 0.0;
    for (int64_t i = 0; batch && i < batch->rows; i++)
        weight += (double)batch->weights[i];
    return weight;
}

static void assign_variables(const tri_plan *plan)
{
    for (int i = 0; i < plan->assignments; i++) {
        const tri_range range = plan->assignment[i].variable->range;
        const tri__operand *root = &plan->operand[plan->operand[plan->assignment[i].operand].root];
        memcpy(tri_store_parameters(plan->store) + range.first, (const char *)plan->buffer + root->offset, range.count * sizeof(float));
    }
}

/* All tasks make the same runs, so they count the same numbers. */
static void count_run(const tri_plan *plan)
{
    if (plan->options.exchange)
        plan->options.exchange->run++;
}

tri_status tri_plan_run(tri_plan *plan, const tri_batch *batch)
{
    count_run(plan);
    TRI_TRY(bind_batch(plan, batch));
    omp_set_num_threads(plan->options.threads);
    TRI_TRY(tri__plan_tables_read(plan, batch));
    const tri__moment moment = {batch, 0};
    for (int i = 0; i < plan->calls; i++)
        TRI_TRY(run_call(plan, &plan->call[i], &moment));
    assign_variables(plan);
    return NULL;
}

static tri_status await_range(tri_plan *plan, const tri__store_call *await)
{
    return await->table >= 0 ? tri__plan_table_await(plan, await->table) : tri_store_await(plan->store, await->range);
}

static tri_status offer_range(tri_plan *plan, const tri__store_call *offer, tri__part part)
{
    if (!tri__plan_parts_add(plan, offer, part))
        return NULL;
    const double weight = part.weight;
    if (offer->table >= 0)
        return tri__plan_table_offer(plan, offer->table, weight);
    if (offer->gradient < 0)
        return tri_store_offer(plan->store, offer->range, weight);
    const tri__operand *root = &plan->operand[plan->operand[offer->gradient].root];
    return tri_store_offer_from(plan->store, offer->range, (const float *)((const char *)plan->buffer + root->offset), weight);
}

/* Training needs labels and weights, where the graph reads them. */
static tri_status check_training(const tri_plan *plan, const tri_batch *batch)
{
    if (batch && batch->outputs && plan->classes && !plan->outputs)
        return tri_fail(TRI_BAD_CALL,
                        "the labels of the batch are mixed (mixup), and the plan reads plain ones: make it with label_shares");
    for (int i = 0; batch && i < plan->bindings; i++) {
        tri__location where = plan->binding[i].where;
        if (where != TRI_BATCH_X && where != TRI_BATCH_LISTS && !batch_data(batch, where))
            return tri_fail(TRI_BAD_CALL, "a batch to train on has no %s or no weights; without them it can be run, but not trained on",
                            plan->outputs ? "targets" : "labels");
    }
    return NULL;
}

/* Run a whole step, or one part of it. */
static tri_status make_step(tri_plan *plan, const tri_batch *batch, tri__part part)
{
    count_run(plan);
    TRI_TRY(bind_batch(plan, batch));
    omp_set_num_threads(plan->options.threads);
    const tri__moment moment = {batch, plan->store->step};
    TRI_TRY(tri__plan_tables_begin(plan, batch, part.weight));
    const tri__store_call *await = plan->await, *offer = plan->offer;
    const tri__store_call *awaits_end = await + plan->awaits, *offers_end = offer + plan->offers;
    for (int i = 0; i < plan->calls; i++) {
        for (; part.first && await < awaits_end && await->call == i; await++)
            TRI_TRY(await_range(plan, await));
        TRI_TRY(run_call(plan, &plan->call[i], &moment));
        for (; offer < offers_end && offer->call == i; offer++)
            TRI_TRY(offer_range(plan, offer, part));
    }
    return NULL;
}

bool tri_plan_expects(const tri_plan *plan)
{
    return plan->tables > 0 && plan->options.training && !tri_store_lends_tables(plan->store);
}

tri_status tri_plan_expect(tri_plan *plan, const tri_batch *batch, const tri_batch *next)
{
    if (!tri_plan_expects(plan))
        return NULL;
    if (!batch->offsets || !next->offsets)
        return tri_fail(TRI_BAD_CALL, "a batch is dense, the model's input is sparse");
    return tri__plan_tables_expect(plan, batch, next);
}

static tri_status train_part(tri_plan *plan, const tri_batch *batch, tri__part part, double *loss)
{
    tri_status status = make_step(plan, batch, part);
    tri__plan_tables_end(plan);
    TRI_TRY(status);
    tri_tensor value;
    TRI_TRY(tri_plan_value(plan, "loss", &value));
    *loss += (double)*(const float *)value.data;
    return NULL;
}

tri_status tri_plan_train(tri_plan *plan, const tri_batch *batch, double *loss)
{
    if (!plan->options.training)
        return tri_fail(TRI_BAD_CALL, "the plan was made without gradients; make it with training on");
    TRI_TRY(check_training(plan, batch));
    const int64_t parts = tri__plan_parts_of(plan, batch);
    const double weight = tri__batch_weight(batch);
    *loss = 0;
    if (parts > 1 || plan->options.parts > 1)
        TRI_TRY(tri__plan_parts_check(plan, batch));
    for (int64_t i = 0; i < parts; i++) {
        const tri_batch part = tri__plan_part(plan, batch, i);
        TRI_TRY(train_part(plan, batch ? &part : NULL, (tri__part){.first = i == 0, .last = i + 1 == parts, .weight = weight}, loss));
    }
    return NULL;
}

tri_status tri_plan_feed(tri_plan *plan, const char *variable, const tri_tensor *value)
{
    const tri_node *node = tri_graph_find(plan->graph, variable);
    char ours[128], theirs[128];
    if (!node || !tri__node_is(node, "parameter"))
        return tri_fail(TRI_NOT_FOUND, "the graph has no variable '%s'", variable);
    if (value->type != TRI_F32 || !tri_shape_equal(value->shape, node->shape))
        return tri_fail(TRI_BAD_CALL, "'%s' is fed %s of %s, and is f32 of %s", variable, tri_type_name(value->type),
                        tri_shape_text(value->shape, theirs, sizeof theirs), tri_shape_text(node->shape, ours, sizeof ours));
    bool here = !plan->options.exchange || node->task == plan->options.exchange->task;
    if (here)
        memcpy(tri_store_parameters(plan->store) + node->range.first, value->data, node->range.count * sizeof(float));
    return NULL;
}

tri_status tri_plan_value(tri_plan *plan, const char *output, tri_tensor *out)
{
    for (int i = 0; i < plan->graph->outputs; i++) {
        if (strcmp(plan->graph->output[i].name, output) != 0)
            continue;
        const tri_node *node = plan->graph->output[i].node;
        const tri__operand *root = &plan->operand[plan->operand[plan->output_operand[i]].root];
        if (root->where != TRI_IN_BUFFER && root->where != TRI_FIXED)
            return tri_fail(TRI_BAD_CALL, "the output '%s' is an input of the graph; read it from the batch", output);
        void *data = root->where == TRI_FIXED ? root->fixed : (char *)plan->buffer + root->offset;
        *out = (tri_tensor){node->type, node->shape, data};
        return NULL;
    }
    return tri_fail(TRI_NOT_FOUND, "the plan has no output '%s'", output);
}

bool tri_plan_takes_scattered(const tri_plan *plan)
{
    return !plan->gathered;
}

size_t tri_plan_bytes(const tri_plan *plan)
{
    return plan->bytes;
}

/* Each element of the result is a sum of products. Their number is the size of one operand, divided by the dimension that it shares with
 * the result. Either gradient of a convolution has the same products as the convolution itself. */
static double flops_of(const tri_node *node)
{
    if (tri__node_is(node, "matmul")) {
        const tri_shape a = node->input[0]->shape;
        return 2.0 * (double)tri_shape_count(node->shape) * (double)a.dim[node->attributes.transpose_a ? 0 : 1];
    }
    if (tri__node_is(node, "convolution")) {
        const tri_shape weight = node->input[1]->shape;
        return 2.0 * (double)tri_shape_count(node->shape) * (double)(weight.dim[1] * weight.dim[2] * weight.dim[3]);
    }
    if (tri__node_is(node, "convolution_grad_input") || tri__node_is(node, "convolution_grad_weight"))
        return flops_of(node->forward);
    return 0;
}

double tri_plan_flops(const tri_plan *plan)
{
    double flops = 0;
    for (int i = 0; i < plan->graph->count; i++)
        flops += flops_of(plan->graph->node[i]);
    for (int i = 0; i < plan->calls; i++)
        flops += tri__loop_flops(&plan->call[i]);
    return flops;
}

double tri__plan_traffic(const tri_plan *plan)
{
    double bytes = 0;
    for (int i = 0; i < plan->calls; i++)
        for (int j = 0; j < tri__kernel_arguments(plan->call[i].kernel); j++)
            bytes += (double)plan->operand[plan->call[i].operand[j]].bytes;
    return bytes;
}

int tri_plan_calls(const tri_plan *plan)
{
    return plan->calls;
}

const char *tri_plan_call_text(const tri_plan *plan, int index)
{
    return plan->call[index].text;
}

double tri_plan_call_seconds(const tri_plan *plan, int index)
{
    return tri__clock_seconds(plan->call[index].nanoseconds);
}

void tri__plan_trace(tri_plan *plan, tri__trace *trace, tri__trace_lane *lane)
{
    for (int i = 0; lane && i < plan->calls; i++)
        plan->call[i].span = tri__trace_name(trace, plan->call[i].text);
    plan->lane = lane;
}

void tri_plan_time(tri_plan *plan, bool on)
{
    plan->timing = on;
}
