/* import_operators.h: nodes of ONNX as lines of a model. */
#ifndef TRI_GRAPH_ONNX_IMPORT_OPERATORS_H
#define TRI_GRAPH_ONNX_IMPORT_OPERATORS_H

#include "graph/onnx/importer.h"

/* Adds what the node computes, whose inputs have been imported. TRI_UNSUPPORTED says what of it cannot be read. */
TRI_MUST_CHECK tri_status tri__import_node(tri__importer *self, const tri__onnx_node *node);

#endif
