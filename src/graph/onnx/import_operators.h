/* import_operators.h: turns nodes of ONNX into lines of a model. */
#ifndef TRI_GRAPH_ONNX_IMPORT_OPERATORS_H
#define TRI_GRAPH_ONNX_IMPORT_OPERATORS_H

#include "graph/onnx/importer.h"

/* Add the lines that compute the node, whose inputs have been imported. TRI_UNSUPPORTED says what about the node we do not support. */
TRI_MUST_CHECK tri_status tri__import_node(tri__importer *self, const tri__onnx_node *node);

#endif
