/* compile.h: makes a plan of a graph: rewrites it, finds a kernel for each node, and lays out memory.
 *
 * Lowerings (lower_narrow.h, lower_onednn.h, lower_plain.h) look for a kernel for a node; they see the compiler, which knows what has been
 * computed so far. */
#ifndef TRI_GRAPH_PLAN_COMPILE_H
#define TRI_GRAPH_PLAN_COMPILE_H

#include "graph/plan/plan.h"
#include "graph/rewrite/guard.h"

/* Nodes that one kernel computes together. */
typedef struct tri__group tri__group;

typedef struct {
    tri_plan *plan;
    tri_graph *graph;
    tri_node **gradient;      /* by node->id of the forward graph; NULL where not training */
    int *operand_of;          /* by node->id: its operand; −1: no call computes it yet */
    int *workspace_of;        /* by node->id: the workspace that its kernel keeps for the gradient; −1: none */
    const tri__guard **guard; /* by node->id */
    int guards;
    bool *covered;         /* by node->id: a call that computes it has been made */
    tri__group **forward;  /* by node->id: the narrow group whose forward kernel computes it */
    tri__group **backward; /* by node->id: the narrow group whose gradient kernel computes it */
} tri__compiler;

/* A kernel found for a node or group, and the nodes behind its arguments. */
typedef struct {
    tri__kernel *kernel;
    const tri_node *node; /* the call has its name */
    const tri_node *input[TRI_KERNEL_ARGUMENTS];
    const tri_node *output[TRI_KERNEL_ARGUMENTS];
    const tri_node *keeps; /* a forward kernel keeps workspace 0 for the gradient of this node; NULL: it does not */
    const tri_node
        *reads; /* a gradient kernel reads workspace 0 of this node's kernel; NULL: it does not. Both NULL: workspace 0 is scratch */
} tri__lowered;

TRI_MUST_CHECK tri_status tri__plan_compile(tri_plan *plan, const tri_graph *graph);

/* The layout that a node's operand has now. */
const tri__tensor_layout *tri__compiler_layout(const tri__compiler *compiler, const tri_node *node);
bool tri__compiler_is_live_elsewhere(const tri__compiler *compiler, const tri_node *node, const tri_node *const *inside, int count);

/* Whether the fast kernels can compute the node's activation: none or ReLU. */
static inline bool tri__takes_activation(const tri_node *node)
{
    return node->attributes.activation == TRI_ACTIVATION_NONE || node->attributes.activation == TRI_ACTIVATION_RELU;
}

/* Whether a convolution or pooling has no groups, no dilation and the same padding on both sides, as narrow kernels need it. */
static inline bool tri__has_plain_window(const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    return a->groups <= 1 && a->dilation[0] == 1 && a->dilation[1] == 1 && a->pad_more[0] == 0 && a->pad_more[1] == 0;
}

#endif
