/* plan.h: the inside of a plan.
 *
 * A plan is a list of calls. A call is a kernel and the operands it reads and writes. An operand is a place in memory: in the plan's
 * buffer, in the store (parameters, gradients), in the graph (constants), or in the batch. Values that view or overwrite others share their
 * memory: `root` is the operand that owns it. */
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
    const tri_node *node;             /* the node whose value this is; NULL for a workspace */
    const tri__tensor_layout *layout; /* NULL is plain */
    size_t bytes;
    tri__location where;
    int root;        /* the operand that owns the memory; itself where it has its own */
    int source;      /* of a reordered copy: the operand it was made from; −1 elsewhere */
    int first, last; /* of a root: the first and the last call that use its memory */
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
    int guard; /* the guard of this call; −1: none, it is always made */
    const char *text;
    int span; /* its name in a trace */
} tri__plan_call;

/* A node whose value the variable has in the next run. */
typedef struct {
    const tri_node *node, *variable;
    int operand; /* the new value, which lives until the run has ended */
} tri__assignment;

/* A condition under which calls are made: the number at data is above 0 (taken) or is not (not taken), and the outer guard holds. */
typedef struct {
    int operand; /* the predicate; −1: it is no plain number in the buffer or at a fixed place, so the guard cannot be used */
    const float *data;
    bool taken;
    int outer; /* −1: none */
} tri__plan_guard;

/* An argument that takes its pointer from the batch. */
typedef struct {
    int call, argument;
    tri__location where;
} tri__binding;

/* A range, or the rows of a table, that the plan awaits before a call, or offers after it. */
typedef struct {
    int call;
    tri_range range;
    int gradient; /* of an offer: the operand with the gradient, where the store dropped its own gradient; −1: it did not */
    int table;    /* −1: a range */
} tri__store_call;

/* A table, and what the present step reads and writes of it. */
typedef struct {
    const tri_node *node;
    int64_t rows, width;
    const int32_t *at; /* [features of the batch] the row of weights and gradient of each feature */
    tri__table_view weights, gradient;
    float factor;  /* by which what is added to gradient is multiplied */
    bool lent;     /* weights and gradient are the table itself; otherwise copies of the rows that the batch names */
    int64_t count; /* not lent: how many distinct rows the batch names */
    float *copy;   /* [2][room][width] weights and gradient */
    int64_t room;
} tri__plan_table;

struct tri_plan {
    tri_graph *graph; /* the plan's own: rewritten and differentiated */
    tri_plan_options options;
    tri_store *store;
    int table_threads; /* threads that may work on tables; dense layers have options.threads */
    int table_team;    /* how many of table_threads work for operators on tables at present */
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
    tri__plan_table *table; /* by the table's number in the store */
    int tables;
    int64_t features;          /* keys are below this; 0 where there are no tables */
    bool sparse;               /* batches have keys and values */
    tri__distinct distinct[2]; /* distinct[now]: of the present batch; the other one: of the next batch */
    int now;
    int32_t *row;       /* where tables grow: [row_room] the row of each feature of a batch that is only read */
    int32_t *sightings; /* where tables grow: [sightings_room] how often the present batch names each of its distinct keys */
    int64_t row_room, sightings_room;
    int *output_operand; /* of each output of the graph: its plain operand */
    void *buffer;
    size_t bytes;
    tri_type input_type; /* of x */
    bool gathered;       /* some kernel needs the rows of x one after another */
    int64_t classes;     /* labels are below this; 0 where there are none */
    int64_t outputs;     /* targets of an example that the graph reads; 0 where it reads none */
    bool timing;
    tri__trace_lane *lane; /* calls are traced on it; NULL: they are not traced */
    float *sum;   /* with options.parts: [floats] Σ gradients of a step's parts so far, laid out as the parameters. NULL elsewhere */
    void *absent; /* [batch][outputs] zeros: the labels, targets and weights of a batch that has none, which is run but not trained on */
};

/* Bytes that the kernels of one run read and write at least: each argument of each call once, those of loops' bodies not at all. */
double tri__plan_traffic(const tri_plan *plan);

/* Let a scattered call read rows that stand one after another at x. */
void tri__plan_point(tri__plan_call *call, const void *x, int64_t rows);

/* Σ of the examples' weights, by which a store divides the batch's gradient. 0 where batch is NULL. */
double tri__batch_weight(const tri_batch *batch);

/* From now on every call is traced on the lane, as a span named by the call's text. */
void tri__plan_trace(tri_plan *plan, tri__trace *trace, tri__trace_lane *lane);

#endif
