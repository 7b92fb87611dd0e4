/* export.h: writes a model as an ONNX file, for other runtimes.
 *
 * The file takes examples as training took them, "x" [N][height][width][channels] of bytes or floats, or [N][features], and gives "logits"
 * and "probabilities" [N][classes]; for a model that learns numbers, only "logits", which are these numbers. N is free. Parameters keep
 * their names. */
#ifndef TRI_GRAPH_ONNX_EXPORT_H
#define TRI_GRAPH_ONNX_EXPORT_H

#include "base/bytes/wire.h"
#include "trireme/graph.h"

/* graph: built from the model; parameters: its flat buffer; columns: of the CSV table that it learnt from, or NULL. TRI_UNSUPPORTED names
 * the layer that ONNX has no operator for. */
TRI_MUST_CHECK tri_status tri__onnx_export(const tri_graph *graph, const float *parameters, const char *name, const char *columns,
                                           tri__wire_buffer *out);

#endif
