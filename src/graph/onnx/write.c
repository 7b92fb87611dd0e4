/* write.c: nodes, attributes and tensors as messages. */
#include "graph/onnx/write.h"

#include "graph/onnx/message.h"

/* ---- nodes and attributes ---- */

tri__onnx_new_node tri__onnx_begin_node(tri__onnx_writer *writer, const char *operator_name)
{
    tri__onnx_new_node node = {.writer = writer};
    tri__wire_put_string(&node.message, ONNX_NODE_OPERATOR, operator_name);
    return node;
}

void tri__onnx_put_input(tri__onnx_new_node *node, const char *name)
{
    tri__wire_put_string(&node->message, ONNX_NODE_INPUT, name);
}

void tri__onnx_end_node(tri__onnx_new_node *node, const char *output)
{
    tri__wire_put_string(&node->message, ONNX_NODE_OUTPUT, output);
    tri__wire_put_string(&node->message, ONNX_NODE_NAME, output);
    tri__wire_put_message(&node->writer->body, ONNX_GRAPH_NODE, &node->message);
    tri__wire_fini(&node->message);
}

static void put_attribute(tri__onnx_new_node *node, const char *name, uint64_t type, tri__wire_buffer *value)
{
    tri__wire_put_string(value, ONNX_ATTRIBUTE_NAME, name);
    tri__wire_put_varint(value, ONNX_ATTRIBUTE_TYPE, type);
    tri__wire_put_message(&node->message, ONNX_NODE_ATTRIBUTE, value);
    tri__wire_fini(value);
}

void tri__onnx_put_int(tri__onnx_new_node *node, const char *name, int64_t number)
{
    tri__wire_buffer value = {0};
    tri__wire_put_varint(&value, ONNX_ATTRIBUTE_I, (uint64_t)number);
    put_attribute(node, name, ONNX_TYPE_INT, &value);
}

void tri__onnx_put_float(tri__onnx_new_node *node, const char *name, float number)
{
    tri__wire_buffer value = {0};
    tri__wire_put_float(&value, ONNX_ATTRIBUTE_F, number);
    put_attribute(node, name, ONNX_TYPE_FLOAT, &value);
}

void tri__onnx_put_ints(tri__onnx_new_node *node, const char *name, const int64_t *numbers, int count)
{
    tri__wire_buffer value = {0};
    for (int i = 0; i < count; i++)
        tri__wire_put_varint(&value, ONNX_ATTRIBUTE_INTS, (uint64_t)numbers[i]);
    put_attribute(node, name, ONNX_TYPE_INTS, &value);
}

void tri__onnx_put_plain(tri__onnx_writer *writer, const char *operator_name, const char *output, const char *a, const char *b)
{
    tri__onnx_new_node node = tri__onnx_begin_node(writer, operator_name);
    tri__onnx_put_input(&node, a);
    if (b)
        tri__onnx_put_input(&node, b);
    tri__onnx_end_node(&node, output);
}

/* ---- tensors ---- */

void tri__onnx_put_tensor(tri__onnx_writer *writer, const char *name, uint64_t type, const int64_t *dims, int rank, const void *data,
                          size_t bytes)
{
    tri__wire_buffer tensor = {0};
    for (int i = 0; i < rank; i++)
        tri__wire_put_varint(&tensor, ONNX_TENSOR_DIMS, (uint64_t)dims[i]);
    tri__wire_put_varint(&tensor, ONNX_TENSOR_TYPE, type);
    tri__wire_put_string(&tensor, ONNX_TENSOR_NAME, name);
    tri__wire_put_bytes(&tensor, ONNX_TENSOR_RAW, data, bytes);
    tri__wire_put_message(&writer->body, ONNX_GRAPH_INITIALIZER, &tensor);
    tri__wire_fini(&tensor);
}

const char *tri__onnx_part(tri__onnx_writer *writer, const tri_node *node, const char *what)
{
    const char *name = tri__arena_format(writer->arena, "%s/%s", node->name, what);
    writer->body.failed |= !name;
    return name ? name : "";
}

const char *tri__onnx_put_number(tri__onnx_writer *writer, const tri_node *node, const char *what, float value)
{
    const char *name = tri__onnx_part(writer, node, what);
    tri__onnx_put_tensor(writer, name, ONNX_ELEMENT_FLOAT, NULL, 0, &value, sizeof value);
    return name;
}

const char *tri__onnx_put_numbers(tri__onnx_writer *writer, const tri_node *node, const char *what, const int64_t *values, int count)
{
    const char *name = tri__onnx_part(writer, node, what);
    tri__onnx_put_tensor(writer, name, ONNX_ELEMENT_INT64, (int64_t[]){count}, 1, values, (size_t)count * sizeof *values);
    return name;
}
