/* read.h: reads an ONNX file into a list of nodes and tensors, as far as we need it. Nothing is trusted: lengths, counts and element types
 * are checked against the bytes. */
#ifndef TRI_GRAPH_ONNX_READ_H
#define TRI_GRAPH_ONNX_READ_H

#include "base/memory/arena.h"
#include "trireme/tensor.h"

enum { TRI_ONNX_INPUTS = 16, TRI_ONNX_OUTPUTS = 8, TRI_ONNX_ATTRIBUTES = 16, TRI_ONNX_INTS = 8 }; /* of a node or attribute, at most */

/* Floats or 64-bit integers; others are refused where they are used. */
typedef struct {
    const char *name;
    tri_shape shape;
    int element;         /* ONNX_ELEMENT_FLOAT, ONNX_ELEMENT_INT64, or a type that we do not read */
    const float *floats; /* [count], of the arena; NULL for other types */
    const int64_t *ints;
    int64_t count;
} tri__onnx_tensor;

typedef struct {
    const char *name, *text;
    float number;
    int64_t whole, ints[TRI_ONNX_INTS];
    int count; /* of ints */
    const tri__onnx_tensor *tensor;
} tri__onnx_attribute;

typedef struct {
    const char *name, *op;
    const char *input[TRI_ONNX_INPUTS], *output[TRI_ONNX_OUTPUTS];
    int inputs, outputs, attributes;
    tri__onnx_attribute attribute[TRI_ONNX_ATTRIBUTES];
} tri__onnx_node;

/* An input or output of the graph. A dimension that is not given, the batch as a rule, is 0. */
typedef struct {
    const char *name;
    int element;
    tri_shape shape;
} tri__onnx_value;

typedef struct {
    tri__onnx_node *node;
    tri__onnx_tensor *tensor;
    tri__onnx_value *input, *output;
    int64_t nodes, tensors, inputs, outputs;
    const char *loss;    /* the property TRI_ONNX_LOSS of the model; NULL: another program wrote the file */
    const char *columns; /* the property TRI_ONNX_COLUMNS; NULL: it did not learn from a CSV table, or another program wrote the file */
} tri__onnx_graph;

/* All of out lives in the arena. TRI_BAD_DATA says what is wrong with the bytes. */
TRI_MUST_CHECK tri_status tri__onnx_read(const uint8_t *data, size_t size, tri__arena *arena, tri__onnx_graph *out);

const tri__onnx_attribute *tri__onnx_attribute_of(const tri__onnx_node *node, const char *name); /* NULL where it has none */
const tri__onnx_tensor *tri__onnx_tensor_of(const tri__onnx_graph *graph,
                                            const char *name); /* of the file, or of a node Constant; NULL where there is none */

#endif
