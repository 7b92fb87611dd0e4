/* plan.h: the inside of a plan, and what compiling one needs.
 *
 * A plan is a list of calls. A call is a kernel and the values it reads and writes. A value is a place in memory: in the plan's buffer, in
 * the store (parameters, gradients), in the graph (constants), or in the batch. Values that view or overwrite others share their memory:
 * `root` leads to the one that owns it. */
#ifndef TRI_GRAPH_PLAN_H
#define TRI_GRAPH_PLAN_H

#include "graph/operator.h"
#include "tensor/onednn/onednn.h"
#include "trireme/plan.h"

typedef enum { TRI_IN_BUFFER, TRI_FIXED, TRI_BATCH_X, TRI_BATCH_LABELS, TRI_BATCH_WEIGHTS } tri__whereabouts;

typedef struct {
    const tri_node *node;      /* what it is the value of; NULL for a workspace */
    const tri__layout *layout; /* NULL is plain */
    size_t bytes;
    tri__whereabouts where;
    int root;        /* the value whose memory this is; itself, where it has its own */
    int source;      /* of a reordered copy: the value it was made from; −1 elsewhere */
    int first, last; /* of a root: the calls between which its memory is in use */
    bool offered;    /* a parameter's gradient in the plan's own buffer, lent to the store when it is offered */
    size_t offset;   /* of a root in the buffer */
    void *fixed;     /* TRI_FIXED: where it lies */
} tri__value;

typedef struct {
    tri__kernel *kernel; /* owned */
    const tri_node *node;
    int value[TRI_KERNEL_SLOTS];
    void *data[TRI_KERNEL_SLOTS];
    const void **row; /* of a scattered kernel: [batch] where input 0's rows stand; owned */
    int64_t nanoseconds;
    const char *text;
} tri__plan_call;

/* A slot that takes its pointer from the batch. */
typedef struct {
    int call, slot;
    tri__whereabouts where;
} tri__binding;

/* A range that is awaited before a call, or offered after it. */
typedef struct {
    int call;
    tri_range range;
    int gradient; /* of an offer: the value that holds it, where the store has dropped its gradient; −1 where it has not */
} tri__store_call;

struct tri_plan {
    tri_graph *graph; /* the plan's own: rewritten and differentiated */
    tri_plan_options options;
    tri_store *store;
    tri__onednn *onednn;
    tri__value *value;
    int values, value_capacity;
    tri__plan_call *call;
    int calls, call_capacity;
    tri__binding *binding;
    int bindings, binding_capacity;
    tri__store_call *await, *offer; /* in the order of the calls */
    int awaits, offers;
    int *output_value; /* by the graph's outputs: the plain value */
    void *buffer;
    size_t bytes;
    tri_type input_type; /* of x */
    bool gathered;       /* some kernel needs x's rows one after another */
    int64_t classes;     /* labels lie below; 0 where there are none */
    bool timing;
};

/* ---- compiling ---- */

/* Nodes that one kernel computes together. */
typedef struct tri__group tri__group;

typedef struct {
    tri_plan *plan;
    tri_graph *graph;
    tri_node **gradient;   /* by node->id of the forward graph; NULL where not training */
    int *value_of;         /* by node->id: its value, −1 before it is computed */
    int *workspace_of;     /* by node->id: the workspace its kernel keeps for the gradient, −1 where none */
    bool *covered;         /* by node->id: a call that computes it has been made */
    tri__group **forward;  /* by node->id: the narrow group whose forward kernel computes it */
    tri__group **backward; /* by node->id: the narrow group whose gradient kernel computes it */
} tri__compiler;

/* A kernel found for a node or group, and the nodes behind its slots. */
typedef struct {
    tri__kernel *kernel;
    const tri_node *node; /* whose name the call carries */
    const tri_node *input[TRI_KERNEL_SLOTS];
    const tri_node *output[TRI_KERNEL_SLOTS];
    const tri_node *keeps; /* workspace 0 is kept for the gradient of this node … */
    const tri_node *reads; /* … or is what was kept for it. Both NULL: workspace 0 is scratch */
} tri__lowered;

TRI_MUST_CHECK tri_status tri__plan_compile(tri_plan *plan, const tri_graph *graph);

/* The layout in which a node's value is there now. */
const tri__layout *tri__compiler_layout(const tri__compiler *compiler, const tri_node *node);
bool tri__compiler_is_live_elsewhere(const tri__compiler *compiler, const tri_node *node, const tri_node *const *inside, int count);

/* Whether its activation is one that the fast kernels have inside: none or ReLU. */
static inline bool tri__takes_activation(const tri_node *node)
{
    return node->attributes.activation == TRI_ACTIVATION_NONE || node->attributes.activation == TRI_ACTIVATION_RELU;
}

/* Lowerings look for a kernel; lowered->kernel stays NULL where they have none for this node. */
TRI_MUST_CHECK tri_status tri__lower_plain(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);
TRI_MUST_CHECK tri_status tri__lower_onednn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

/* Find the groups that narrow kernels win; then lower the group that a node belongs to. */
TRI_MUST_CHECK tri_status tri__narrow_find(tri__compiler *compiler);
TRI_MUST_CHECK tri_status tri__lower_narrow(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

/* Let a scattered call read rows that stand one after another at x. */
void tri__plan_point(tri__plan_call *call, const void *x, int64_t rows);

/* When all calls are there: find lifetimes; the ranges that are awaited and offered at each call, which may prolong some; lay out the
 * buffer. */
void tri__plan_lifetimes(tri_plan *plan);
TRI_MUST_CHECK tri_status tri__plan_schedule(tri_plan *plan);
TRI_MUST_CHECK tri_status tri__plan_place(tri_plan *plan);

#endif
