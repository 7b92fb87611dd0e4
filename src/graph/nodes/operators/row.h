/* row.h: what the files of this folder share: their lists of operators, and the checks that shape rules are made of. */
#ifndef TRI_GRAPH_NODES_OPERATORS_ROW_H
#define TRI_GRAPH_NODES_OPERATORS_ROW_H

#include "graph/nodes/operator.h"

/* The operators of each file, ending in NULL. */
extern const tri_operator *const tri__source_operators[];
extern const tri_operator *const tri__matmul_operators[];
extern const tri_operator *const tri__convolution_operators[];
extern const tri_operator *const tri__pooling_operators[];
extern const tri_operator *const tri__elementwise_operators[];
extern const tri_operator *const tri__normalise_operators[];
extern const tri_operator *const tri__batch_norm_operators[];
extern const tri_operator *const tri__concat_operators[];
extern const tri_operator *const tri__loss_operators[];
extern const tri_operator *const tri__reduce_operators[];
extern const tri_operator *const tri__shape_operators[];
extern const tri_operator *const tri__sparse_operators[];
extern const tri_operator *const tri__exchange_operators[];
extern const tri_operator *const tri__variable_operators[];
extern const tri_operator *const tri__control_operators[];

/* A shape as text, for the arguments of one message. */
#define TRI_TEXT(shape) tri_shape_text((shape), (char[128]){0}, 128)

#define TRI_ANY_RANK (-1)

/* TRI_BAD_CALL: "operator 'node': message". */
TRI_MUST_CHECK tri_status tri__refuse(const tri_node *node, const char *format, ...) TRI_FORMAT(2, 3);

/* Input i, which messages call `what`, must have this type and rank. */
TRI_MUST_CHECK tri_status tri__expect(const tri_node *node, int i, const char *what, tri_type type, int rank);

/* Input i, which messages call `what`, must have this shape. */
TRI_MUST_CHECK tri_status tri__expect_shape(const tri_node *node, int i, const char *what, tri_type type, tri_shape shape);

/* The result of a shape rule: f32 of this shape, if that many elements can be counted. */
TRI_MUST_CHECK tri_status tri__give(const tri_node *node, tri_shape wanted, tri_type *type, tri_shape *shape);

/* The shape of input i of the node that a gradient node differentiates. Fails where there is no such node or input. */
TRI_MUST_CHECK tri_status tri__forward_input(const tri_node *node, int i, tri_shape *out);

/* For input i, by which the operator has no derivative. Nothing to do where it is an input of the graph; fails where a parameter lies
 * behind it. */
TRI_MUST_CHECK tri_status tri__untrained(const tri_node *node, int i, const char *what, const bool *wanted);

/* The product of dimensions first … end − 1. It cannot overflow: tri__give checked the shape. */
int64_t tri__dims_product(tri_shape shape, int first, int end);

/* shape.c: forward of operators whose result is their input, with another shape. */
void tri__copy_forward(const tri__call *call);

/* elementwise.c: shape rule of f(x), and of gradients f(dy, y) whose inputs have the same shape. */
TRI_MUST_CHECK tri_status tri__unary_shape(tri_node *node, tri_type *type, tri_shape *shape);
TRI_MUST_CHECK tri_status tri__binary_shape(tri_node *node, tri_type *type, tri_shape *shape);

/* elementwise.c: the activation that was fused into a matmul or convolution: y = f(y), and the gradient before it from dy. */
void tri__activate(tri_activation activation, tri_tensor y);
TRI_MUST_CHECK tri_status tri__activation_backward(tri_graph *graph, tri_node *node, tri_node *dy, tri_node **out);

#endif
