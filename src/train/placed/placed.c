/* placed.c: opens a graph file and fills its variables. Each task makes a plan of its part, and all tasks run their plans. */
#include "train/placed/placed.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/nodes/initialise.h"
#include "graph/placed/dot.h"
#include "graph/placed/placement.h"
#include "tensor/safetensors.h"
#include "train/ranks/rank_failure.h"
#include "trireme/exchange.h"
#include "trireme/model.h"
#include "trireme/plan.h"
#include "watch/host/resources.h"
#include "watch/report/events.h"

typedef struct {
    const tri__placed_request *request;
    tri_exchange *exchange; /* NULL: this is the only task */
    int task, tasks;
    tri__rank_failure *failures; /* [tasks] */
    bool orderly;                /* no task has failed, so MPI can be finalised */
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
} job;

/* ---- tasks ---- */

static tri_status join(job *self)
{
    const tri__placed_request *request = self->request;
    self->tasks = 1;
    if (request->ranks > 0) {
        const tri_exchange_options options = {.timeout = tri__clock_seconds(request->timeout),
                                              .window = request->window,
                                              .lost = request->give_up,
                                              .slow = request->slow,
                                              .context = request->context};
        TRI_TRY(tri_exchange_join(&options, &self->exchange));
        self->task = tri_exchange_task(self->exchange);
        self->tasks = tri_exchange_tasks(self->exchange);
    }
    if (request->met && self->task == 0)
        request->met(request->context);
    self->orderly = true;
    return tri__allocate((size_t)self->tasks, sizeof *self->failures, "the failures of tasks", &self->failures);
}

/* Takes own. Returns the failure of the first task that has one: all tasks get the same. */
static tri_status agree(job *self, tri_status own)
{
    if (!self->exchange)
        return own;
    tri__rank_failure mine = {0};
    tri__rank_failure_write(&mine, own);
    tri_status_free(own);
    self->orderly = false;
    TRI_TRY(tri_exchange_gather(self->exchange, &mine, sizeof mine, self->failures));
    self->orderly = true;
    const int failed = tri__rank_failure_find(self->failures, sizeof mine, self->tasks);
    return failed < 0 ? NULL : tri__rank_failure_read(self->failures, sizeof mine, failed, "task");
}

/* ---- the graph ---- */

static tri_status find_line(const job *self, const char *option, const char *name, tri_node **out)
{
    *out = tri_graph_find(self->graph, name);
    return *out ? NULL : tri_fail(TRI_BAD_CALL, "%s %s: no line of %s has that name", option, name, self->request->graph);
}

/* The graph's outputs become the fetched lines and the targets. */
static tri_status choose_outputs(job *self)
{
    const tri__placed_request *request = self->request;
    tri_node *node;
    if (!request->fetches && !request->targets)
        return NULL;
    tri_graph_clear_outputs(self->graph);
    for (int i = 0; i < request->fetches; i++) {
        TRI_TRY(find_line(self, "--fetch", request->fetch[i], &node));
        TRI_TRY(tri_graph_output(self->graph, request->fetch[i], node));
    }
    for (int i = 0; i < request->targets; i++) {
        TRI_TRY(find_line(self, "--compute", request->target[i], &node));
        tri_graph_target(self->graph, node);
    }
    return NULL;
}

static bool is_here(const job *self, const tri_node *node)
{
    return !self->exchange || node->task == self->task;
}

static tri_status feed_variable(job *self, const tri__feed *feed)
{
    const tri_node *node = tri_graph_find(self->graph, feed->name);
    if (!node || strcmp(tri_node_operator(node), "parameter") != 0)
        return tri_fail(TRI_BAD_CALL, "--feed %s: no input or parameter of %s has that name", feed->name, self->request->graph);
    tri__safetensors *file;
    tri_tensor tensor;
    TRI_TRY(tri_wrap(tri__safetensors_open(feed->path, &file), "--feed %s", feed->name));
    tri_status status = tri__safetensors_find(file, feed->name, TRI_F32, tri_node_shape(node), &tensor);
    if (!status && is_here(self, node))
        memcpy(tri_store_parameters(self->store) + tri_node_range(node).first, tensor.data, tri_node_range(node).count * sizeof(float));
    tri__safetensors_close(file);
    return tri_wrap(status, "--feed %s", feed->name);
}

/* Each task fills only its own variables: memory of the others is never touched, and so never taken. */
static tri_status fill_variables(job *self)
{
    if (self->exchange)
        TRI_TRY(tri__graph_assign_tasks(self->graph, self->tasks));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(self->graph), &(tri_rule){0}, &self->store));
    tri_store_drop_gradient(self->store);
    float *parameters = tri_store_parameters(self->store);
    if (self->exchange)
        tri__graph_initialise_task(self->graph, self->task, self->request->seed, parameters);
    else
        tri_graph_initialise(self->graph, self->request->seed, parameters);
    for (int i = 0; i < self->request->feeds; i++)
        TRI_TRY(feed_variable(self, &self->request->feed[i]));
    return NULL;
}

/* ---- showing it ---- */

static tri_status write_dot(const char *path, const tri_graph *graph, int tasks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to write it", path);
    tri__graph_print_dot(graph, tasks, file);
    tri_status status = fclose(file) ? tri_fail(TRI_NO_MEMORY, "%s: no memory to write it", path) : tri__file_replace(path, text, size);
    free(text);
    return status;
}

static tri_status write_events(const char *folder, const tri_graph *graph)
{
    tri__events *events;
    TRI_TRY(tri__events_create(folder, &events));
    tri__events_graph(events, graph);
    return tri__events_close(events);
}

static tri_status show(job *self)
{
    const tri__placed_request *request = self->request;
    tri_graph *shown;
    int tasks = self->tasks;
    if (self->task || (!request->dot && !request->events))
        return NULL;
    TRI_TRY(tri_graph_copy(self->graph, 1, &shown));
    tri_status status = self->exchange ? NULL : tri__graph_count_tasks(shown, &tasks);
    if (!status)
        status = tri__graph_fill_places(shown, tasks);
    if (!status && request->dot)
        status = write_dot(request->dot, shown, tasks);
    if (!status && request->events)
        status = write_events(request->events, shown);
    tri_graph_destroy(shown);
    return status;
}

static int threads_of(const job *self)
{
    int here = self->exchange ? tri_exchange_tasks_here(self->exchange) : 1, cpus = omp_get_num_procs() / here;
    return self->request->threads ? self->request->threads : cpus ? cpus : 1;
}

static tri_status prepare(job *self)
{
    TRI_TRY(tri_graph_open(self->request->graph, &self->graph));
    TRI_TRY(choose_outputs(self));
    TRI_TRY(show(self));
    TRI_TRY(fill_variables(self));
    const tri_plan_options options = {
        .batch = 1,
        .threads = threads_of(self),
        .seed = self->request->seed,
        .without = self->request->without,
        .exchange = self->exchange,
    };
    return tri_plan_create(self->graph, &options, self->store, &self->plan);
}

/* ---- running ---- */

static tri_status run_all(job *self, tri__placed_task *mine)
{
    int64_t begun = tri__clock_now();
    for (int i = 0; i < self->request->runs; i++)
        TRI_TRY(tri_plan_run(self->plan, NULL));
    if (self->exchange)
        TRI_TRY(tri_exchange_flush(self->exchange));
    *mine = (tri__placed_task){
        .seconds = tri__clock_seconds(tri__clock_now() - begun),
        .bytes_sent = self->exchange ? tri_exchange_sent(self->exchange) : 0,
        .flops = tri_plan_flops(self->plan) * self->request->runs,
        .buffer_bytes = (int64_t)tri_plan_bytes(self->plan),
        .peak_rss_mb = tri__peak_rss_mb(),
        .calls = tri_plan_calls(self->plan),
    };
    return NULL;
}

static tri_status copy_value(const char *name, const tri_tensor *from, tri__placed_value *out)
{
    size_t bytes = (size_t)tri_shape_count(from->shape) * tri_type_size(from->type);
    char *copy, *data;
    TRI_TRY(tri__allocate(strlen(name) + 1, 1, "the name of a value", &copy));
    *out = (tri__placed_value){.name = memcpy(copy, name, strlen(name) + 1), .tensor = *from};
    out->tensor.data = NULL;
    TRI_TRY(tri__allocate(bytes + 1, 1, "a value", &data));
    out->tensor.data = memcpy(data, from->data, bytes);
    return NULL;
}

static tri_status keep_values(job *self, tri__placed_result *out)
{
    int count = tri_graph_outputs(self->graph);
    TRI_TRY(tri__allocate((size_t)count + 1, sizeof *out->value, "values", &out->value));
    for (int i = 0; i < count; i++) {
        tri_tensor tensor;
        TRI_TRY(tri_plan_value(self->plan, tri_graph_output_name(self->graph, i), &tensor));
        TRI_TRY(copy_value(tri_graph_output_name(self->graph, i), &tensor, &out->value[out->values++]));
    }
    return NULL;
}

static tri_status work(job *self, tri__placed_result *out)
{
    tri__placed_task mine;
    TRI_TRY(join(self));
    out->task = self->task;
    out->tasks = self->tasks;
    TRI_TRY(agree(self, prepare(self)));
    tri_status status = run_all(self, &mine);
    if (status && self->exchange) { /* others may wait for values that will not come: this task reports and ends, which ends them */
        self->orderly = false;
        return status;
    }
    if (!status && out->task == 0)
        status = keep_values(self, out);
    TRI_TRY(agree(self, status));
    TRI_TRY(tri__allocate((size_t)out->tasks, sizeof *out->each, "what tasks did", &out->each));
    if (self->exchange)
        return tri_exchange_gather(self->exchange, &mine, sizeof mine, out->each);
    out->each[0] = mine;
    return NULL;
}

tri_status tri__placed_run(const tri__placed_request *request, tri__placed_result *out)
{
    job self = {.request = request};
    *out = (tri__placed_result){.tasks = 1};
    tri_status status = work(&self, out);
    out->told = status && self.orderly && out->task > 0;
    tri_plan_destroy(self.plan);
    tri_store_destroy(self.store);
    tri_graph_destroy(self.graph);
    if (self.orderly)
        tri_exchange_leave(self.exchange);
    free(self.failures);
    return status;
}

void tri__placed_result_fini(tri__placed_result *result)
{
    for (int i = 0; i < result->values; i++) {
        free((char *)(uintptr_t)result->value[i].name);
        free(result->value[i].tensor.data);
    }
    free(result->value);
    free(result->each);
    *result = (tri__placed_result){0};
}
