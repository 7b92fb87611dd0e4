/* read.c: see read.h. Each message is read by a function of its own: it goes over the fields and keeps those that it knows. Lists are
 * counted first, so that the arena holds them in one piece. */
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
    return tri_fail(TRI_NO_MEMORY, "out of memory for an ONNX model");
}

/* The next field of a message; *more is false at its end. */
static tri_status next(tri__wire_reader *reader, const char *what, tri__wire_field *field, bool *more)
{
    bool bad = false;
    *more = tri__wire_next(reader, field, &bad);
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

/* A number, or several in one packed field, behind the *count that the list has. */
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

/* What the tensor's elements stand in: raw bytes, or a packed list. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    bool packed_ints;
} elements;

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

static tri_status read_tensor(tri__arena *arena, tri__wire_reader reader, tri__onnx_tensor *out)
{
    tri__wire_field field;
    elements from = {0};
    bool more;
    *out = (tri__onnx_tensor){.name = ""};
    for (;;) {
        TRI_TRY(next(&reader, "a tensor", &field, &more));
        if (!more)
            break;
        if (field.number == ONNX_TENSOR_NAME)
            TRI_TRY(text_of(arena, &field, &out->name));
        else if (field.number == ONNX_TENSOR_DIMS)
            TRI_TRY(add_numbers(&field, "a tensor's shape", TRI_MAX_RANK, out->shape.dim, &out->shape.rank));
        else if (field.number == ONNX_TENSOR_TYPE)
            out->element = field.value <= INT32_MAX ? (int)field.value : 0;
        else if (field.type == TRI_WIRE_BYTES &&
                 (field.number == ONNX_TENSOR_RAW || field.number == ONNX_TENSOR_FLOATS || field.number == ONNX_TENSOR_INT64S))
            from = (elements){field.bytes, field.size, field.number == ONNX_TENSOR_INT64S};
    }
    TRI_TRY(tri_shape_check(out->shape, &out->count));
    if (out->element == ONNX_ELEMENT_INT64)
        return out->count > (int64_t)from.size ? damaged(out->name) : decode_ints(arena, &from, out);
    return out->element == ONNX_ELEMENT_FLOAT ? decode_floats(arena, &from, out) : NULL;
}

/* ---- nodes ---- */

static tri_status read_attribute(tri__arena *arena, tri__wire_reader reader, tri__onnx_attribute *out)
{
    tri__wire_field field;
    bool more;
    *out = (tri__onnx_attribute){.name = "", .text = ""};
    for (;;) {
        TRI_TRY(next(&reader, "an attribute", &field, &more));
        if (!more)
            return NULL;
        if (field.number == ONNX_ATTRIBUTE_NAME)
            TRI_TRY(text_of(arena, &field, &out->name));
        else if (field.number == ONNX_ATTRIBUTE_S)
            TRI_TRY(text_of(arena, &field, &out->text));
        else if (field.number == ONNX_ATTRIBUTE_F)
            out->number = tri__wire_float(field.value);
        else if (field.number == ONNX_ATTRIBUTE_I)
            out->whole = (int64_t)field.value;
        else if (field.number == ONNX_ATTRIBUTE_INTS)
            TRI_TRY(add_numbers(&field, "an attribute", TRI_ONNX_INTS, out->ints, &out->count));
        else if (field.number == ONNX_ATTRIBUTE_T && field.type == TRI_WIRE_BYTES) {
            tri__onnx_tensor *tensor = tri__arena_alloc(arena, sizeof *tensor);
            if (!tensor)
                return no_memory();
            TRI_TRY(read_tensor(arena, tri__wire_inside(&field), tensor));
            out->tensor = tensor;
        }
    }
}

static tri_status read_node(tri__arena *arena, tri__wire_reader reader, tri__onnx_node *out)
{
    tri__wire_field field;
    bool more;
    *out = (tri__onnx_node){.name = "", .op = ""};
    for (;;) {
        TRI_TRY(next(&reader, "a node", &field, &more));
        if (!more)
            return out->outputs ? NULL : damaged("a node without a result");
        if ((field.number == ONNX_NODE_INPUT && out->inputs == TRI_ONNX_INPUTS) ||
            (field.number == ONNX_NODE_OUTPUT && out->outputs == TRI_ONNX_OUTPUTS) ||
            (field.number == ONNX_NODE_ATTRIBUTE && out->attributes == TRI_ONNX_ATTRIBUTES))
            return tri_fail(TRI_UNSUPPORTED, "the node '%s' (%s) has more inputs, outputs or attributes than any operator here", out->name,
                            out->op);
        if (field.number == ONNX_NODE_INPUT)
            TRI_TRY(text_of(arena, &field, &out->input[out->inputs++]));
        else if (field.number == ONNX_NODE_OUTPUT)
            TRI_TRY(text_of(arena, &field, &out->output[out->outputs++]));
        else if (field.number == ONNX_NODE_NAME)
            TRI_TRY(text_of(arena, &field, &out->name));
        else if (field.number == ONNX_NODE_OPERATOR)
            TRI_TRY(text_of(arena, &field, &out->op));
        else if (field.number == ONNX_NODE_ATTRIBUTE && field.type == TRI_WIRE_BYTES)
            TRI_TRY(read_attribute(arena, tri__wire_inside(&field), &out->attribute[out->attributes++]));
    }
}

/* ---- inputs and outputs ---- */

/* The message in field `number` of another; empty where there is none. */
static tri_status inside(tri__wire_reader reader, uint32_t number, tri__wire_reader *out)
{
    tri__wire_field field;
    bool more;
    *out = (tri__wire_reader){0};
    for (;;) {
        TRI_TRY(next(&reader, "a value's type", &field, &more));
        if (!more)
            return NULL;
        if (field.number == number && field.type == TRI_WIRE_BYTES)
            *out = tri__wire_inside(&field);
    }
}

static tri_status read_dims(tri__wire_reader reader, tri_shape *shape)
{
    tri__wire_field field, size;
    bool more, known;
    for (;;) {
        TRI_TRY(next(&reader, "a value's shape", &field, &more));
        if (!more)
            return NULL;
        if (field.number != ONNX_SHAPE_DIM || field.type != TRI_WIRE_BYTES)
            continue;
        if (shape->rank == TRI_MAX_RANK)
            return tri_fail(TRI_UNSUPPORTED, "a value has more than %d dimensions", TRI_MAX_RANK);
        tri__wire_reader dim = tri__wire_inside(&field);
        shape->dim[shape->rank] = 0;
        for (;;) {
            TRI_TRY(next(&dim, "a value's shape", &size, &known));
            if (!known)
                break;
            if (size.number == ONNX_DIM_VALUE && size.value <= INT32_MAX)
                shape->dim[shape->rank] = (int64_t)size.value;
        }
        shape->rank++;
    }
}

static tri_status read_value(tri__arena *arena, tri__wire_reader reader, tri__onnx_value *out)
{
    tri__wire_field field;
    tri__wire_reader type, tensor, shape;
    bool more;
    *out = (tri__onnx_value){.name = ""};
    TRI_TRY(inside(reader, ONNX_VALUE_TYPE, &type));
    TRI_TRY(inside(type, ONNX_VALUE_TENSOR, &tensor));
    TRI_TRY(inside(tensor, ONNX_VALUE_SHAPE, &shape));
    TRI_TRY(read_dims(shape, &out->shape));
    for (;;) {
        TRI_TRY(next(&tensor, "a value's type", &field, &more));
        if (!more)
            break;
        if (field.number == ONNX_VALUE_ELEMENT && field.value <= INT32_MAX)
            out->element = (int)field.value;
    }
    for (;;) {
        TRI_TRY(next(&reader, "a value", &field, &more));
        if (!more)
            return NULL;
        if (field.number == ONNX_VALUE_NAME)
            TRI_TRY(text_of(arena, &field, &out->name));
    }
}

/* ---- the graph ---- */

static tri_status count_lists(tri__wire_reader reader, tri__onnx_graph *out)
{
    tri__wire_field field;
    bool more;
    for (;;) {
        TRI_TRY(next(&reader, "the graph", &field, &more));
        if (!more)
            return NULL;
        if (field.type != TRI_WIRE_BYTES)
            continue;
        out->nodes += field.number == ONNX_GRAPH_NODE;
        out->tensors += field.number == ONNX_GRAPH_INITIALIZER;
        out->inputs += field.number == ONNX_GRAPH_INPUT;
        out->outputs += field.number == ONNX_GRAPH_OUTPUT;
    }
}

static tri_status read_lists(tri__arena *arena, tri__wire_reader reader, tri__onnx_graph *out)
{
    tri__wire_field field;
    bool more;
    int64_t nodes = 0, tensors = 0, inputs = 0, outputs = 0;
    for (;;) {
        TRI_TRY(next(&reader, "the graph", &field, &more));
        if (!more)
            return NULL;
        if (field.type != TRI_WIRE_BYTES)
            continue;
        if (field.number == ONNX_GRAPH_NODE)
            TRI_TRY(read_node(arena, tri__wire_inside(&field), &out->node[nodes++]));
        else if (field.number == ONNX_GRAPH_INITIALIZER)
            TRI_TRY(read_tensor(arena, tri__wire_inside(&field), &out->tensor[tensors++]));
        else if (field.number == ONNX_GRAPH_INPUT)
            TRI_TRY(read_value(arena, tri__wire_inside(&field), &out->input[inputs++]));
        else if (field.number == ONNX_GRAPH_OUTPUT)
            TRI_TRY(read_value(arena, tri__wire_inside(&field), &out->output[outputs++]));
    }
}

tri_status tri__onnx_read(const uint8_t *data, size_t size, tri__arena *arena, tri__onnx_graph *out)
{
    tri__wire_reader graph;
    *out = (tri__onnx_graph){0};
    TRI_TRY(inside((tri__wire_reader){data, data + size}, ONNX_MODEL_GRAPH, &graph));
    TRI_TRY(count_lists(graph, out));
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
    return read_lists(arena, graph, out);
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
