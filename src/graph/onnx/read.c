/* read.c: see read.h. Each kind of message has a function of its own, which goes over the fields and keeps those that it knows. Lists are
 * counted first, so that the arena holds each in one piece. */
#include "graph/onnx/read.h"

#include <string.h>

#include "base/bytes/wire.h"
#include "graph/onnx/message.h"

enum { MOST = 1 << 15 }; /* nodes, tensors, inputs or outputs of a model */

static tri_status damaged(const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s is damaged, or this is no ONNX file", what);
}

static tri_status no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for an ONNX model");
}

/* Keeps a field of a message in out, where the field is known. The type of out depends on the message. */
typedef tri_status (*take_field)(tri__arena *arena, const tri__wire_field *field, void *out);

/* what: what errors call the message. */
static tri_status read_message(tri__arena *arena, tri__wire_reader reader, const char *what, take_field take, void *out)
{
    tri__wire_field field;
    bool bad = false;
    while (tri__wire_next(&reader, &field, &bad))
        TRI_TRY(take(arena, &field, out));
    return bad ? damaged(what) : NULL;
}

static tri_status text_of(tri__arena *arena, const tri__wire_field *field, const char **out)
{
    char *text = field->type == TRI_WIRE_BYTES ? tri__arena_alloc(arena, field->size + 1) : NULL;
    if (field->type != TRI_WIRE_BYTES || memchr(field->bytes, 0, field->size))
        return damaged("a name");
    if (!text)
        return no_memory();
    memcpy(text, field->bytes, field->size);
    text[field->size] = '\0';
    *out = text;
    return NULL;
}

/* ---- tensors ---- */

/* Append a number, or several of one packed field, to the list, which has *count numbers. */
static tri_status add_numbers(const tri__wire_field *field, const char *what, int most, int64_t *list, int *count)
{
    tri__wire_reader packed = tri__wire_inside(field);
    const bool single = field->type == TRI_WIRE_VARINT;
    uint64_t value = field->value;
    while (single || packed.at < packed.end) {
        if (!single && !tri__wire_varint(&packed, &value))
            return damaged(what);
        if (*count == most)
            return tri_fail(TRI_UNSUPPORTED, "%s has more than %d numbers", what, most);
        list[(*count)++] = (int64_t)value;
        if (single)
            break;
    }
    return NULL;
}

/* Where the tensor's elements stand: in raw bytes, or in a packed list. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    bool packed_ints;
} elements;

typedef struct {
    tri__onnx_tensor *tensor;
    elements from;
} tensor_message;

static tri_status decode_ints(tri__arena *arena, const elements *from, tri__onnx_tensor *tensor)
{
    int64_t *ints = tri__arena_alloc(arena, ((size_t)tensor->count + 1) * sizeof *ints);
    tri__wire_reader reader = {from->bytes, from->bytes + from->size};
    if (!ints)
        return no_memory();
    if (!from->packed_ints && from->size != (size_t)tensor->count * sizeof *ints)
        return damaged(tensor->name);
    if (!from->packed_ints && from->size)
        memcpy(ints, from->bytes, from->size);
    for (int64_t i = 0; from->packed_ints && i < tensor->count; i++)
        if (reader.at >= reader.end || !tri__wire_varint(&reader, (uint64_t *)&ints[i]))
            return damaged(tensor->name);
    tensor->ints = ints;
    return NULL;
}

static tri_status decode_floats(tri__arena *arena, const elements *from, tri__onnx_tensor *tensor)
{
    if (from->packed_ints || from->size != (size_t)tensor->count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "the tensor '%s' has %zu bytes for %lld floats; models with data in other files are not read",
                        tensor->name, from->size, (long long)tensor->count);
    float *floats = tri__arena_alloc(arena, from->size + sizeof *floats);
    if (!floats)
        return no_memory();
    if (from->size)
        memcpy(floats, from->bytes, from->size);
    tensor->floats = floats;
    return NULL;
}

static tri_status take_tensor(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tensor_message *message = out;
    tri__onnx_tensor *tensor = message->tensor;
    switch (field->number) {
    case ONNX_TENSOR_NAME:
        return text_of(arena, field, &tensor->name);
    case ONNX_TENSOR_DIMS:
        return add_numbers(field, "a tensor's shape", TRI_MAX_RANK, tensor->shape.dim, &tensor->shape.rank);
    case ONNX_TENSOR_TYPE:
        tensor->element = field->value <= INT32_MAX ? (int)field->value : 0;
        return NULL;
    case ONNX_TENSOR_RAW:
    case ONNX_TENSOR_FLOATS:
    case ONNX_TENSOR_INT64S:
        if (field->type == TRI_WIRE_BYTES)
            message->from = (elements){field->bytes, field->size, field->number == ONNX_TENSOR_INT64S};
        return NULL;
    default:
        return NULL;
    }
}

static tri_status read_tensor(tri__arena *arena, tri__wire_reader reader, tri__onnx_tensor *out)
{
    tensor_message message = {.tensor = out};
    *out = (tri__onnx_tensor){.name = ""};
    TRI_TRY(read_message(arena, reader, "a tensor", take_tensor, &message));
    TRI_TRY(tri_shape_check(out->shape, &out->count));
    if (out->element == ONNX_ELEMENT_INT64)
        return out->count > (int64_t)message.from.size ? damaged(out->name) : decode_ints(arena, &message.from, out);
    return out->element == ONNX_ELEMENT_FLOAT ? decode_floats(arena, &message.from, out) : NULL;
}

/* ---- nodes ---- */

static tri_status read_tensor_attribute(tri__arena *arena, const tri__wire_field *field, tri__onnx_attribute *out)
{
    tri__onnx_tensor *tensor = tri__arena_alloc(arena, sizeof *tensor);
    if (!tensor)
        return no_memory();
    TRI_TRY(read_tensor(arena, tri__wire_inside(field), tensor));
    out->tensor = tensor;
    return NULL;
}

static tri_status take_attribute(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_attribute *attribute = out;
    switch (field->number) {
    case ONNX_ATTRIBUTE_NAME:
        return text_of(arena, field, &attribute->name);
    case ONNX_ATTRIBUTE_S:
        return text_of(arena, field, &attribute->text);
    case ONNX_ATTRIBUTE_F:
        attribute->number = tri__wire_float(field->value);
        return NULL;
    case ONNX_ATTRIBUTE_I:
        attribute->whole = (int64_t)field->value;
        return NULL;
    case ONNX_ATTRIBUTE_INTS:
        return add_numbers(field, "an attribute", TRI_ONNX_INTS, attribute->ints, &attribute->count);
    case ONNX_ATTRIBUTE_T:
        return field->type == TRI_WIRE_BYTES ? read_tensor_attribute(arena, field, attribute) : NULL;
    default:
        return NULL;
    }
}

static tri_status add_text(tri__arena *arena, const tri__wire_field *field, const tri__onnx_node *node, int most, const char **list,
                           int *count)
{
    if (*count == most)
        return tri_fail(TRI_UNSUPPORTED, "the node '%s' (%s) has more inputs or outputs than any operator here", node->name, node->op);
    return text_of(arena, field, &list[(*count)++]);
}

static tri_status add_attribute(tri__arena *arena, const tri__wire_field *field, tri__onnx_node *node)
{
    if (node->attributes == TRI_ONNX_ATTRIBUTES)
        return tri_fail(TRI_UNSUPPORTED, "the node '%s' (%s) has more attributes than any operator here", node->name, node->op);
    tri__onnx_attribute *attribute = &node->attribute[node->attributes++];
    *attribute = (tri__onnx_attribute){.name = "", .text = ""};
    return read_message(arena, tri__wire_inside(field), "an attribute", take_attribute, attribute);
}

static tri_status take_node(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_node *node = out;
    switch (field->number) {
    case ONNX_NODE_INPUT:
        return add_text(arena, field, node, TRI_ONNX_INPUTS, node->input, &node->inputs);
    case ONNX_NODE_OUTPUT:
        return add_text(arena, field, node, TRI_ONNX_OUTPUTS, node->output, &node->outputs);
    case ONNX_NODE_NAME:
        return text_of(arena, field, &node->name);
    case ONNX_NODE_OPERATOR:
        return text_of(arena, field, &node->op);
    case ONNX_NODE_ATTRIBUTE:
        return field->type == TRI_WIRE_BYTES ? add_attribute(arena, field, node) : NULL;
    default:
        return NULL;
    }
}

static tri_status read_node(tri__arena *arena, tri__wire_reader reader, tri__onnx_node *out)
{
    *out = (tri__onnx_node){.name = "", .op = ""};
    TRI_TRY(read_message(arena, reader, "a node", take_node, out));
    return out->outputs ? NULL : damaged("a node without a result");
}

/* ---- inputs and outputs ---- */

/* A dimension that has a name instead of a size, as a rule the batch, stays 0. */
static tri_status take_size(tri__arena *arena, const tri__wire_field *field, void *out)
{
    (void)arena;
    if (field->number == ONNX_DIM_VALUE && field->value <= INT32_MAX)
        *(int64_t *)out = (int64_t)field->value;
    return NULL;
}

static tri_status take_dim(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri_shape *shape = out;
    if (field->number != ONNX_SHAPE_DIM || field->type != TRI_WIRE_BYTES)
        return NULL;
    if (shape->rank == TRI_MAX_RANK)
        return tri_fail(TRI_UNSUPPORTED, "a value has more than %d dimensions", TRI_MAX_RANK);
    shape->dim[shape->rank] = 0;
    return read_message(arena, tri__wire_inside(field), "a value's shape", take_size, &shape->dim[shape->rank++]);
}

/* The element type and shape of a value's tensor. */
static tri_status take_tensor_type(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_value *value = out;
    if (field->number == ONNX_VALUE_ELEMENT && field->value <= INT32_MAX)
        value->element = (int)field->value;
    if (field->number != ONNX_VALUE_SHAPE || field->type != TRI_WIRE_BYTES)
        return NULL;
    value->shape = (tri_shape){0};
    return read_message(arena, tri__wire_inside(field), "a value's shape", take_dim, &value->shape);
}

static tri_status take_type(tri__arena *arena, const tri__wire_field *field, void *out)
{
    return field->number == ONNX_VALUE_TENSOR && field->type == TRI_WIRE_BYTES
               ? read_message(arena, tri__wire_inside(field), "a value's type", take_tensor_type, out)
               : NULL;
}

static tri_status take_value(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_value *value = out;
    if (field->number == ONNX_VALUE_NAME)
        return text_of(arena, field, &value->name);
    return field->number == ONNX_VALUE_TYPE && field->type == TRI_WIRE_BYTES
               ? read_message(arena, tri__wire_inside(field), "a value's type", take_type, out)
               : NULL;
}

static tri_status read_value(tri__arena *arena, tri__wire_reader reader, tri__onnx_value *out)
{
    *out = (tri__onnx_value){.name = ""};
    return read_message(arena, reader, "a value", take_value, out);
}

/* ---- the graph ---- */

static tri_status count_list(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_graph *graph = out;
    (void)arena;
    if (field->type != TRI_WIRE_BYTES)
        return NULL;
    graph->nodes += field->number == ONNX_GRAPH_NODE;
    graph->tensors += field->number == ONNX_GRAPH_INITIALIZER;
    graph->inputs += field->number == ONNX_GRAPH_INPUT;
    graph->outputs += field->number == ONNX_GRAPH_OUTPUT;
    return NULL;
}

/* The lists have room for what was counted; their lengths are counted again while they are filled. */
static tri_status fill_list(tri__arena *arena, const tri__wire_field *field, void *out)
{
    tri__onnx_graph *graph = out;
    if (field->type != TRI_WIRE_BYTES)
        return NULL;
    const tri__wire_reader message = tri__wire_inside(field);
    switch (field->number) {
    case ONNX_GRAPH_NODE:
        return read_node(arena, message, &graph->node[graph->nodes++]);
    case ONNX_GRAPH_INITIALIZER:
        return read_tensor(arena, message, &graph->tensor[graph->tensors++]);
    case ONNX_GRAPH_INPUT:
        return read_value(arena, message, &graph->input[graph->inputs++]);
    case ONNX_GRAPH_OUTPUT:
        return read_value(arena, message, &graph->output[graph->outputs++]);
    default:
        return NULL;
    }
}

/* ---- the model ---- */

typedef struct {
    const char *key, *value;
} property;

static tri_status take_property(tri__arena *arena, const tri__wire_field *field, void *out)
{
    property *to = out;
    return field->number == ONNX_PROPERTY_KEY     ? text_of(arena, field, &to->key)
           : field->number == ONNX_PROPERTY_VALUE ? text_of(arena, field, &to->value)
                                                  : NULL;
}

typedef struct {
    tri__wire_reader graph;
    const char *loss, *columns;
} model_message;

/* Finds the message of the graph, and our properties; where there are several of one key, the last one counts. */
static tri_status take_model(tri__arena *arena, const tri__wire_field *field, void *out)
{
    model_message *model = out;
    if (field->type != TRI_WIRE_BYTES)
        return NULL;
    if (field->number == ONNX_MODEL_GRAPH)
        model->graph = tri__wire_inside(field);
    if (field->number != ONNX_MODEL_PROPERTY)
        return NULL;
    property one = {.key = "", .value = ""};
    TRI_TRY(read_message(arena, tri__wire_inside(field), "a property of the model", take_property, &one));
    if (!strcmp(one.key, TRI_ONNX_LOSS))
        model->loss = one.value;
    if (!strcmp(one.key, TRI_ONNX_COLUMNS))
        model->columns = one.value;
    return NULL;
}

tri_status tri__onnx_read(const uint8_t *data, size_t size, tri__arena *arena, tri__onnx_graph *out)
{
    model_message model = {0};
    *out = (tri__onnx_graph){0};
    TRI_TRY(read_message(arena, (tri__wire_reader){data, data + size}, "the model", take_model, &model));
    const tri__wire_reader graph = model.graph;
    out->loss = model.loss;
    out->columns = model.columns;
    TRI_TRY(read_message(arena, graph, "the graph", count_list, out));
    if (!out->nodes || !out->inputs || !out->outputs)
        return tri_fail(TRI_BAD_DATA, "this is no ONNX model: it has no nodes, no input or no output");
    if (out->nodes > MOST || out->tensors > MOST || out->inputs > MOST || out->outputs > MOST)
        return tri_fail(TRI_UNSUPPORTED, "the model has more than %d nodes or tensors", MOST);
    out->node = tri__arena_alloc(arena, (size_t)out->nodes * sizeof *out->node);
    out->tensor = tri__arena_alloc(arena, (size_t)(out->tensors + 1) * sizeof *out->tensor);
    out->input = tri__arena_alloc(arena, (size_t)out->inputs * sizeof *out->input);
    out->output = tri__arena_alloc(arena, (size_t)out->outputs * sizeof *out->output);
    if (!out->node || !out->tensor || !out->input || !out->output)
        return no_memory();
    out->nodes = out->tensors = out->inputs = out->outputs = 0;
    return read_message(arena, graph, "the graph", fill_list, out);
}

const tri__onnx_attribute *tri__onnx_attribute_of(const tri__onnx_node *node, const char *name)
{
    for (int i = 0; i < node->attributes; i++)
        if (strcmp(node->attribute[i].name, name) == 0)
            return &node->attribute[i];
    return NULL;
}

const tri__onnx_tensor *tri__onnx_tensor_of(const tri__onnx_graph *graph, const char *name)
{
    for (int64_t i = 0; i < graph->tensors; i++)
        if (strcmp(graph->tensor[i].name, name) == 0)
            return &graph->tensor[i];
    for (int64_t i = 0; i < graph->nodes; i++)
        if (strcmp(graph->node[i].op, "Constant") == 0 && strcmp(graph->node[i].output[0], name) == 0) {
            const tri__onnx_attribute *value = tri__onnx_attribute_of(&graph->node[i], "value");
            return value ? value->tensor : NULL;
        }
    return NULL;
}
