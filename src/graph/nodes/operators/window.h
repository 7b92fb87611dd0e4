/* window.h: the sliding window of convolution and pooling, as a graph knows it. */
#ifndef TRI_GRAPH_NODES_OPERATORS_WINDOW_H
#define TRI_GRAPH_NODES_OPERATORS_WINDOW_H

#include "graph/nodes/operators/row.h"
#include "tensor/ref/ref.h"

/* Set attributes that were left at 0 to their defaults (stride: the given default; a second number: the first), then check that a window of
 * the kernel fits x [n][c][h][w]. out gets the size of the result: floor((h + 2·pad − dilation·(kernel − 1) − 1) / stride) + 1, and the
 * same for the width. TRI_PAD_SAME is replaced by the padding that it means. */
TRI_MUST_CHECK tri_status tri__window_check(tri_node *node, tri_shape x, const int64_t default_stride[2], int64_t out[2]);

/* x: [n][c][h][w], y: [n][o][oh][ow] */
tri__ref_window tri__window_of(const tri_attributes *attributes, tri_shape x, tri_shape y);

#endif
