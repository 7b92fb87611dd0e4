/* label_shares.c: the loss reads targets in place of labels; other readers keep labels. Sorting puts the new input before the loss. */
#include "graph/rewrite/label_shares.h"

tri_status tri__graph_read_label_shares(tri_graph *graph)
{
    tri_node *loss = tri_graph_find_output(graph, "loss");
    const int64_t classes = loss ? tri__node_classes(loss) : 0;
    if (!classes)
        return tri_fail(TRI_BAD_CALL, "labels are shares of classes, and the output 'loss' of the graph is neither softmax_loss nor "
                                      "logistic_loss: leave out label_shares (and mixup)");
    tri_node *shares;
    TRI_TRY(tri_graph_input(graph, "targets", TRI_F32, TRI_SHAPE(classes), &shares));
    loss->input[1] = shares;
    return NULL;
}
