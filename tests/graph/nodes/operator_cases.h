/* operator_cases.h: the table of cases that every operator is tested by, and the small graph that is made of each.
 *
 * A case is an operator, its inputs and its attributes. Its graph is
 *     y = operator(x + in0, in1, …)        loss = Σ c ∘ y
 * where in0, in1, … and c are parameters: so the gradient by each of them runs through the operator's own, and the gradient by c is y.
 * Dimensions N stand for the batch. */
#ifndef TESTS_GRAPH_NODES_OPERATOR_CASES_H
#define TESTS_GRAPH_NODES_OPERATOR_CASES_H

#include <stdlib.h>

#include "base/bytes/random.h"
#include "graph/nodes/operator.h"
#include "graph/rewrite/autodiff.h"
#include "support.h"

#define N (-1)
#define S(...)                                                                                                                             \
    {                                                                                                                                      \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                                                                         \
        {                                                                                                                                  \
            __VA_ARGS__                                                                                                                    \
        }                                                                                                                                  \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* What an input is: a tensor to differentiate by, or one of the things a batch brings. */
typedef enum { NOTHING, TRAINED, STATE, LABELS, TARGETS, WEIGHTS, TABLE, KEYS, VALUES, FLOATS, BYTES } role;

typedef struct {
    role role;
    tri_shape shape;
} feed;

typedef struct {
    const char *op;
    feed in[6];
    tri_attributes with;
    tri_shape out;
    const char *message; /* of cases that are refused */
} operator_case;

/* clang-format off */
#define T(...) {TRAINED, S(__VA_ARGS__)}
#define SCALAR {.role = TRAINED}
/* clang-format on */

static const operator_case cases[] = {
    /* sources */
    {"constant", .with = {.shape = S(3, 2), .value = 1.5f}, .out = S(3, 2)},
    {"random", .with = {.shape = S(4, 3), .init = TRI_INIT_NORMAL, .value = 1}, .out = S(4, 3)},
    {"random", .with = {.shape = S(2, 3, 3, 1), .init = TRI_INIT_XAVIER}, .out = S(2, 3, 3, 1)},
    {"random_block", .with = {.shape = S(4, 3), .init = TRI_INIT_NORMAL, .value = 1, .matrix = 2, .row = 5}, .out = S(4, 3)},
    {"random_block", .with = {.shape = S(3, 2), .init = TRI_INIT_UNIFORM, .value = 2, .matrix = 1, .column = 7}, .out = S(3, 2)},
    {"image", {{BYTES, S(N, 5, 4, 3)}}, .with = {.scale = 1 / 255.0f, .offset = -0.5f}, .out = S(N, 3, 5, 4)},
    {"image", {{FLOATS, S(N, 2, 3, 1)}}, .with = {.scale = 2}, .out = S(N, 1, 2, 3)},
    {"image", {{BYTES, S(N, 7)}}, .with = {.offset = 1}, .out = S(N, 7)},

    /* branches */
    {"cond", {SCALAR, T(N, 5), T(N, 5)}, .out = S(N, 5)},
    {"cond", {T(1), T(3, 2), T(3, 2)}, .out = S(3, 2)},

    /* matrices: every transposition, with and without bias, every activation, one row and one column */
    {"matmul", {T(N, 5), T(5, 4)}, .out = S(N, 4)},
    {"matmul", {T(N, 5), T(5, 4), T(N, 4)}, .out = S(N, 4)},
    {"matmul", {T(N, 5), T(4, 5), T(N, 4)}, .with = {.transpose_b = true, .activation = TRI_ACTIVATION_RELU}, .out = S(N, 4)},
    {"matmul", {T(N, 5), T(4, 5), T(4)}, .with = {.transpose_b = true}, .out = S(N, 4)},
    {"matmul", {T(N, 5), T(4, 5), T(4)}, .with = {.transpose_b = true, .activation = TRI_ACTIVATION_RELU}, .out = S(N, 4)},
    {"matmul", {T(N, 3), T(4, 3), T(4)}, .with = {.transpose_b = true, .activation = TRI_ACTIVATION_TANH}, .out = S(N, 4)},
    {"matmul", {T(N, 3), T(3, 4)}, .with = {.activation = TRI_ACTIVATION_SIGMOID}, .out = S(N, 4)},
    {"matmul", {T(N, 3), T(N, 2)}, .with = {.transpose_a = true}, .out = S(3, 2)},
    {"matmul", {T(N, 3), T(2, N), T(2)}, .with = {.transpose_a = true, .transpose_b = true}, .out = S(3, 2)},
    {"matmul", {T(N, 1), T(1, 1)}, .out = S(N, 1)},
    {"matmul", {T(N, 37), T(10, 37), T(10)}, .with = {.transpose_b = true}, .out = S(N, 10)},
    {"matmul", {T(N, 65), T(33, 65), T(33)}, .with = {.transpose_b = true, .activation = TRI_ACTIVATION_RELU}, .out = S(N, 33)},
    {"transpose", {T(N, 3)}, .out = S(3, N)},
    {"trace", {T(4, 4)}, .out = {.rank = 0}},

    /* windows: strides that leave a rest, padding, oblong kernels, a window as large as the image, one channel and many */
    {"convolution", {T(N, 1, 6, 5), T(3, 1, 3, 3), T(3)}, .out = S(N, 3, 4, 3)},
    {"convolution", {T(N, 3, 7, 6), T(4, 3, 3, 2), T(4)}, .with = {.stride = {2, 3}, .pad = {1, 0}}, .out = S(N, 4, 4, 2)},
    {"convolution", {T(N, 2, 5, 5), T(2, 2, 5, 5)}, .out = S(N, 2, 1, 1)},
    {"convolution", {T(N, 2, 3, 3), T(5, 2, 1, 1), T(5)}, .with = {.activation = TRI_ACTIVATION_RELU}, .out = S(N, 5, 3, 3)},
    {"convolution", {T(N, 3, 4, 4), T(8, 3, 3, 3)}, .with = {.pad = {2, 2}, .activation = TRI_ACTIVATION_TANH}, .out = S(N, 8, 6, 6)},
    {"convolution", {T(N, 16, 6, 6), T(16, 16, 3, 3), T(16)}, .with = {.pad = {1, 1}}, .out = S(N, 16, 6, 6)},
    {"convolution", {T(N, 6, 13, 13), T(16, 6, 3, 3), T(16)}, .with = {.activation = TRI_ACTIVATION_RELU}, .out = S(N, 16, 11, 11)},
    {"convolution", {T(N, 4, 5, 5), T(6, 2, 3, 3), T(6)}, .with = {.groups = 2, .pad = {1, 1}}, .out = S(N, 6, 5, 5)},
    {"convolution",
     {T(N, 16, 6, 6), T(16, 1, 3, 3), T(16)},
     .with = {.groups = 16, .stride = {2, 2}, .pad = {1, 1}},
     .out = S(N, 16, 3, 3)},
    {"convolution", {T(N, 3, 5, 4), T(6, 1, 3, 3)}, .with = {.groups = 3, .pad = {1, 1}}, .out = S(N, 6, 5, 4)},
    {"convolution", {T(N, 2, 7, 8), T(3, 2, 3, 2), T(3)}, .with = {.dilation = {2, 3}, .pad = {1, 0}}, .out = S(N, 3, 5, 5)},
    {"convolution",
     {T(N, 8, 7, 6), T(8, 8, 3, 3)},
     .with = {.stride = {2, 2}, .pad = {TRI_PAD_SAME, TRI_PAD_SAME}, .activation = TRI_ACTIVATION_RELU},
     .out = S(N, 8, 4, 3)},
    {"convolution", {T(N, 2, 5, 5), T(4, 2, 2, 4)}, .with = {.pad = {TRI_PAD_SAME, TRI_PAD_SAME}}, .out = S(N, 4, 5, 5)},
    {"maxpool", {T(N, 8, 5, 4)}, .with = {.kernel = {2, 2}, .pad = {TRI_PAD_SAME, TRI_PAD_SAME}}, .out = S(N, 8, 3, 2)},
    {"avgpool", {T(N, 2, 5, 5)}, .with = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {TRI_PAD_SAME, TRI_PAD_SAME}}, .out = S(N, 2, 3, 3)},
    {"maxpool", {T(N, 2, 4, 6)}, .with = {.kernel = {2, 2}}, .out = S(N, 2, 2, 3)},
    {"maxpool", {T(N, 1, 7, 7)}, .with = {.kernel = {3, 3}, .stride = {2, 2}}, .out = S(N, 1, 3, 3)},
    {"maxpool", {T(N, 3, 5, 4)}, .with = {.kernel = {3, 2}, .stride = {2, 1}, .pad = {1, 1}}, .out = S(N, 3, 3, 5)},
    {"maxpool", {T(N, 16, 5, 5)}, .with = {.kernel = {2, 2}}, .out = S(N, 16, 2, 2)},
    {"avgpool", {T(N, 2, 4, 6)}, .with = {.kernel = {2, 2}}, .out = S(N, 2, 2, 3)},
    {"avgpool", {T(N, 1, 7, 7)}, .with = {.kernel = {3, 3}, .stride = {2, 2}}, .out = S(N, 1, 3, 3)},
    {"avgpool", {T(N, 3, 5, 4)}, .with = {.kernel = {3, 2}, .stride = {2, 1}, .pad = {1, 1}}, .out = S(N, 3, 3, 5)},
    {"avgpool", {T(N, 6, 11, 11)}, .with = {.kernel = {2, 2}}, .out = S(N, 6, 5, 5)},

    /* elements */
    {"relu", {T(N, 7)}, .out = S(N, 7)},
    {"relu", {T(N, 3, 2, 5)}, .out = S(N, 3, 2, 5)},
    {"leaky_relu", {T(N, 7)}, .with = {.alpha = 0.2f}, .out = S(N, 7)},
    {"gelu", {T(N, 7)}, .out = S(N, 7)},
    {"gelu", {T(N, 3, 2, 5)}, .out = S(N, 3, 2, 5)},
    {"tanh", {T(N, 7)}, .out = S(N, 7)},
    {"sigmoid", {T(N, 7)}, .out = S(N, 7)},
    {"add", {T(N, 3, 4), T(N, 3, 4)}, .out = S(N, 3, 4)},
    {"add", {T(N, 3), SCALAR}, .out = S(N, 3)},
    {"add_n", {T(N, 3, 4), T(N, 3, 4), T(N, 3, 4)}, .out = S(N, 3, 4)},
    {"add_n", {T(N, 5)}, .out = S(N, 5)},
    {"multiply", {T(N, 3, 4), T(N, 3, 4)}, .out = S(N, 3, 4)},
    {"multiply", {T(N, 3), SCALAR}, .out = S(N, 3)},
    {"multiply", {T(N, 3)}, .with = {.scale = -2.5f}, .out = S(N, 3)},
    {"dropout", {T(N, 300)}, .with = {.rate = 0.5f}, .out = S(N, 300)},
    {"dropout", {T(N, 3, 4, 2)}, .with = {.rate = 0.1f}, .out = S(N, 3, 4, 2)},

    /* classes and channels */
    {"softmax", {T(N, 10)}, .out = S(N, 10)},
    {"softmax", {T(N, 1)}, .out = S(N, 1)},
    {"lrn", {T(N, 7, 3, 2)}, .with = {.size = 5, .alpha = 0.8f, .beta = 0.75f, .bias = 2}, .out = S(N, 7, 3, 2)},
    {"lrn", {T(N, 3, 2, 2)}, .with = {.size = 4, .alpha = 1.5f}, .out = S(N, 3, 2, 2)},
    {"lrn", {T(N, 16, 3, 3)}, .out = S(N, 16, 3, 3)},
    {"batch_norm", {T(N, 3, 4, 2), T(3), T(3), {STATE, S(3)}, {STATE, S(3)}, {WEIGHTS, S(N)}}, .out = S(N, 3, 4, 2)},
    {"batch_norm", {T(N, 16, 3, 3), T(16), T(16), {STATE, S(16)}, {STATE, S(16)}, {WEIGHTS, S(N)}}, .out = S(N, 16, 3, 3)},
    {"batch_norm", {T(N, 5, 6), T(5), T(5), {STATE, S(5)}, {STATE, S(5)}, {WEIGHTS, S(N)}}, .with = {.epsilon = 0.1f}, .out = S(N, 5, 6)},
    {"layer_norm", {T(N, 6), T(6), T(6)}, .out = S(N, 6)},
    {"layer_norm", {T(N, 3, 4, 2), T(3, 4, 2), T(3, 4, 2)}, .with = {.epsilon = 0.01f}, .out = S(N, 3, 4, 2)},
    {"concat", {T(N, 2, 3, 3), T(N, 3, 3, 3), T(N, 1, 3, 3)}, .out = S(N, 6, 3, 3)},
    {"concat", {T(N, 4)}, .out = S(N, 4)},
    {"softmax_loss", {T(N, 10), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"softmax_loss", {T(N, 4), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .with = {.smoothing = 0.2f}, .out = {.rank = 0}},
    {"softmax_loss", {T(N, 3), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"logistic_loss", {T(N, 1), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"logistic_loss", {T(N), {LABELS, S(N)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"softmax_loss", {T(N, 10), {TARGETS, S(N, 10)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"softmax_loss", {T(N, 4), {TARGETS, S(N, 4)}, {WEIGHTS, S(N)}}, .with = {.smoothing = 0.2f}, .out = {.rank = 0}},
    {"logistic_loss", {T(N, 1), {TARGETS, S(N, 2)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"logistic_loss", {T(N), {TARGETS, S(N, 2)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"mse_loss", {T(N, 1), {TARGETS, S(N, 1)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"mse_loss", {T(N, 5), {TARGETS, S(N, 5)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"huber_loss", {T(N, 1), {TARGETS, S(N, 1)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},
    {"huber_loss", {T(N, 4), {TARGETS, S(N, 4)}, {WEIGHTS, S(N)}}, .with = {.delta = 0.3f}, .out = {.rank = 0}},
    {"sigmoid_loss", {T(N, 3), {TARGETS, S(N, 3)}, {WEIGHTS, S(N)}}, .out = {.rank = 0}},

    /* sums */
    {"sum", {T(N, 3, 4)}, .with = {.axis = TRI_AXIS_ALL}, .out = {.rank = 0}},
    {"sum", {T(N, 3, 4)}, .with = {.axis = 0}, .out = S(3, 4)},
    {"sum", {T(N, 3, 4)}, .with = {.axis = 1}, .out = S(N, 4)},
    {"mean", {T(N, 3, 4)}, .with = {.axis = TRI_AXIS_ALL}, .out = {.rank = 0}},
    {"mean", {T(N, 3, 4)}, .with = {.axis = 0}, .out = S(3, 4)},
    {"mean", {T(N, 3, 4)}, .with = {.axis = 2}, .out = S(N, 3)},
    {"bias", {T(N, 5), T(5)}, .out = S(N, 5)},
    {"bias", {T(N, 3, 4, 2), T(3)}, .out = S(N, 3, 4, 2)},

    /* shapes */
    {"flatten", {T(N, 3, 2, 2)}, .out = S(N, 12)},
    {"flatten", {T(N)}, .out = S(N, 1)},
    {"reshape", {T(N, 6)}, .with = {.shape = S(0, 2, 3)}, .out = S(N, 2, 3)},
    {"reshape", {T(4, 3)}, .with = {.shape = S(2, 6)}, .out = S(2, 6)},

    /* sparse */
    {"sparse_dot", {{TABLE, S(9, 1)}, {KEYS, S(N)}, {VALUES, S(N)}}, .out = S(N, 1)},
    {"sparse_dot", {{TABLE, S(2, 7)}, {KEYS, S(N)}, {VALUES, S(N)}}, .out = S(N, 7)},
    {"sparse_sum", {{TABLE, S(5, 3)}, {KEYS, S(N)}}, .out = S(N, 3)},
    {"sparse_mean", {{TABLE, S(5, 3)}, {KEYS, S(N)}}, .out = S(N, 3)},
    {"sparse_mean", {{TABLE, S(1, 1)}, {KEYS, S(N)}}, .out = S(N, 1)},
    {"gather", {{TABLE, S(5, 3)}, {KEYS, S(N)}}, .with = {.size = 4}, .out = S(N, 12)},
    {"pairwise", {{TABLE, S(5, 3)}, {KEYS, S(N)}, {VALUES, S(N)}}, .out = S(N, 1)},
    {"pairwise", {{TABLE, S(2, 8)}, {KEYS, S(N)}, {VALUES, S(N)}}, .out = S(N, 1)},
};

static inline tri_shape with_batch(tri_shape shape, int64_t batch)
{
    for (int i = 0; i < shape.rank; i++)
        if (shape.dim[i] == N)
            shape.dim[i] = batch;
    return shape;
}

static inline tri_shape without_batch(tri_shape shape)
{
    return tri_shape_of(shape.rank - 1, shape.dim + 1);
}

static inline bool is_batch(tri_shape shape)
{
    return shape.rank > 0 && shape.dim[0] == N;
}

/* What a batch calls an input of this role. */
static inline const char *feed_name(feed in, int i)
{
    if (in.role == LABELS || in.role == TARGETS)
        return in.role == LABELS ? "labels" : "targets";
    return in.role == WEIGHTS ? "weights" : in.role == KEYS ? "keys" : i == 0 ? "x" : "values";
}

static inline tri_type feed_type(role what)
{
    return what == BYTES ? TRI_U8 : what == LABELS || what == KEYS ? TRI_I32 : TRI_F32;
}

/* The node for input i. The first, where it is a batch, is computed from one, as in a model: x + in0. */
static inline tri_node *make_feed(tri_graph *graph, feed in, int i)
{
    static const char *const names[] = {"in0", "in1", "in2", "in3", "in4", "in5"};
    tri_node *node, *x;
    if (in.role == TABLE) {
        assert_ok(tri_graph_table(graph, names[i], in.shape, TRI_INIT_UNIFORM, 1, &node));
        return node;
    }
    if (in.role == STATE) {
        assert_ok(tri_graph_state(graph, names[i], in.shape, 1, 0.25f, &node));
        return node;
    }
    if (in.role != TRAINED) {
        assert_ok(tri_graph_input(graph, feed_name(in, i), feed_type(in.role), without_batch(in.shape), &node));
        return node;
    }
    assert_ok(tri_graph_parameter(graph, names[i], with_batch(in.shape, graph->batch), TRI_INIT_UNIFORM, 1, &node));
    if (i > 0 || !is_batch(in.shape))
        return node;
    assert_ok(tri_graph_input(graph, "x", TRI_F32, without_batch(in.shape), &x));
    assert_ok(tri_graph_add(graph, "add", NULL, (tri_node *[]){x, node}, 2, NULL, &node));
    return node;
}

/* loss = Σ c ∘ y */
static inline tri_node *make_loss(tri_graph *graph, tri_node *y)
{
    const tri_attributes all = {.axis = TRI_AXIS_ALL};
    tri_node *c, *loss;
    assert_ok(tri_graph_parameter(graph, "c", y->shape, TRI_INIT_UNIFORM, 1, &c));
    assert_ok(tri_graph_add(graph, "multiply", NULL, (tri_node *[]){y, c}, 2, NULL, &loss));
    if (y->shape.rank > 0)
        assert_ok(tri_graph_add(graph, "sum", NULL, &loss, 1, &all, &loss));
    return loss;
}

/* The graph of a case for one batch size, with the outputs "y" and "loss". */
static inline tri_graph *make_graph(const operator_case *c, int64_t batch)
{
    tri_graph *graph;
    tri_node *in[COUNT_OF(c->in)], *y;
    int count = 0;
    assert_ok(tri_graph_create(batch, &graph));
    for (; count < COUNT_OF(c->in) && c->in[count].role != NOTHING; count++)
        in[count] = make_feed(graph, c->in[count], count);
    assert_ok(tri_graph_add(graph, c->op, "y", in, count, &c->with, &y));
    assert_ok(tri_graph_output(graph, "y", y));
    assert_ok(tri_graph_output(graph, "loss", make_loss(graph, y)));
    return graph;
}

/* Lists of features: as many as examples in all, the first example has up to four of them and the last none. */
static inline void fill_offsets(int64_t batch, int64_t *offsets)
{
    offsets[0] = 0;
    for (int64_t i = 0; i < batch; i++)
        offsets[i + 1] = batch < offsets[i] + 4 - i % 2 ? batch : offsets[i] + 4 - i % 2;
}

/* How many classes, or keys, the case's first input has. */
static inline int64_t classes_of(const operator_case *c)
{
    const tri_shape first = c->in[0].shape;
    if (c->in[1].role == KEYS)
        return first.dim[0];
    return first.rank > 1 && first.dim[1] > 1 ? first.dim[1] : 2;
}

/* Values for the node that a batch or the store brings: uniform in [−1, 1); the last weight is 0. */
static inline void fill(const operator_case *c, const tri_node *node, void *out)
{
    const int64_t count = tri_shape_count(node->shape), classes = classes_of(c);
    const tri__key key = tri__key_split_name(tri__key_of(7), node->name);
    if (node->type == TRI_F32)
        tri__random_fill_uniform(key, 0, count, out);
    for (int64_t i = 0; i < count; i++)
        if (node->type == TRI_U8)
            ((uint8_t *)out)[i] = (uint8_t)tri__random_below(key, (uint64_t)i, 256);
        else if (node->type == TRI_I32)
            ((int32_t *)out)[i] = (int32_t)(i % classes);
        else if (strcmp(node->name, "weights") == 0)
            ((float *)out)[i] = i > 0 && i == count - 1 ? 0 : 0.5f + ((float *)out)[i];
        else
            ((float *)out)[i] = 2 * ((float *)out)[i] - 1;
}

#endif
