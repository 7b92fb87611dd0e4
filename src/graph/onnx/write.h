/* write.h: an ONNX graph that is being written: nodes and tensors, added one after another. */
#ifndef TRI_GRAPH_ONNX_WRITE_H
#define TRI_GRAPH_ONNX_WRITE_H

#include "base/bytes/wire.h"
#include "base/memory/arena.h"
#include "graph/nodes/graph.h"

typedef struct {
    tri__arena *arena;     /* for names of intermediate values */
    tri__wire_buffer body; /* the GraphProto so far; `failed` where memory did not suffice */
} tri__onnx_writer;

/* A NodeProto that is being written: begin it, give it inputs and attributes, and end it with the name of its result. */
typedef struct {
    tri__onnx_writer *writer;
    tri__wire_buffer message;
} tri__onnx_new_node;

tri__onnx_new_node tri__onnx_begin_node(tri__onnx_writer *writer, const char *operator_name);
void tri__onnx_put_input(tri__onnx_new_node *node, const char *name);
void tri__onnx_put_int(tri__onnx_new_node *node, const char *name, int64_t number);
void tri__onnx_put_float(tri__onnx_new_node *node, const char *name, float number);
void tri__onnx_put_ints(tri__onnx_new_node *node, const char *name, const int64_t *numbers, int count);
void tri__onnx_end_node(tri__onnx_new_node *node, const char *output);

/* output = operator(a, b), without attributes. b: NULL where there is none */
void tri__onnx_put_plain(tri__onnx_writer *writer, const char *operator_name, const char *output, const char *a, const char *b);

/* type: ONNX_ELEMENT_* */
void tri__onnx_put_tensor(tri__onnx_writer *writer, const char *name, uint64_t type, const int64_t *dims, int rank, const void *data,
                          size_t bytes);

/* "node/what": the name of an intermediate value; in the arena. */
const char *tri__onnx_part(tri__onnx_writer *writer, const tri_node *node, const char *what);

/* Add one number, or a list of whole numbers, as a tensor called "node/what"; return that name. */
const char *tri__onnx_put_number(tri__onnx_writer *writer, const tri_node *node, const char *what, float value);
const char *tri__onnx_put_numbers(tri__onnx_writer *writer, const tri_node *node, const char *what, const int64_t *values, int count);

#endif
