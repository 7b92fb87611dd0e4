/* export_operators.h: nodes of a graph as nodes of ONNX. */
#ifndef TRI_GRAPH_ONNX_EXPORT_OPERATORS_H
#define TRI_GRAPH_ONNX_EXPORT_OPERATORS_H

#include "graph/onnx/write.h"

typedef struct {
    const tri_graph *graph;
    const float *parameters;
    tri__onnx_writer writer;
    bool *needed; /* by node->id: the logits need it */
    bool *folded; /* by node->id: its one reader, a bias, computes it too */
} tri__exporter;

/* Writes the node as one ONNX node or a few. TRI_UNSUPPORTED names it where ONNX has no operator for it. */
TRI_MUST_CHECK tri_status tri__export_node(tri__exporter *self, const tri_node *node);

#endif
