/* plan.h: the inside of a plan.
 *
 * A plan is a list of calls. A call is a kernel and the operands it reads and writes. An operand is a place in memory: in the plan's
 * buffer, in the store (parameters, gradients), in the graph (constants), or in the batch. Values that view or overwrite others share their
 * memory: `root` leads to the one that owns it. */
#ifndef TRI_GRAPH_PLAN_PLAN_H
#define TRI_GRAPH_PLAN_PLAN_H

#include "base/trace/trace.h"
#include "graph/nodes/operator.h"
#include "graph/store/distinct.h"
#include "tensor/onednn/onednn.h"
#include "tensor/sparse/sparse.h"
#include "trireme/plan.h"

typedef enum {
    TRI_IN_BUFFER,
    TRI_FIXED,
    TRI_BATCH_X,
    TRI_BATCH_LABELS,
    TRI_BATCH_TARGETS,
    TRI_BATCH_WEIGHTS,
    TRI_BATCH_LISTS,
    TRI_IN_TABLE
} tri__location;

typedef struct {
    const tri_node *node;             /* whose value it is; NULL for a workspace */
    const tri__tensor_layout *layout; /* NULL is plain */
    size_t bytes;
    tri__location where;
    int root;        /* the operand whose memory this is; itself, where it has its own */
    int source;      /* of a reordered copy: the operand it was made from; −1 elsewhere */
    int first, last; /* of a root: the calls between which its memory is in use */
    bool offered;    /* a parameter's gradient in the plan's own buffer, lent to the store when it is offered */
    size_t offset;   /* of a root in the buffer */
    void *fixed;     /* TRI_FIXED: where it lies */
} tri__operand;

typedef struct {
    tri__kernel *kernel; /* owned */
    const tri_node *node;
    int operand[TRI_KERNEL_ARGUMENTS];
    void *data[TRI_KERNEL_ARGUMENTS];
    const void **row; /* of a scattered kernel: [batch] where input 0's rows stand; owned */
    int64_t nanoseconds;
    int guard; /* −1: it is always made */
    const char *text;
    int span; /* its name in a trace */
} tri__plan_call;

/* A node that gives a variable its value of the next run. */
typedef struct {
    const tri_node *node, *variable;
    int operand; /* the new value, which lives until the run has ended */
} tri__assignment;

/* A condition under which calls are made: the number at data is above 0 (taken), or is not, and the outer guard holds. */
typedef struct {
    int operand; /* −1: what is guarded comes before its predicate, and is always computed */
    const float *data;
    bool taken;
    int outer; /* −1: none */
} tri__plan_guard;

/* An argument that takes its pointer from the batch. */
typedef struct {
    int call, argument;
    tri__location where;
} tri__binding;

/* A range, or a table's rows, that is awaited before a call, or offered after it. */
typedef struct {
    int call;
    tri_range range;
    int gradient; /* of an offer: the operand that holds it, where the store has dropped its gradient; −1 where it has not */
    int table;    /* −1: a range */
} tri__store_call;

/* A table, and what the step at hand reads and writes of it. */
typedef struct {
    const tri_node *node;
    int64_t rows, width;
    const int32_t *at; /* [features of the batch] the row of weights and gradient that each reads */
    tri__table_view weights, gradient;
    float factor;  /* of what is added to gradient */
    bool lent;     /* both are the table itself; otherwise a copy of its distinct rows … */
    int64_t count; /* … of which there are so many */
    float *copy;   /* [2][room][width] weights and gradient */
    int64_t room;
} tri__plan_table;

struct tri_plan {
    tri_graph *graph; /* the plan's own: rewritten and differentiated */
    tri_plan_options options;
    tri_store *store;
    int table_threads; /* that read and update tables; the others are options.threads … */
    int table_team;    /* … and how many of them do so for operators on tables at present */
    tri__onednn *onednn;
    tri__operand *operand;
    int operands;
    int64_t operand_room;
    tri__plan_call *call;
    int calls;
    int64_t call_room;
    tri__binding *binding;
    int bindings;
    int64_t binding_room;
    tri__store_call *await, *offer; /* in the order of the calls */
    int awaits, offers;
    tri__plan_guard *guard;
    tri__assignment *assignment;
    int assignments;
    int64_t assignment_room;
    tri__plan_table *table; /* by the store's number */
    int tables;
    int64_t features;          /* keys lie below; 0 where there are no tables */
    bool sparse;               /* batches have keys and values */
    tri__distinct distinct[2]; /* of the batch at hand, and of the one behind it … */
    int now;                   /* … which of them is which */
    int32_t *row;              /* where tables grow: [row_room] of each feature of a batch that is only read … */
    int32_t *sightings;        /* … and how often the batch at hand names each of its distinct keys: [sightings_room] */
    int64_t row_room, sightings_room;
    int *output_operand; /* by the graph's outputs: the plain operand */
    void *buffer;
    size_t bytes;
    tri_type input_type; /* of x */
    bool gathered;       /* some kernel needs x's rows one after another */
    int64_t classes;     /* labels lie below; 0 where there are none */
    int64_t outputs;     /* targets of an example that the graph reads; 0 where it reads none */
    bool timing;
    tri__trace_lane *lane; /* on which calls are traced; NULL: they are not */
    float *sum;   /* with options.parts: [floats] Σ gradients of a step's parts so far, where the parameters are. NULL elsewhere */
    void *absent; /* [batch][outputs] zeros: the labels, targets and weights of a batch that has none, which is run but not trained on */
};

/* Let a scattered call read rows that stand one after another at x. */
void tri__plan_point(tri__plan_call *call, const void *x, int64_t rows);

/* Σ of the examples' weights: what a store divides the batch's gradient by. 0 of no batch. */
double tri__batch_weight(const tri_batch *batch);

/* From now on every call is a span on the lane, by its text. */
void tri__plan_trace(tri_plan *plan, tri__trace *trace, tri__trace_lane *lane);

#endif
