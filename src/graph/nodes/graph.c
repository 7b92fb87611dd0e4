/* graph.c: nodes in an arena, made one after another. Shapes are derived as nodes are made, so a wrong shape is reported at its node. */
#include "graph/nodes/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"

/* Parameters start on cache lines, so that vector kernels read them aligned. */
#define PARAMETER_ALIGNMENT (TRI_ALIGNMENT / sizeof(float))

tri_status tri_graph_create(int64_t batch, tri_graph **out)
{
    if (batch < 0)
        return tri_fail(TRI_BAD_CALL, "a graph's batch is %" PRId64 ", expected 0 or more", batch);
    tri_graph *graph;
    TRI_TRY(tri__allocate(1, sizeof *graph, "a graph", &graph));
    graph->batch = batch;
    tri_status status = tri__arena_create(&graph->arena);
    if (status) {
        free(graph);
        return status;
    }
    *out = graph;
    return NULL;
}

void tri_graph_destroy(tri_graph *graph)
{
    if (!graph)
        return;
    for (int i = 0; i < graph->bodies; i++)
        tri_graph_destroy(graph->body[i]);
    tri__arena_destroy(graph->arena);
    free((void *)graph->body);
    free(graph->node);
    free(graph->output);
    free(graph);
}

tri_status tri__graph_own(tri_graph *graph, tri_graph *body)
{
    tri_status status = tri__grow(&graph->body, &graph->body_room, graph->bodies + 1, sizeof(tri_graph *), "a graph");
    if (status)
        tri_graph_destroy(body);
    else
        graph->body[graph->bodies++] = body;
    return status;
}

bool tri__node_is(const tri_node *node, const char *operator_name)
{
    return strcmp(node->op->name, operator_name) == 0;
}

size_t tri__node_bytes(const tri_node *node)
{
    return (size_t)tri_shape_count(node->shape) * tri_type_size(node->type);
}

int64_t tri__node_classes(const tri_node *node)
{
    return tri__node_is(node, "softmax_loss") ? node->input[0]->shape.dim[1] : tri__node_is(node, "logistic_loss") ? 2 : 0;
}

int64_t tri__graph_classes(const tri_graph *graph)
{
    int64_t fewest = 0;
    for (int i = 0; i < graph->count; i++) {
        const int64_t classes = tri__node_classes(graph->node[i]);
        if (classes && (!fewest || classes < fewest))
            fewest = classes;
    }
    return fewest;
}

static bool name_taken(const tri_graph *graph, const char *name)
{
    for (int i = 0; i < graph->count; i++)
        if (strcmp(graph->node[i]->name, name) == 0)
            return true;
    return false;
}

static tri_status name_node(tri_graph *graph, tri_node *node, const char *name)
{
    if (name && name_taken(graph, name))
        return tri_fail(TRI_BAD_CALL, "the graph already has a node '%s'; names are used once", name);
    node->name = name ? tri__arena_copy(graph->arena, name) : tri__arena_format(graph->arena, "%s:%d", node->op->name, graph->count);
    return node->name ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a node's name");
}

static tri_status check_inputs(const tri_operator *op, int count)
{
    if (count >= op->least && count <= op->most)
        return NULL;
    if (op->least == op->most)
        return tri_fail(TRI_BAD_CALL, "'%s' takes %d input%s, not %d", op->name, op->least, op->least == 1 ? "" : "s", count);
    return tri_fail(TRI_BAD_CALL, "'%s' takes %d to %d inputs, not %d", op->name, op->least, op->most, count);
}

tri_status tri__graph_add(tri_graph *graph, const char *operator_name, const char *name, tri_node *const *inputs, int count,
                          const tri_attributes *attributes, tri_node *forward, tri_node **out)
{
    const tri_operator *op = tri__operator_find(operator_name);
    if (!op)
        return tri_fail(TRI_BAD_CALL, "there is no operator '%s'", operator_name);
    TRI_TRY(check_inputs(op, count));
    TRI_TRY(tri__grow(&graph->node, &graph->room, graph->count + 1, sizeof(tri_node *), "a graph"));
    tri_node *node = TRI_ARENA_NEW(graph->arena, tri_node);
    if (!node)
        return tri_fail(TRI_NO_MEMORY, "no memory for a node");
    node->op = op;
    node->id = node->order = graph->count;
    node->place = "";
    node->inputs = count;
    node->table = node->task = -1;
    for (int i = 0; i < count; i++)
        node->input[i] = inputs[i];
    if (attributes)
        node->attributes = *attributes;
    node->forward = forward;
    TRI_TRY(name_node(graph, node, name));
    TRI_TRY(op->shape(node, &node->type, &node->shape));
    int64_t elements;
    TRI_TRY(tri_wrap(tri_shape_check(node->shape, &elements), "%s '%s'", op->name, node->name));
    graph->node[graph->count++] = node;
    *out = node;
    return NULL;
}

/* Refuses operators that tri_graph_add cannot make: some need more than inputs and attributes, and gradients need the node that they
 * differentiate. */
static tri_status check_callers(const char *operator_name)
{
    static const char *const own[] = {"input", "parameter", "table", "while", "carried"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(operator_name, own[i]) == 0)
            return tri_fail(TRI_BAD_CALL, "'%s' has a call of its own: tri_graph_%s", operator_name, operator_name);
    const tri_operator *op = tri__operator_find(operator_name);
    bool is_source = op && op->most == 0 && op->forward;
    if (op && !op->backward && !op->no_gradient && !is_source)
        return tri_fail(TRI_BAD_CALL, "'%s' is made by differentiation only", operator_name);
    return NULL;
}

tri_status tri_graph_add(tri_graph *graph, const char *operator_name, const char *name, tri_node *const *inputs, int count,
                         const tri_attributes *attributes, tri_node **out)
{
    TRI_TRY(check_callers(operator_name));
    return tri__graph_add(graph, operator_name, name, inputs, count, attributes, NULL, out);
}

tri_status tri__graph_make(tri_graph *graph, const char *operator_name, const tri_attributes *attributes, tri_node *forward, tri_node **out,
                           tri_node *a, tri_node *b, tri_node *c, tri_node *d)
{
    tri_node *inputs[] = {a, b, c, d};
    int count = 0;
    while (count < 4 && inputs[count])
        count++;
    return tri__graph_add(graph, operator_name, NULL, inputs, count, attributes, forward, out);
}

tri_status tri_graph_input(tri_graph *graph, const char *name, tri_type type, tri_shape shape, tri_node **out)
{
    if (shape.rank >= TRI_MAX_RANK)
        return tri_fail(TRI_BAD_CALL, "input '%s' has %d dimensions beside the batch, at most %d are possible", name, shape.rank,
                        TRI_MAX_RANK - 1);
    tri_attributes attributes = {.shape = {.rank = shape.rank + 1, .dim = {graph->batch}}};
    memcpy(attributes.shape.dim + 1, shape.dim, (size_t)shape.rank * sizeof *shape.dim);
    TRI_TRY(tri__graph_add(graph, "input", name, NULL, 0, &attributes, NULL, out));
    (*out)->type = type;
    return NULL;
}

size_t tri__parameter_room(size_t count)
{
    return (count + PARAMETER_ALIGNMENT - (count > 0)) / PARAMETER_ALIGNMENT * PARAMETER_ALIGNMENT;
}

/* Add a parameter node, and give it a place at the end of the flat buffer. aligned: the floats that it takes there. */
static tri_status add_parameter(tri_graph *graph, const char *name, const tri_attributes *attributes, size_t *aligned, tri_node **out)
{
    int64_t count;
    TRI_TRY(tri_wrap(tri_shape_check(attributes->shape, &count), "parameter '%s'", name));
    *aligned = tri__parameter_room((size_t)count);
    if (graph->parameter_floats > SIZE_MAX / sizeof(float) - *aligned)
        return tri_fail(TRI_BAD_CALL, "parameter '%s' has %" PRId64 " elements, with the others more than memory can hold", name, count);
    TRI_TRY(tri__graph_add(graph, "parameter", name, NULL, 0, attributes, NULL, out));
    (*out)->range = (tri_range){graph->parameter_floats, (size_t)count};
    graph->parameter_floats += *aligned;
    return NULL;
}

/* Make room for a parameter before the state. */
static void move_state(tri_graph *graph, size_t floats)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->node[i]->state)
            graph->node[i]->range.first += floats;
    graph->state.range.first += floats;
}

tri_status tri_graph_parameter(tri_graph *graph, const char *name, tri_shape shape, tri_init init, float value, tri_node **out)
{
    const tri_attributes attributes = {.shape = shape, .init = init, .value = value};
    size_t floats;
    TRI_TRY(add_parameter(graph, name, &attributes, &floats, out));
    if (graph->state.range.count) {
        (*out)->range.first = graph->state.range.first;
        move_state(graph, floats);
    }
    return NULL;
}

tri_status tri_graph_state(tri_graph *graph, const char *name, tri_shape shape, float value, float rate, tri_node **out)
{
    const tri_attributes attributes = {.shape = shape, .init = TRI_INIT_CONSTANT, .value = value};
    size_t floats, first = graph->parameter_floats;
    tri_state *state = &graph->state;
    if (!(rate > 0 && rate <= 1))
        return tri_fail(TRI_BAD_CALL, "'%s' moves at rate %g: it must be above 0 and at most 1", name, (double)rate);
    if (state->range.count && state->rate != rate)
        return tri_fail(TRI_BAD_CALL, "'%s' moves at rate %g, what was made before at %g: a graph has one rate for all", name, (double)rate,
                        (double)state->rate);
    TRI_TRY(add_parameter(graph, name, &attributes, &floats, out));
    (*out)->state = true;
    *state = (tri_state){.range = {state->range.count ? state->range.first : first, state->range.count + floats}, .rate = rate};
    return NULL;
}

tri_status tri_graph_table(tri_graph *graph, const char *name, tri_shape shape, tri_init init, float value, tri_node **out)
{
    tri_attributes attributes = {.shape = shape, .init = init, .value = value};
    char text[128];
    if (shape.rank != 2 || shape.dim[0] < 1 || shape.dim[0] > INT32_MAX || shape.dim[1] < 1)
        return tri_fail(TRI_BAD_CALL, "table '%s' is %s, expected features x width, with at most %d features", name,
                        tri_shape_text(shape, text, sizeof text), INT32_MAX);
    TRI_TRY(tri__graph_add(graph, "table", name, NULL, 0, &attributes, NULL, out));
    (*out)->table = graph->tables++;
    return NULL;
}

tri_status tri_node_place(tri_graph *graph, tri_node *node, const char *place)
{
    const char *copy = tri__arena_copy(graph->arena, place);
    if (!copy)
        return tri_fail(TRI_NO_MEMORY, "no memory for the place of '%s'", node->name);
    node->place = copy;
    return NULL;
}

tri_status tri_graph_output(tri_graph *graph, const char *name, tri_node *node)
{
    if (tri_graph_find_output(graph, name))
        return tri_fail(TRI_BAD_CALL, "the graph already has an output '%s'", name);
    TRI_TRY(tri__grow(&graph->output, &graph->output_room, graph->outputs + 1, sizeof *graph->output, "a graph"));
    const char *copy = tri__arena_copy(graph->arena, name);
    if (!copy)
        return tri_fail(TRI_NO_MEMORY, "no memory for the output '%s'", name);
    graph->output[graph->outputs++] = (tri__output){copy, node};
    return NULL;
}

void tri_graph_target(tri_graph *graph, tri_node *node)
{
    (void)graph;
    node->target = true;
}

void tri_graph_clear_outputs(tri_graph *graph)
{
    graph->outputs = 0;
    for (int i = 0; i < graph->count; i++)
        graph->node[i]->target = false;
}

int tri_graph_outputs(const tri_graph *graph)
{
    return graph->outputs;
}

const char *tri_graph_output_name(const tri_graph *graph, int index)
{
    return graph->output[index].name;
}

tri_label_kind tri_graph_labels(const tri_graph *graph)
{
    const tri_node *loss = tri_graph_find_output(graph, "loss");
    return loss ? loss->op->labels : TRI_LABEL_CLASS;
}

tri_node *tri_graph_find_output(const tri_graph *graph, const char *name)
{
    for (int i = 0; i < graph->outputs; i++)
        if (strcmp(graph->output[i].name, name) == 0)
            return graph->output[i].node;
    return NULL;
}

/* The copy of a node. It has the same number, because both graphs were made in the same order. */
static tri_node *twin(const tri_graph *copy, const tri_node *node)
{
    return node ? copy->node[node->id] : NULL;
}

static tri_status copy_body(const tri_graph *body, tri_graph *copy, const tri_graph **out)
{
    tri_graph *made;
    TRI_TRY(tri_graph_copy(body, body->batch, &made));
    *out = made;
    return tri__graph_own(copy, made);
}

static tri_status copy_node(const tri_node *node, int64_t batch, tri_graph *copy)
{
    tri_node *inputs[TRI_MAX_INPUTS];
    for (int i = 0; i < node->inputs; i++)
        inputs[i] = twin(copy, node->input[i]);
    tri_attributes attributes = node->attributes;
    bool input = tri__node_is(node, "input");
    if (input)
        attributes.shape.dim[0] = batch;
    if (attributes.body)
        TRI_TRY(copy_body(attributes.body, copy, &attributes.body));
    tri_node *made;
    TRI_TRY(tri__graph_add(copy, node->op->name, node->name, inputs, node->inputs, &attributes, twin(copy, node->forward), &made));
    if (input)
        made->type = node->type;
    made->range = node->range;
    made->state = node->state;
    made->frozen = node->frozen;
    made->table = node->table;
    made->target = node->target;
    made->parameter = twin(copy, node->parameter);
    if (node->data) {
        size_t bytes = tri__node_bytes(node);
        void *data = tri__arena_alloc(copy->arena, bytes);
        if (!data)
            return tri_fail(TRI_NO_MEMORY, "no memory for the constant '%s'", node->name);
        made->data = memcpy(data, node->data, bytes);
    }
    return tri_node_place(copy, made, node->place);
}

static tri_status copy_all(const tri_graph *graph, int64_t batch, tri_graph *copy)
{
    for (int i = 0; i < graph->count; i++)
        TRI_TRY(copy_node(graph->node[i], batch, copy));
    for (int i = 0; i < graph->outputs; i++)
        TRI_TRY(tri_graph_output(copy, graph->output[i].name, twin(copy, graph->output[i].node)));
    copy->parameter_floats = graph->parameter_floats;
    copy->state = graph->state;
    copy->tables = graph->tables;
    return NULL;
}

tri_status tri_graph_copy(const tri_graph *graph, int64_t batch, tri_graph **out)
{
    tri_graph *copy;
    TRI_TRY(tri_graph_create(batch, &copy));
    tri_status status = copy_all(graph, batch, copy);
    if (status) {
        tri_graph_destroy(copy);
        return status;
    }
    *out = copy;
    return NULL;
}

int64_t tri_graph_batch(const tri_graph *graph)
{
    return graph->batch;
}

int tri_graph_count(const tri_graph *graph)
{
    return graph->count;
}

tri_node *tri_graph_find(const tri_graph *graph, const char *name)
{
    for (int i = 0; i < graph->count; i++)
        if (strcmp(graph->node[i]->name, name) == 0)
            return graph->node[i];
    return NULL;
}

tri_node *tri_graph_node(const tri_graph *graph, int index)
{
    return graph->node[index];
}

size_t tri_graph_parameter_floats(const tri_graph *graph)
{
    return graph->parameter_floats;
}

tri_state tri_graph_state_of(const tri_graph *graph)
{
    return graph->state;
}

const char *tri_node_name(const tri_node *node)
{
    return node->name;
}

const char *tri_node_operator(const tri_node *node)
{
    return node->op->name;
}

const char *tri_node_place_of(const tri_node *node)
{
    return node->place;
}

tri_type tri_node_type(const tri_node *node)
{
    return node->type;
}

tri_shape tri_node_shape(const tri_node *node)
{
    return node->shape;
}

int tri_node_inputs(const tri_node *node)
{
    return node->inputs;
}

tri_node *tri_node_input(const tri_node *node, int index)
{
    return node->input[index];
}

const tri_attributes *tri_node_attributes(const tri_node *node)
{
    return &node->attributes;
}

tri_range tri_node_range(const tri_node *node)
{
    return node->range;
}

bool tri_node_is_state(const tri_node *node)
{
    return node->state;
}

int tri_node_table(const tri_node *node)
{
    return node->table;
}

int tri_graph_tables(const tri_graph *graph)
{
    return graph->tables;
}
