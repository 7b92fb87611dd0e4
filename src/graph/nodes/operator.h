/* operator.h: each operator is one row. To add an operator, change three files:
 * - in operators/, a row in the file of its family, which lists it at its end: shape, forward, backward;
 * - in tests/graph/nodes/operator_cases.h, a case: it is then tested with every kernel, batch size and number of threads;
 * - in docs/models.md, a line: `.model` files can use every operator that has a derivative.
 * A new attribute needs a field of tri_attributes, and its key in model_setting.c. A new family needs a line in operator.c. */
#ifndef TRI_GRAPH_NODES_OPERATOR_H
#define TRI_GRAPH_NODES_OPERATOR_H

#include "graph/nodes/graph.h"
#include "tensor/kernel.h"

/* What forward gets: the node, plain row-major tensors, and the moment. */
typedef struct {
    const tri_node *node;
    tri_tensor in[TRI_MAX_INPUTS];
    tri_tensor out;
    const tri__moment *moment;
    int64_t row;   /* where the plan splits rows over its team: the first row of this part */
    bool training; /* dropout drops only in training */
    uint64_t seed;
} tri__call;

struct tri_operator {
    const char *name;
    int least, most;  /* inputs */
    const char *keys; /* the attributes it takes, as `.model` files spell them: "kernel stride pad" */

    /* Checks inputs, fills in attributes that were left at 0, gives type and shape of the result. */
    tri_status (*shape)(tri_node *node, tri_type *type, tri_shape *shape);

    /* Computes the result in plain C; all other kernels are tested against it. Single-threaded, allocates nothing. */
    void (*forward)(const tri__call *call);

    /* Adds the nodes that compute dx[i] from dy, where wanted[i]. NULL where the operator has no derivative. */
    tri_status (*backward)(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx);

    bool is_loss;          /* ends a model: inputs are outputs of the model, labels (or targets) and weights; the result is a sum */
    tri_label_kind labels; /* of a loss: what the examples are labelled with */

    bool assigns;     /* the result becomes the value of input 0, a parameter, when the run ends */
    bool no_gradient; /* users may add it, although it has no derivative */

    bool view;      /* the result is the first input's memory, with another shape (reshape, flatten) */
    bool volatile_; /* differs from run to run: never folded (input, parameter, random, dropout) */
    bool by_row;    /* each row of the first dimension depends only on the same row of every input: rows may be split over threads */
    int in_place;   /* 1 + the input that the plain kernel may write its result over, or 0 */
};

/* A matmul whose third input is a matrix that is added to the product, instead of a bias that is added to its rows. */
static inline bool tri__matmul_adds(const tri_node *node)
{
    return node->inputs > 2 && node->input[2]->shape.rank == 2;
}

const tri_operator *tri__operator_find(const char *name); /* NULL where unknown */
const tri_operator *tri__operator_at(int index);          /* all operators, by number from 0; NULL past the last */

#endif
