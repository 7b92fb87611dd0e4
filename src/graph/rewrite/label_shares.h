/* label_shares.h: training on mixed labels, of which each class has a share.
 *
 * A graph says which model it is, and is the same for servers, checkpoints and evaluation, which know labels only. So whether training
 * reads shares in their place is settled when its plan is made, in the plan's own copy of the graph. */
#ifndef TRI_GRAPH_REWRITE_LABEL_SHARES_H
#define TRI_GRAPH_REWRITE_LABEL_SHARES_H

#include "graph/nodes/graph.h"

/* Let the output "loss" read the input "targets", [batch][classes], in place of labels. TRI_BAD_CALL where that is no loss over classes. */
TRI_MUST_CHECK tri_status tri__graph_read_label_shares(tri_graph *graph);

#endif
