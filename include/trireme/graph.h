/* graph.h: a dataflow graph, built by C calls or read from a `.model` file.
 *
 * A graph owns its nodes (they live in its arena) and copies every name it is given. A node is one operator applied to nodes made
 * before it, so the order of making is an order of running. Shapes are known as soon as a node is made; the first dimension of
 * an input is the graph's batch, and tri_graph_copy re-derives all shapes for another batch.
 * A graph is built by one thread; a finished graph may be read by many. */
#ifndef TRIREME_GRAPH_H
#define TRIREME_GRAPH_H

#include "trireme/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tri_graph tri_graph;
typedef struct tri_node tri_node;

#define TRI_MAX_INPUTS 12

typedef enum { TRI_ACTIVATION_NONE, TRI_ACTIVATION_RELU, TRI_ACTIVATION_TANH, TRI_ACTIVATION_SIGMOID } tri_activation;
typedef enum { TRI_INIT_ZERO, TRI_INIT_CONSTANT, TRI_INIT_NORMAL, TRI_INIT_UNIFORM, TRI_INIT_XAVIER, TRI_INIT_HE } tri_init;

/* What an operator needs beside its inputs. Each operator reads the fields its row names and ignores the rest;
 * where a field is 0, the shape rule puts in the operator's default (stride 1 for convolution, the kernel for pooling, …). */
typedef struct {
    int64_t kernel[2], stride[2], pad[2]; /* convolution and pooling: height, width; pad may be TRI_PAD_SAME */
    int64_t pad_more[2];                  /* how much more padding is behind than before; set where pad is TRI_PAD_SAME */
    int64_t groups, dilation[2];          /* convolution: 0 is 1 */
    tri_shape shape;                      /* reshape (first 0: keep the batch), constant, random, parameter */
    int64_t axis;                         /* sum and mean: the axis to reduce, or TRI_AXIS_ALL */
    int64_t size;                         /* lrn: channels in the window */
    float alpha, beta, bias;              /* lrn: y = x / (bias + alpha / size · Σ x²)^beta */
    float epsilon;                        /* batch_norm, layer_norm: added to the variance; 0 is 1e-5 */
    float smoothing;                      /* softmax_loss: in training, the share of a label that is spread evenly over all classes */
    float delta;                          /* huber_loss: above this error the loss is linear; 0 is 1 */
    float rate;                           /* dropout: the share of elements that become 0 */
    float scale, offset;                  /* image: y = x · scale + offset; multiply by a number: scale */
    float value;                          /* constant; init constant, normal (deviation) and uniform (bound) */
    bool transpose_a, transpose_b;        /* matmul */
    int64_t matrix, row, column;          /* random_block: which matrix, from 1, and where in it the block begins */
    int64_t most;                         /* while: the most rounds */
    int64_t index;                        /* carried: which of the loop's carried values, from 0 */
    const tri_graph *body;                /* while: the graph that is repeated; the outer graph owns it */
    tri_activation activation;            /* fused into matmul and convolution by a rewrite */
    tri_init init;                        /* parameter, random */
} tri_attributes;

#define TRI_AXIS_ALL (-1)
#define TRI_PAD_SAME (-1) /* as much as gives ⌈size / stride⌉ positions; an odd rest goes behind */

/* The operators that tri_graph_add takes. docs/models.md lists the operators of model files, and their keys, which are the attributes'
 * names. Those from relu to random_block are the same here. x of pictures is [n][channels][height][width] in C. matmul may have a third
 * input, which is a bias for all rows, or a matrix that is added; softmax_loss and logistic_loss have three inputs, x, labels and weights,
 * and give Σ over the batch of weight × loss; mse_loss, huber_loss and sigmoid_loss have targets, as many as x, in place of labels.
 * softmax_loss and logistic_loss take targets in place of labels, too: f32 [n][classes], the share of each class in an example's label.
 *
 * These are for C programs only; model files have layers that are made of them:
 *
 *   image(x)                  bytes or floats of the input, [n][h][w][c], as floats [n][c][h][w]: x · scale + offset
 *   bias(x, bias)             adds bias [channels] along the second dimension
 *   convolution(x, weight)    kernel, stride, pad, groups, dilation; weight [out][in / groups][height][width]; a third input is the bias
 *   batch_norm(x, scale, shift, mean, variance, weights)
 *                             x [n][channels]…; mean and variance are running ones (tri_graph_state), weights is the input of that name
 *   layer_norm(x, scale, shift)
 *                             scale and shift have the shape of an example
 *   gather(table, keys), sparse_sum(table, keys), sparse_mean(table, keys), sparse_dot(table, keys, values), pairwise(table, keys, values)
 *                             of sparse examples; gather: size
 *   expect()                  a value that another task of a placed graph sends
 *
 * A dense layer is matmul(x, weight) with transpose_b, weight [out][in]. input, parameter, table, while and carried have calls of their
 * own, below. */
const char *tri_operator_name(int index); /* of all that are not gradients, from 0; NULL past the last */

TRI_MUST_CHECK tri_status tri_graph_create(int64_t batch, tri_graph **out);
void tri_graph_destroy(tri_graph *graph); /* accepts NULL */

/* A graph with the same nodes for another batch size. */
TRI_MUST_CHECK tri_status tri_graph_copy(const tri_graph *graph, int64_t batch, tri_graph **out);

/* Add one node. name may be NULL (then one is made from the operator's). attributes may be NULL. The messages of shape errors
 * name the node, the operator and the shapes. */
TRI_MUST_CHECK tri_status tri_graph_add(tri_graph *graph, const char *operator_name, const char *name, tri_node *const *inputs, int count,
                                        const tri_attributes *attributes, tri_node **out);

/* An input fed from each batch: "x", "labels" (i32), "targets" (f32, [outputs]) or "weights" (f32); of sparse examples "keys" (i32) and
 * "values" (f32): each is a list of an example's features, and has no further shape. shape leaves the batch out. */
TRI_MUST_CHECK tri_status tri_graph_input(tri_graph *graph, const char *name, tri_type type, tri_shape shape, tri_node **out);

/* A trained parameter. Parameters take their place in the flat buffer in the order of making. */
TRI_MUST_CHECK tri_status tri_graph_parameter(tri_graph *graph, const char *name, tri_shape shape, tri_init init, float value,
                                              tri_node **out);

/* A value that is kept without a gradient, such as a running mean. In place of its gradient, operators give Σ weight × what they saw of it
 * in the batch, and the store moves the value towards the mean of that (tri_state). All state of a graph has one rate. It lies behind the
 * parameters in the flat buffer: a parameter that is made later moves it on. */
TRI_MUST_CHECK tri_status tri_graph_state(tri_graph *graph, const char *name, tri_shape shape, float value, float rate, tri_node **out);

/* A trained table of rows by key, which only operators on sparse examples read. It lies outside of the flat buffer: the store knows it by
 * its number, in the order of making. shape: [features][width]. One operator reads it. */
TRI_MUST_CHECK tri_status tri_graph_table(tri_graph *graph, const char *name, tri_shape shape, tri_init init, float value, tri_node **out);

/* A loop: the body is run once more while its output "again", one number, is above 0. The body is a graph whose sources are constants and
 * parameters. Its parameters, in the order of making, start with the values of the inputs, which have the same shapes. Where an output of
 * the body has the name of a parameter, that parameter is carried: in the next round it has that output's value. The others keep their
 * values. Where "again" is not above 0 in the first round already, the loop makes no round. More rounds than `most` fail the run.
 *
 * The graph takes ownership of the body, also where the call fails. The result is all carried values, one after another, in the order of
 * their parameters; tri_graph_carried gives one of them. A loop has no derivative, and one task computes all of it. */
TRI_MUST_CHECK tri_status tri_graph_while(tri_graph *graph, const char *name, tri_graph *body, tri_node *const *inputs, int count,
                                          int64_t most, tri_node **out);
TRI_MUST_CHECK tri_status tri_graph_carried(tri_graph *graph, const char *name, tri_node *loop, const char *parameter, tri_node **out);

/* Freeze the parameters that one of the patterns names, as in "conv*,dense1.weight": no gradient is computed for them, and a store leaves
 * them, and its rule's state for them, as they are. A pattern is a glob over names; the name of a layer stands for all of its parameters.
 * Frozen parameters move to the end of the flat buffer, so this comes before a store, a plan or a copy is made. TRI_BAD_CALL for a pattern
 * that names no parameter, for tables, and where nothing would be left to train. */
TRI_MUST_CHECK tri_status tri_graph_freeze(tri_graph *graph, const char *patterns);

/* Give a node a place, such as "/job:worker/task:2". */
TRI_MUST_CHECK tri_status tri_node_place(tri_graph *graph, tri_node *node, const char *place);

/* Name a node as a result: "loss" (a scalar: Σ over the batch of weight × loss) and "logits" are known to training. */
TRI_MUST_CHECK tri_status tri_graph_output(tri_graph *graph, const char *name, tri_node *node);
void tri_graph_clear_outputs(tri_graph *graph);          /* and targets */
void tri_graph_target(tri_graph *graph, tri_node *node); /* every run computes the node, and its value stays on its task */
int tri_graph_outputs(const tri_graph *graph);
const char *tri_graph_output_name(const tri_graph *graph, int index);      /* from 0 */
tri_node *tri_graph_find_output(const tri_graph *graph, const char *name); /* NULL where there is none */

tri_label_kind tri_graph_labels(const tri_graph *graph); /* what the output "loss" learns; classes where there is no such output */
int64_t tri_graph_batch(const tri_graph *graph);
int tri_graph_count(const tri_graph *graph);
tri_node *tri_graph_node(const tri_graph *graph, int index);        /* in order of making */
tri_node *tri_graph_find(const tri_graph *graph, const char *name); /* a node by its name; NULL where there is none */
size_t tri_graph_parameter_floats(const tri_graph *graph);          /* of the flat buffer, alignment and state included */
tri_state tri_graph_state_of(const tri_graph *graph);               /* for the rule of a store that trains the graph */

const char *tri_node_name(const tri_node *node);
const char *tri_node_operator(const tri_node *node);
const char *tri_node_place_of(const tri_node *node); /* "" where it has none */
bool tri_node_is_frozen(const tri_node *node);
tri_type tri_node_type(const tri_node *node);
tri_shape tri_node_shape(const tri_node *node);
int tri_node_inputs(const tri_node *node);
tri_node *tri_node_input(const tri_node *node, int index);
const tri_attributes *tri_node_attributes(const tri_node *node);
tri_range tri_node_range(const tri_node *node); /* of a parameter or state; {0, 0} otherwise */
bool tri_node_is_state(const tri_node *node);   /* a parameter that has no gradient */
int tri_node_table(const tri_node *node);       /* of a table: its number; −1 otherwise */
int tri_graph_tables(const tri_graph *graph);   /* how many there are */

#ifdef __cplusplus
}
#endif
#endif
