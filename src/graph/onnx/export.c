/* export.c: see export.h. The nodes that the logits need are written (export_operators.c), between the model's input and its outputs. */
#include "graph/onnx/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "graph/onnx/export_operators.h"
#include "graph/onnx/message.h"

static int users_of(const tri__exporter *self, const tri_node *node)
{
    int count = 0;
    for (int i = 0; i < self->graph->count; i++)
        for (int k = 0; self->needed[i] && k < self->graph->node[i]->inputs; k++)
            count += self->graph->node[i]->input[k] == node;
    return count;
}

/* Mark the nodes that the logits need, and products that only a bias reads. */
static void mark(tri__exporter *self, const tri_node *logits)
{
    const tri_graph *graph = self->graph;
    self->needed[logits->id] = true;
    for (int i = logits->id; i >= 0; i--)
        for (int k = 0; self->needed[i] && k < graph->node[i]->inputs; k++)
            self->needed[graph->node[i]->input[k]->id] = true;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *x = self->needed[i] && tri__node_is(graph->node[i], "bias") ? graph->node[i]->input[0] : NULL;
        if (x && x->inputs == 2 && (tri__node_is(x, "matmul") || tri__node_is(x, "convolution")))
            self->folded[x->id] = users_of(self, x) == 1;
    }
}

/* An input or output of the model: [N][…] */
static void put_value(tri__exporter *self, uint32_t field, const char *name, tri_type type, tri_shape shape)
{
    tri__wire_buffer dims = {0}, tensor = {0}, kind = {0}, value = {0};
    for (int i = 0; i < shape.rank; i++) {
        tri__wire_buffer dim = {0};
        if (i == 0)
            tri__wire_put_string(&dim, ONNX_DIM_PARAMETER, "N");
        else
            tri__wire_put_varint(&dim, ONNX_DIM_VALUE, (uint64_t)shape.dim[i]);
        tri__wire_put_message(&dims, ONNX_SHAPE_DIM, &dim);
        tri__wire_fini(&dim);
    }
    tri__wire_put_varint(&tensor, ONNX_VALUE_ELEMENT, type == TRI_U8 ? ONNX_ELEMENT_UINT8 : ONNX_ELEMENT_FLOAT);
    tri__wire_put_message(&tensor, ONNX_VALUE_SHAPE, &dims);
    tri__wire_put_message(&kind, ONNX_VALUE_TENSOR, &tensor);
    tri__wire_put_string(&value, ONNX_VALUE_NAME, name);
    tri__wire_put_message(&value, ONNX_VALUE_TYPE, &kind);
    tri__wire_put_message(&self->writer.body, field, &value);
    tri__wire_fini(&dims);
    tri__wire_fini(&tensor);
    tri__wire_fini(&kind);
    tri__wire_fini(&value);
}

/* Whether the file has no such value: batch_norm reads running statistics there, and not the weights of the batch's examples. */
static bool is_left_out(const tri_node *node)
{
    return tri__node_is(node, "input") && strcmp(node->name, "x") != 0;
}

static void put_probabilities(tri__exporter *self, const tri_node *loss, const tri_node *logits)
{
    const bool one_by_one = loss && (tri__node_is(loss, "logistic_loss") || loss->op->labels == TRI_LABEL_SET);
    tri__onnx_new_node last = tri__onnx_begin_node(&self->writer, one_by_one ? "Sigmoid" : "Softmax");
    tri__onnx_put_input(&last, logits->name);
    if (!one_by_one)
        tri__onnx_put_int(&last, "axis", 1);
    tri__onnx_end_node(&last, "probabilities");
    put_value(self, ONNX_GRAPH_OUTPUT, "probabilities", TRI_F32, logits->shape);
}

static tri_status put_graph(tri__exporter *self, const tri_node *logits, const char *name)
{
    const tri_graph *graph = self->graph;
    const tri_node *x = tri_graph_find(graph, "x"), *loss = tri_graph_find_output(graph, "loss");
    mark(self, logits);
    tri__wire_put_string(&self->writer.body, ONNX_GRAPH_NAME, name);
    for (int i = 0; i < graph->count; i++)
        if (self->needed[i] && !is_left_out(graph->node[i]))
            TRI_TRY(tri__export_node(self, graph->node[i]));
    tri__onnx_put_plain(&self->writer, "Identity", "logits", logits->name, NULL);
    put_value(self, ONNX_GRAPH_INPUT, "x", x->type, x->shape);
    put_value(self, ONNX_GRAPH_OUTPUT, "logits", TRI_F32, logits->shape);
    if (tri_graph_labels(graph) != TRI_LABEL_NUMBERS)
        put_probabilities(self, loss, logits);
    return self->writer.body.failed ? tri_fail(TRI_NO_MEMORY, "no memory for an ONNX model") : NULL;
}

static void put_property(const char *key, const char *value, tri__wire_buffer *out)
{
    tri__wire_buffer property = {0};
    tri__wire_put_string(&property, ONNX_PROPERTY_KEY, key);
    tri__wire_put_string(&property, ONNX_PROPERTY_VALUE, value);
    tri__wire_put_message(out, ONNX_MODEL_PROPERTY, &property);
    tri__wire_fini(&property);
}

/* Other programs need no loss; import makes the same model of the file. */
static void put_loss(const tri_node *loss, tri__wire_buffer *out)
{
    char text[96];
    const float delta = loss->attributes.delta, smoothing = loss->attributes.smoothing;
    int used = snprintf(text, sizeof text, "%s", loss->op->name);
    if (tri__node_is(loss, "huber_loss"))
        snprintf(text + used, sizeof text - (size_t)used, "(delta=%.9g)", (double)delta);
    else if (smoothing > 0)
        snprintf(text + used, sizeof text - (size_t)used, "(smoothing=%.9g)", (double)smoothing);
    put_property(TRI_ONNX_LOSS, text, out);
}

static void put_model(const tri__exporter *self, const char *columns, tri__wire_buffer *out)
{
    const tri_node *loss = tri_graph_find_output(self->graph, "loss");
    tri__wire_buffer opset = {0};
    tri__wire_put_string(&opset, ONNX_OPSET_DOMAIN, "");
    tri__wire_put_varint(&opset, ONNX_OPSET_VERSION, TRI_ONNX_OPSET);
    tri__wire_put_varint(out, ONNX_MODEL_IR_VERSION, TRI_ONNX_IR);
    tri__wire_put_string(out, ONNX_MODEL_PRODUCER, "trireme");
    tri__wire_put_message(out, ONNX_MODEL_OPSET, &opset);
    tri__wire_put_message(out, ONNX_MODEL_GRAPH, &self->writer.body);
    if (loss)
        put_loss(loss, out);
    if (columns)
        put_property(TRI_ONNX_COLUMNS, columns, out);
    tri__wire_fini(&opset);
}

static tri_status check(const tri_graph *graph, const tri_node *logits)
{
    if (tri_graph_tables(graph) > 0 || !tri_graph_find(graph, "x"))
        return tri_fail(TRI_UNSUPPORTED, "the model takes sparse examples, for which ONNX has no operators: dense models can be exported");
    if (!logits || tri_graph_find(graph, "logits") || tri_graph_find(graph, "probabilities"))
        return tri_fail(TRI_BAD_CALL, "the graph has no output 'logits', or a line of that name or 'probabilities': rename it");
    return NULL;
}

tri_status tri__onnx_export(const tri_graph *graph, const float *parameters, const char *name, const char *columns, tri__wire_buffer *out)
{
    const tri_node *logits = tri_graph_find_output(graph, "logits");
    TRI_TRY(check(graph, logits));
    tri__exporter self = {.graph = graph, .parameters = parameters};
    TRI_TRY(tri__arena_create(&self.writer.arena));
    tri_status status = tri__allocate((size_t)graph->count, sizeof *self.needed, "an ONNX model", &self.needed);
    if (!status)
        status = tri__allocate((size_t)graph->count, sizeof *self.folded, "an ONNX model", &self.folded);
    if (!status)
        status = put_graph(&self, logits, name);
    if (!status)
        put_model(&self, columns, out);
    if (!status && out->failed)
        status = tri_fail(TRI_NO_MEMORY, "no memory for an ONNX model");
    free(self.needed);
    free(self.folded);
    tri__wire_fini(&self.writer.body);
    tri__arena_destroy(self.writer.arena);
    return status;
}
