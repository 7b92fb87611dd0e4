/* graph.h: the inside of a graph, for the files of this room. */
#ifndef TRI_GRAPH_NODES_GRAPH_H
#define TRI_GRAPH_NODES_GRAPH_H

#include "base/memory/arena.h"
#include "trireme/graph.h"

typedef struct tri_operator tri_operator;

struct tri_node {
    const tri_operator *op;
    const char *name;
    const char *place; /* "" where it has none */
    int task;          /* the task that computes it, where several tasks run the graph; −1: not decided yet */
    int id;            /* its index in the graph */
    int order;         /* how many nodes were made before it, or before the node that it replaced */
    bool target;       /* every run computes it, also where nothing reads it */
    int inputs;
    tri_node *input[TRI_MAX_INPUTS];
    tri_attributes attributes;
    tri_type type;
    tri_shape shape;
    tri_range range;     /* parameter: where it lies in the flat buffer */
    bool state;          /* parameter: it has no gradient, and lies behind the other parameters */
    bool frozen;         /* parameter: it keeps its value, and lies behind the state */
    int table;           /* table: its number in the store, from 0; −1 elsewhere */
    tri_node *forward;   /* gradient node: the node it differentiates, whose kernel's workspace it may read. NULL elsewhere */
    tri_node *parameter; /* gradient of a parameter or table: the node of that. NULL elsewhere */
    int peer, number;    /* send, expect and receive: the other task, and the number of the value that goes to it or comes from it */
    int expected;        /* send: where in the whole graph's order the other task is ready to take the value */
    const void *data;    /* constant with more than one value: its elements, of the graph's arena. NULL elsewhere */
};

typedef struct {
    const char *name;
    tri_node *node;
} tri__output;

struct tri_graph {
    tri__arena *arena;
    int64_t batch;
    tri_node **node; /* on the heap, grows */
    int count;
    int64_t room;
    tri__output *output;
    int outputs;
    int64_t output_room;
    size_t parameter_floats;
    tri_state state; /* the last of the parameter_floats */
    int tables;
    tri_graph **body; /* of its loops; owned, grows */
    int bodies;
    int64_t body_room;
};

/* Add a node. The operator's shape rule derives its type and shape. forward: for a gradient node, the node that it differentiates. */
TRI_MUST_CHECK tri_status tri__graph_add(tri_graph *graph, const char *operator_name, const char *name, tri_node *const *inputs, int count,
                                         const tri_attributes *attributes, tri_node *forward, tri_node **out);

/* The graph takes ownership of a loop's body. Where this fails, the body is freed at once. */
TRI_MUST_CHECK tri_status tri__graph_own(tri_graph *graph, tri_graph *body);

/* Shorthand for operators' backward rules: add a node with the given inputs, up to the first NULL. */
TRI_MUST_CHECK tri_status tri__graph_make(tri_graph *graph, const char *operator_name, const tri_attributes *attributes, tri_node *forward,
                                          tri_node **out, tri_node *a, tri_node *b, tri_node *c, tri_node *d);

/* Floats that a parameter of `count` floats takes in the flat buffer; never 0. */
size_t tri__parameter_room(size_t count);

bool tri__node_is(const tri_node *node, const char *operator_name);
size_t tri__node_bytes(const tri_node *node); /* of its plain value */

int64_t tri__node_classes(const tri_node *node);    /* of a loss over classes: how many it tells apart; 0 of any other node */
int64_t tri__graph_classes(const tri_graph *graph); /* the fewest that a loss of the graph tells apart; 0 where none is over classes */

#endif
