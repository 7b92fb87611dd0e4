/* model_build.c: makes a graph from statements. A layer becomes its parameters `<name>.weight` and `<name>.bias`, laid out as in PyTorch,
 * and the nodes that apply them; the last of these has the layer's name. Every other statement becomes one node. */
#include "graph/model/model_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/model/model_loop.h"
#include "graph/model/model_verb.h"
#include "graph/nodes/operator.h"

typedef struct model_builder model_builder;
struct model_builder {
    const tri_model *model;
    const tri_model_input *input;
    tri_graph *graph;
    tri_node **node;         /* the result of each statement */
    int64_t parameters;      /* how many there are so far */
    tri_node *keys, *values; /* of sparse examples; NULL elsewhere */
    tri_node *weights;       /* of the examples; NULL before the first line that reads them */

    /* of the body of a loop */
    model_builder *outer;            /* NULL elsewhere */
    tri_node *start[TRI_MAX_INPUTS]; /* the loop's inputs so far: nodes of the outer graph */
    int starts;                      /* how many inputs there are so far */
};

static tri_node *input_of(const model_builder *builder, const tri__statement *statement, int index)
{
    return builder->node[statement->input[index]];
}

/* A parameter named layer.part. */
static tri_status make_parameter(model_builder *builder, const char *layer, const char *part, tri_shape shape, tri_init init, float value,
                                 tri_node **out)
{
    char name[2 * TRI_MODEL_NAME];
    snprintf(name, sizeof name, "%s%s", layer, part);
    int64_t count;
    TRI_TRY(tri_shape_check(shape, &count));
    if (count > TRI_MODEL_PARAMETERS - builder->parameters)
        return tri_fail(TRI_BAD_DATA, "with '%s' the model has more than %lld parameters", name, TRI_MODEL_PARAMETERS);
    builder->parameters += count;
    return tri_graph_parameter(builder->graph, name, shape, init, value, out);
}

/* y = f(x, weight) + bias: the node of the operator and, where the layer has a bias, the node of the bias. */
static tri_status apply(model_builder *builder, const tri__statement *layer, const char *operator_name, tri_node *x, tri_node *weight,
                        const tri_attributes *attributes, tri_node **out)
{
    tri_graph *graph = builder->graph;
    if (!layer->settings.with_bias)
        return tri_graph_add(graph, operator_name, layer->name, (tri_node *[]){x, weight}, 2, attributes, out);
    char name[2 * TRI_MODEL_NAME];
    snprintf(name, sizeof name, "%s.%s", layer->name, operator_name);
    tri_node *bias, *product;
    TRI_TRY(tri_graph_add(graph, operator_name, name, (tri_node *[]){x, weight}, 2, attributes, &product));
    tri_shape shape = TRI_SHAPE(tri_node_shape(weight).dim[0]);
    TRI_TRY(make_parameter(builder, layer->name, ".bias", shape, TRI_INIT_ZERO, 0, &bias));
    return tri_graph_add(graph, "bias", layer->name, (tri_node *[]){product, bias}, 2, NULL, out);
}

static tri_status count_outputs(const model_builder *builder, const tri__statement *layer, int64_t *out)
{
    *out = layer->settings.out;
    const bool classes = *out == TRI_MODEL_CLASSES;
    if (!classes && *out != TRI_MODEL_OUTPUTS)
        return NULL;
    *out = classes ? builder->input->classes : builder->input->outputs;
    if (*out >= 1 && *out <= TRI_MODEL_LARGEST)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "the data does not say how many %s it has; write a number, as in %s(10)",
                    classes ? "classes" : "outputs (numbers that an example is labelled with)", layer->verb.name);
}

/* Sparse examples */

static bool reads_sparse(const model_builder *builder, const tri__statement *layer)
{
    return layer->inputs > 0 && builder->model->statement[layer->input[0]].verb.form == TRI_FORM_SPARSE;
}

/* The table `<layer>.weight` of [features][width], and the operator on it. name: of the operator's node. */
static tri_status apply_table(model_builder *builder, const tri__statement *layer, const char *operator_name, const char *name,
                              int64_t width, tri_node **out)
{
    const tri_attributes *given = &layer->settings.attributes;
    char table_name[2 * TRI_MODEL_NAME];
    snprintf(table_name, sizeof table_name, "%s.weight", layer->name);
    if (given->init == TRI_INIT_HE || given->init == TRI_INIT_XAVIER)
        return tri_fail(TRI_BAD_DATA, "the weights of sparse examples start at zero, constant(X), uniform(X) or normal(X)");
    int64_t count;
    const tri_shape shape = TRI_SHAPE(builder->input->shape.dim[0], width);
    TRI_TRY(tri_shape_check(shape, &count));
    if (count > TRI_MODEL_PARAMETERS - builder->parameters)
        return tri_fail(TRI_BAD_DATA,
                        "with '%s', %" PRId64 " features of %" PRId64
                        " numbers each, the model has more than %lld parameters, also if its tables grow: give fewer --features",
                        table_name, shape.dim[0], width, TRI_MODEL_PARAMETERS);
    builder->parameters += count;
    tri_node *table;
    TRI_TRY(tri_graph_table(builder->graph, table_name, shape, given->init, given->value, &table));
    const bool weighted = strcmp(operator_name, "sparse_dot") == 0 || strcmp(operator_name, "pairwise") == 0;
    const tri_attributes attributes = {.size = given->size};
    return tri_graph_add(builder->graph, operator_name, name, (tri_node *[]){table, builder->keys, builder->values}, weighted ? 3 : 2,
                         &attributes, out);
}

static tri_status build_table(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    static const char *const operators[][2] = {
        {"embedding", "gather"}, {"embedding_sum", "sparse_sum"}, {"embedding_mean", "sparse_mean"}, {"pairwise", "pairwise"}};
    if (!reads_sparse(builder, layer))
        return tri_fail(TRI_BAD_DATA, "%s needs sparse examples: begin the model with sparse() and name that line", layer->verb.name);
    int64_t width;
    TRI_TRY(count_outputs(builder, layer, &width));
    const char *operator_name = NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(layer->verb.name, operators[i][0]) == 0)
            operator_name = operators[i][1];
    return apply_table(builder, layer, operator_name, layer->name, width, out);
}

/* As a dense layer, but the weights are [features][out], in a table. They start at zero where the file does not say. */
static tri_status build_sparse_dense(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    tri__statement settled = *layer;
    char name[2 * TRI_MODEL_NAME];
    int64_t outputs;
    TRI_TRY(count_outputs(builder, layer, &outputs));
    if (!(layer->given >> tri__verb_key_index(&layer->verb, "init") & 1))
        settled.settings.attributes.init = TRI_INIT_ZERO;
    if (!layer->settings.with_bias)
        return apply_table(builder, &settled, "sparse_dot", layer->name, outputs, out);
    snprintf(name, sizeof name, "%s.sparse_dot", layer->name);
    tri_node *bias, *product;
    TRI_TRY(apply_table(builder, &settled, "sparse_dot", name, outputs, &product));
    TRI_TRY(make_parameter(builder, layer->name, ".bias", TRI_SHAPE(outputs), TRI_INIT_ZERO, 0, &bias));
    return tri_graph_add(builder->graph, "bias", layer->name, (tri_node *[]){product, bias}, 2, NULL, out);
}

/* The batch's lists, keys and values. A line that reads them reads both. */
static tri_status build_sparse(model_builder *builder, tri_node **out)
{
    const tri_shape shape = builder->input->shape;
    if (shape.rank != 1 || builder->input->type != TRI_F32)
        return tri_fail(TRI_BAD_DATA, "the model is for sparse examples (LIBSVM, Criteo text, click records, clicks:N), the data is not");
    TRI_TRY(tri_graph_input(builder->graph, "keys", TRI_I32, (tri_shape){0}, &builder->keys));
    TRI_TRY(tri_graph_input(builder->graph, "values", TRI_F32, (tri_shape){0}, &builder->values));
    *out = builder->keys;
    return NULL;
}

static tri_status build_dense(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    if (reads_sparse(builder, layer))
        return build_sparse_dense(builder, layer, out);
    tri_node *x = input_of(builder, layer, 0), *weight;
    if (tri_node_shape(x).rank > 2) {
        char name[2 * TRI_MODEL_NAME];
        snprintf(name, sizeof name, "%s.flatten", layer->name);
        TRI_TRY(tri_graph_add(builder->graph, "flatten", name, &x, 1, NULL, &x));
    }
    if (tri_node_shape(x).rank != 2)
        return tri_fail(TRI_BAD_DATA, "dense needs a row of values for each example, '%s' gives none", tri_node_name(x));
    int64_t outputs;
    TRI_TRY(count_outputs(builder, layer, &outputs));
    const tri_attributes *given = &layer->settings.attributes;
    tri_shape shape = TRI_SHAPE(outputs, tri_node_shape(x).dim[1]);
    TRI_TRY(make_parameter(builder, layer->name, ".weight", shape, given->init, given->value, &weight));
    return apply(builder, layer, "matmul", x, weight, &(tri_attributes){.transpose_b = true}, out);
}

static tri_status build_conv(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    tri_node *x = input_of(builder, layer, 0), *weight;
    char text[128];
    if (tri_node_shape(x).rank != 4)
        return tri_fail(TRI_BAD_DATA, "conv needs images, '%s' is %s (the batch first)", tri_node_name(x),
                        tri_shape_text(tri_node_shape(x), text, sizeof text));
    int64_t outputs;
    TRI_TRY(count_outputs(builder, layer, &outputs));
    tri_attributes attributes = layer->settings.attributes;
    const int64_t channels = tri_node_shape(x).dim[1], groups = attributes.groups ? attributes.groups : 1;
    if (channels % groups)
        return tri_fail(TRI_BAD_DATA, "groups=%" PRId64 " does not divide the %" PRId64 " channels of '%s'", groups, channels,
                        tri_node_name(x));
    tri_shape shape = TRI_SHAPE(outputs, channels / groups, attributes.kernel[0], attributes.kernel[1]);
    TRI_TRY(make_parameter(builder, layer->name, ".weight", shape, attributes.init, attributes.value, &weight));
    attributes.init = TRI_INIT_ZERO;
    attributes.value = 0;
    return apply(builder, layer, "convolution", x, weight, &attributes, out);
}

/* The weights of the batch's examples, which the loss and batch_norm read. */
static tri_status weights_of(model_builder *builder, tri_node **out)
{
    if (!builder->weights)
        TRI_TRY(tri_graph_input(builder->graph, "weights", TRI_F32, (tri_shape){0}, &builder->weights));
    *out = builder->weights;
    return NULL;
}

/* A running statistic named layer.part. */
static tri_status make_state(model_builder *builder, const tri__statement *layer, const char *part, int64_t channels, float value,
                             tri_node **out)
{
    char name[2 * TRI_MODEL_NAME];
    snprintf(name, sizeof name, "%s%s", layer->name, part);
    return tri_graph_state(builder->graph, name, TRI_SHAPE(channels), value, layer->settings.momentum, out);
}

static tri_status build_batch_norm(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    tri_node *in[6] = {input_of(builder, layer, 0)};
    if (layer->settings.joint)
        return tri_fail(TRI_UNSUPPORTED,
                        "statistics=joint: each worker normalises by its own batch (statistics=local); one worker with the "
                        "whole batch, as by --strategy local, has the statistics of all");
    if (tri_node_shape(in[0]).rank < 2)
        return tri_fail(TRI_BAD_DATA, "batch_norm needs channels or features, '%s' has none", tri_node_name(in[0]));
    const int64_t channels = tri_node_shape(in[0]).dim[1];
    TRI_TRY(make_parameter(builder, layer->name, ".weight", TRI_SHAPE(channels), TRI_INIT_CONSTANT, 1, &in[1]));
    TRI_TRY(make_parameter(builder, layer->name, ".bias", TRI_SHAPE(channels), TRI_INIT_ZERO, 0, &in[2]));
    TRI_TRY(make_state(builder, layer, ".running_mean", channels, 0, &in[3]));
    TRI_TRY(make_state(builder, layer, ".running_var", channels, 1, &in[4]));
    TRI_TRY(weights_of(builder, &in[5]));
    return tri_graph_add(builder->graph, "batch_norm", layer->name, in, 6, &layer->settings.attributes, out);
}

static tri_status build_layer_norm(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    tri_node *in[3] = {input_of(builder, layer, 0)};
    const tri_shape x = tri_node_shape(in[0]);
    if (x.rank < 2)
        return tri_fail(TRI_BAD_DATA, "layer_norm needs several values for each example, '%s' has one", tri_node_name(in[0]));
    const tri_shape example = tri_shape_of(x.rank - 1, x.dim + 1);
    TRI_TRY(make_parameter(builder, layer->name, ".weight", example, TRI_INIT_CONSTANT, 1, &in[1]));
    TRI_TRY(make_parameter(builder, layer->name, ".bias", example, TRI_INIT_ZERO, 0, &in[2]));
    return tri_graph_add(builder->graph, "layer_norm", layer->name, in, 3, &layer->settings.attributes, out);
}

/* A window as large as the image. */
static tri_status build_global_pool(model_builder *builder, const tri__statement *layer, tri_node **out)
{
    tri_node *x = input_of(builder, layer, 0);
    const tri_shape shape = tri_node_shape(x);
    if (shape.rank != 4)
        return tri_fail(TRI_BAD_DATA, "%s needs images, '%s' gives none", layer->verb.name, tri_node_name(x));
    const tri_attributes whole = {.kernel = {shape.dim[2], shape.dim[3]}};
    return tri_graph_add(builder->graph, layer->verb.name + strlen("global_"), layer->name, &x, 1, &whole, out);
}

/* Height × width × channels; a picture without channels has one. Features stay as they are. */
static tri_shape example_shape(tri_shape shape)
{
    return shape.rank == 2 ? TRI_SHAPE(shape.dim[0], shape.dim[1], 1) : shape;
}

tri_shape tri_model_input_shape(const tri_model *model)
{
    for (int i = 0; i < model->count; i++)
        if (model->statement[i].verb.form == TRI_FORM_INPUT)
            return example_shape(model->statement[i].settings.attributes.shape);
    return (tri_shape){0};
}

static tri_status choose_shape(const model_builder *builder, tri_shape written, tri_shape *out)
{
    tri_shape data = builder->input->shape;
    char ours[128], theirs[128];
    if (written.rank == 0 && data.rank == 0)
        return tri_fail(TRI_BAD_DATA, "the data does not say what shape it has; write it, as in input(28x28x1)");
    if (written.rank > 0 && data.rank > 0 && !tri_shape_equal(example_shape(written), example_shape(data)))
        return tri_fail(TRI_BAD_DATA, "the model is for examples of %s, the data has %s (leave the shape out to follow the data)",
                        tri_shape_text(written, ours, sizeof ours), tri_shape_text(data, theirs, sizeof theirs));
    *out = example_shape(written.rank > 0 ? written : data);
    if (out->rank == 1 || out->rank == 3)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "an example is %s, expected height x width x channels, or a number of features",
                    tri_shape_text(*out, ours, sizeof ours));
}

/* An input of a graph file is a variable: the value that is fed stays on the task that has the variable. */
static tri_status build_fed(model_builder *builder, const tri__statement *statement, tri_node **out)
{
    const tri_shape shape = statement->settings.attributes.shape;
    if (shape.rank == 0)
        return tri_fail(TRI_BAD_DATA, "an input of a graph needs its shape, as in input(256x256)");
    return make_parameter(builder, statement->name, "", shape, TRI_INIT_ZERO, 0, out);
}

/* The batch as it comes, and its image: numbers, channels first. Scale and offset are for bytes; data that are numbers already stay as they
 * are. */
static tri_status build_input(model_builder *builder, const tri__statement *statement, tri_node **out)
{
    const tri_attributes *given = &statement->settings.attributes;
    tri_shape shape;
    if (builder->model->is_graph)
        return build_fed(builder, statement, out);
    TRI_TRY(choose_shape(builder, given->shape, &shape));
    tri_node *x;
    TRI_TRY(tri_graph_input(builder->graph, "x", builder->input->type, shape, &x));
    bool bytes = builder->input->type == TRI_U8;
    tri_attributes attributes = {.scale = bytes ? given->scale : 1, .offset = bytes ? given->offset : 0};
    return tri_graph_add(builder->graph, "image", "image", &x, 1, &attributes, out);
}

/* A label beyond the logits would be read from outside of the memory. */
static tri_status check_labels(const model_builder *builder, const tri__statement *loss, const tri_node *logits)
{
    const tri_shape shape = tri_node_shape(logits);
    const int64_t classes = builder->input->classes, targets = builder->input->outputs, outputs = shape.rank == 2 ? shape.dim[1] : 0;
    const tri_label_kind labels = tri__operator_find(loss->verb.name)->labels;
    char text[128];
    if (outputs == 0)
        return tri_fail(TRI_BAD_DATA, "%s needs one row of numbers an example, '%s' is %s", loss->verb.name, tri_node_name(logits),
                        tri_shape_text(shape, text, sizeof text));
    if (strcmp(loss->verb.name, "logistic_loss") == 0)
        return classes <= 2 ? NULL : tri_fail(TRI_BAD_DATA, "logistic_loss is for two classes, the data has %" PRId64, classes);
    if (labels != TRI_LABEL_CLASS)
        return !targets || targets == outputs
                   ? NULL
                   : tri_fail(TRI_BAD_DATA,
                              "'%s' has %" PRId64 " outputs, the data has %" PRId64 " for each example (dense(outputs) "
                              "follows the data)",
                              tri_node_name(logits), outputs, targets);
    if (classes > outputs)
        return tri_fail(TRI_BAD_DATA, "'%s' has %" PRId64 " outputs, the data has %" PRId64 " classes (dense(classes) follows the data)",
                        tri_node_name(logits), outputs, classes);
    return NULL;
}

static tri_status build_loss(model_builder *builder, const tri__statement *loss, tri_node **out)
{
    tri_graph *graph = builder->graph;
    tri_node *logits = input_of(builder, loss, 0), *labels, *weights;
    TRI_TRY(check_labels(builder, loss, logits));
    if (tri__operator_find(loss->verb.name)->labels == TRI_LABEL_CLASS)
        TRI_TRY(tri_graph_input(graph, "labels", TRI_I32, (tri_shape){0}, &labels));
    else
        TRI_TRY(tri_graph_input(graph, "targets", TRI_F32, TRI_SHAPE(tri_node_shape(logits).dim[1]), &labels));
    TRI_TRY(weights_of(builder, &weights));
    TRI_TRY(tri_graph_add(graph, loss->verb.name, loss->name, (tri_node *[]){logits, labels, weights}, 3, &loss->settings.attributes, out));
    TRI_TRY(tri_graph_output(graph, "logits", logits));
    return tri_graph_output(graph, "loss", *out);
}

/* Files say height x width x channels and leave the batch out; nodes have channels first. */
static tri_status reshape_in_files(tri_shape *shape)
{
    if (shape->rank == 0)
        return tri_fail(TRI_BAD_DATA, "reshape needs 'shape'");
    if (shape->rank == TRI_MAX_RANK)
        return tri_fail(TRI_BAD_DATA, "reshape gives at most %d dimensions beside the batch", TRI_MAX_RANK - 1);
    tri_shape wanted = {.rank = shape->rank + 1};
    memcpy(wanted.dim + 1, shape->dim, (size_t)shape->rank * sizeof *shape->dim);
    if (shape->rank == 3)
        wanted = TRI_SHAPE(0, shape->dim[2], shape->dim[0], shape->dim[1]);
    *shape = wanted;
    return NULL;
}

/* Files count the axes as tables show them: the batch, height, width, channels. */
static int64_t axis_in_files(const tri_node *x, int64_t axis)
{
    static const int64_t pictures[] = {0, 2, 3, 1};
    return tri_node_shape(x).rank == 4 && axis >= 0 && axis < 4 ? pictures[axis] : axis;
}

static tri_status build_row(model_builder *builder, const tri__statement *statement, tri_node **out)
{
    tri_node *inputs[TRI_MAX_INPUTS] = {NULL};
    for (int i = 0; i < statement->inputs; i++)
        inputs[i] = input_of(builder, statement, i);
    tri_attributes attributes = statement->settings.attributes;
    if (strcmp(statement->verb.name, "reshape") == 0)
        TRI_TRY(reshape_in_files(&attributes.shape));
    if (strcmp(statement->verb.name, "sum") == 0 || strcmp(statement->verb.name, "mean") == 0)
        attributes.axis = axis_in_files(inputs[0], attributes.axis);
    return tri_graph_add(builder->graph, statement->verb.name, statement->name, inputs, statement->inputs, &attributes, out);
}

/* Loops */

/* A parameter of the body that starts with this value of the outer graph. */
static tri_status enter_loop(model_builder *body, const char *name, tri_node *start, tri_node **out)
{
    if (body->starts == TRI_MAX_INPUTS)
        return tri_fail(TRI_BAD_DATA, "a loop reads at most %d values from outside, and '%s' is one more", TRI_MAX_INPUTS, name);
    TRI_TRY(tri_graph_parameter(body->graph, name, tri_node_shape(start), TRI_INIT_ZERO, 0, out));
    body->start[body->starts++] = start;
    return NULL;
}

static tri_status build_carry(model_builder *builder, const tri__statement *statement, tri_node **out)
{
    return enter_loop(builder, statement->name, builder->outer->node[statement->input[0]], out);
}

/* Make the value of a line outside of the body available in the body; constants are made anew. */
static tri_status bring_in(model_builder *body, int index)
{
    const char *name = body->model->statement[index].name;
    if (!body->outer || body->node[index])
        return NULL;
    TRI_TRY(bring_in(body->outer, index));
    tri_node *value = body->outer->node[index];
    if (strcmp(tri_node_operator(value), "constant") == 0)
        return tri_graph_add(body->graph, "constant", name, NULL, 0, tri_node_attributes(value), &body->node[index]);
    return enter_loop(body, name, value, &body->node[index]);
}

/* A carry line reads the outer graph. */
static tri_status bring_inputs(model_builder *builder, const tri__statement *statement)
{
    model_builder *reader = statement->verb.form == TRI_FORM_CARRY ? builder->outer : builder;
    for (int i = 0; i < statement->inputs; i++)
        TRI_TRY(bring_in(reader, statement->input[i]));
    return NULL;
}

static tri_status build_statement(model_builder *builder, const tri__statement *statement, tri_node **out)
{
    const tri_attributes *given = &statement->settings.attributes;
    switch (statement->verb.form) {
    case TRI_FORM_INPUT:
        return build_input(builder, statement, out);
    case TRI_FORM_SPARSE:
        return build_sparse(builder, out);
    case TRI_FORM_TABLE:
        return build_table(builder, statement, out);
    case TRI_FORM_DENSE:
        return build_dense(builder, statement, out);
    case TRI_FORM_CONV:
        return build_conv(builder, statement, out);
    case TRI_FORM_BATCH_NORM:
        return build_batch_norm(builder, statement, out);
    case TRI_FORM_LAYER_NORM:
        return build_layer_norm(builder, statement, out);
    case TRI_FORM_GLOBAL_POOL:
        return build_global_pool(builder, statement, out);
    case TRI_FORM_PARAMETER:
        return make_parameter(builder, statement->name, "", given->shape, given->init, given->value, out);
    case TRI_FORM_LOSS:
        return build_loss(builder, statement, out);
    case TRI_FORM_ROW:
        return build_row(builder, statement, out);
    case TRI_FORM_CARRY:
        return build_carry(builder, statement, out);
    case TRI_FORM_NEXT:
        return tri_graph_output(builder->graph, builder->model->statement[statement->input[0]].name, input_of(builder, statement, 1));
    case TRI_FORM_END:
        return tri_graph_output(builder->graph, "again", input_of(builder, statement, 0));
    case TRI_FORM_WHILE: /* build_loop */
    case TRI_FORM_TRAIN:
        break;
    }
    return tri_fail(TRI_INTERNAL, "'%s' makes no node", statement->verb.name);
}

/* Place all nodes that a line has made. */
static tri_status place_nodes(tri_graph *graph, int first, int task)
{
    char place[48];
    snprintf(place, sizeof place, "/job:worker/task:%d", task);
    for (int i = first; task >= 0 && i < tri_graph_count(graph); i++)
        TRI_TRY(tri_node_place(graph, tri_graph_node(graph, i), place));
    return NULL;
}

/* The task that computes a line; −1: the task of its inputs. Examples enter a placed model at task 0; otherwise the layers behind the input
 * would follow the first line that has a place. */
static int task_of(const tri_model *model, const tri__statement *statement)
{
    bool enters = statement->verb.form == TRI_FORM_INPUT && !model->is_graph && tri__model_has_places(model);
    return enters && statement->task < 0 ? 0 : statement->task;
}

/* Build the lines from first on that belong to this loop (−1: to none), and the loops inside it. */
static tri_status build_lines(model_builder *builder, int loop, int first);

/* The results of the loop: the value of each of its `next` lines. */
static tri_status leave_loop(model_builder *builder, int loop, tri_node *made)
{
    const tri_model *model = builder->model;
    for (int i = loop + 1; i < model->count; i++) {
        const tri__statement *line = &model->statement[i];
        if (line->verb.form == TRI_FORM_NEXT && line->loop == loop)
            TRI_TRY(tri_graph_carried(builder->graph, line->name, made, model->statement[line->input[0]].name, &builder->node[i]));
    }
    return NULL;
}

static tri_status build_loop(model_builder *builder, int index)
{
    const tri_model *model = builder->model;
    const tri__statement *statement = &model->statement[index];
    model_builder body = {.model = model, .input = builder->input, .outer = builder};
    tri_node *made;
    TRI_TRY(tri_graph_create(1, &body.graph));
    tri_status status = tri__allocate((size_t)model->count, sizeof(tri_node *), "the lines of a loop", &body.node);
    if (!status)
        status = build_lines(&body, index, index + 1);
    if (status)
        tri_graph_destroy(body.graph);
    else
        status = tri__model_at(tri_graph_while(builder->graph, statement->name, body.graph, body.start, body.starts,
                                               statement->settings.attributes.most, &made),
                               model, statement);
    free(body.node);
    return status ? status : leave_loop(builder, index, made);
}

static tri_status build_line(model_builder *builder, int index)
{
    const tri_model *model = builder->model;
    const tri__statement *statement = &model->statement[index];
    if (statement->verb.form == TRI_FORM_WHILE)
        return build_loop(builder, index);
    TRI_TRY(tri__model_at(bring_inputs(builder, statement), model, statement));
    return tri__model_at(build_statement(builder, statement, &builder->node[index]), model, statement);
}

static tri_status build_lines(model_builder *builder, int loop, int first)
{
    const tri_model *model = builder->model;
    for (int i = first; i < model->count; i++) {
        int before = tri_graph_count(builder->graph);
        if (model->statement[i].loop != loop)
            continue;
        TRI_TRY(build_line(builder, i));
        TRI_TRY(place_nodes(builder->graph, before, task_of(model, &model->statement[i])));
    }
    return NULL;
}

/* Whether a line has a value outside of all loops. */
static bool is_outside(const tri_model *model, const tri__statement *line)
{
    if (line->verb.form == TRI_FORM_NEXT)
        return model->statement[line->loop].loop < 0;
    return line->loop < 0 && line->verb.form != TRI_FORM_WHILE;
}

/* The outputs of a graph file are the lines that no other line reads. Lines that assign are targets instead: they are computed, and their
 * values stay where they are. */
static tri_status name_outputs(const model_builder *builder)
{
    const tri_model *model = builder->model;
    bool used[TRI_MODEL_STATEMENTS] = {false};
    for (int i = 0; i < model->count; i++)
        for (int k = 0; k < model->statement[i].inputs; k++)
            used[model->statement[i].input[k]] = true;
    for (int i = 0; i < model->count; i++) {
        if (used[i] || !is_outside(model, &model->statement[i]))
            continue;
        if (strncmp(model->statement[i].verb.name, "assign", strlen("assign")) == 0)
            tri_graph_target(builder->graph, builder->node[i]);
        else
            TRI_TRY(tri_graph_output(builder->graph, model->statement[i].name, builder->node[i]));
    }
    return NULL;
}

static tri_status build(const tri_model *model, const tri_model_input *input, int64_t batch, tri_graph **out)
{
    model_builder builder = {.model = model, .input = input};
    TRI_TRY(tri_graph_create(batch, &builder.graph));
    tri_status status = tri__allocate((size_t)model->count, sizeof(tri_node *), "the lines of a model", &builder.node);
    if (!status)
        status = build_lines(&builder, -1, 0);
    if (!status && model->is_graph)
        status = name_outputs(&builder);
    free(builder.node);
    if (status) {
        tri_graph_destroy(builder.graph);
        return status;
    }
    *out = builder.graph;
    return NULL;
}

tri_status tri_model_build(const tri_model *model, const tri_model_input *input, int64_t batch, tri_graph **out)
{
    const bool classes = tri_model_labels(model) == TRI_LABEL_CLASS;
    if (classes ? input->outputs > 0 : input->classes > 0 && !input->outputs)
        return tri_fail(TRI_BAD_CALL,
                        "%s: %s learns %s, and the data is labelled with %s (softmax_loss() and logistic_loss() learn classes, mse_loss() "
                        "and huber_loss() numbers, sigmoid_loss() sets of labels%s)",
                        model->name, model->statement[model->count - 1].verb.name, classes ? "classes" : "numbers",
                        classes ? "numbers" : "classes",
                        classes && input->outputs > 1 ? "; y.argmax(axis=1) makes classes of one-hot rows" : "");
    return build(model, input, batch, out);
}

tri_status tri__model_build_graph(const tri_model *lines, tri_graph **out)
{
    return build(lines, &(tri_model_input){.type = TRI_F32}, 1, out);
}
