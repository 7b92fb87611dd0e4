/* import.c: see import.h. Nodes are taken in the order of the file, in which inputs come before their readers. Each becomes a line
 * (import_operators.c), and the lines become the text. */
#include "graph/onnx/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "graph/onnx/import_operators.h"
#include "graph/onnx/message.h"

/* The graph's one input that is no tensor of the file. It is line 0. */
static tri_status import_input(tri__importer *self)
{
    const tri__onnx_value *x = NULL;
    for (int64_t i = 0; i < self->graph.inputs; i++) {
        if (tri__onnx_tensor_of(&self->graph, self->graph.input[i].name))
            continue;
        if (x)
            return tri_fail(TRI_UNSUPPORTED, "the model has two inputs, '%s' and '%s': one can be read", x->name,
                            self->graph.input[i].name);
        x = &self->graph.input[i];
    }
    if (!x || (x->element != ONNX_ELEMENT_FLOAT && x->element != ONNX_ELEMENT_UINT8) || (x->shape.rank != 2 && x->shape.rank != 4))
        return tri_fail(TRI_UNSUPPORTED, "the model's input must be floats or bytes of [N][channels][height][width] or [N][features]");
    for (int i = 1; i < x->shape.rank; i++)
        if (x->shape.dim[i] < 1)
            return tri_fail(TRI_UNSUPPORTED, "the model's input '%s' leaves its height, width, channels or features open", x->name);
    self->out->input.type = x->element == ONNX_ELEMENT_UINT8 ? TRI_U8 : TRI_F32;
    self->out->input.shape = tri_shape_of(x->shape.rank - 1, x->shape.dim + 1);
    TRI_TRY(tri__grow(&self->lines, &self->room, 1, sizeof *self->lines, "an imported model"));
    self->lines[self->count++] = (tri__import_line){.name = "input", .verb = "input", .inputs = "", .settings = ""};
    return tri__importer_know(self, x->name, 0);
}

/* Our model files have channels last. */
static void settle_shape(const tri__importer *self)
{
    tri_shape *shape = &self->out->input.shape;
    if (shape->rank == 3 && !self->channels_first)
        *shape = TRI_SHAPE(shape->dim[1], shape->dim[2], shape->dim[0]);
}

static void print_line(FILE *stream, const tri__import_line *one)
{
    fprintf(stream, "%s = %s(%s%s%s%s)\n", one->name, one->verb, one->inputs, one->inputs[0] && one->settings[0] ? ", " : "", one->settings,
            one->could_have_bias && !one->has_bias ? ", bias=no" : "");
}

/* The loss reads the logits. */
static tri_status print_text(tri__importer *self, int logits)
{
    char shape[128], *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return tri__import_no_memory();
    fprintf(stream, "# made of an ONNX model\n\ninput(%s", tri_shape_text(self->out->input.shape, shape, sizeof shape));
    if (self->out->input.type == TRI_U8)
        fprintf(stream, ", scale=%.9g, offset=%.9g", (double)self->scale, (double)self->offset);
    fprintf(stream, ")\n");
    for (int64_t i = 1; i < self->count; i++)
        print_line(stream, &self->lines[i]);
    fprintf(stream, "%s(%s%s)\n", self->loss, self->lines[logits].name, self->settings);
    if (fclose(stream) != 0) {
        free(text);
        return tri__import_no_memory();
    }
    self->out->text = tri__arena_copy(self->arena, text);
    free(text);
    return self->out->text ? NULL : tri__import_no_memory();
}

/* Split "huber_loss(delta=2)" into the name and the settings ", delta=2". The file is not trusted: what is copied is only a name of ours,
 * a word and a number. */
static tri_status read_loss(tri__importer *self, const char *text)
{
    char name[32] = "", key[16] = "";
    double value;
    const int found = sscanf(text, "%31[a-z_](%15[a-z]=%lf", name, key, &value);
    const tri_operator *loss = tri__operator_find(name);
    if (!loss || !loss->is_loss)
        return tri_fail(TRI_BAD_DATA, "the file says that its model ends in '%.40s', which is no loss (--loss says another)", text);
    if (found == 3)
        snprintf(self->settings, sizeof self->settings, ", %s=%.9g", key, value);
    self->loss = loss->name;
    return NULL;
}

/* A single logit stands for two classes, or is a number. */
static tri_status settle_loss(tri__importer *self, int64_t outputs)
{
    if (!self->loss)
        self->loss = self->guess;
    if (!self->loss && outputs == 1)
        return tri_fail(TRI_BAD_CALL,
                        "the model has one output, and the file does not say what that is: give --loss mse if it is a number, "
                        "or --loss logistic if it is the log odds of class 1");
    if (!self->loss)
        self->loss = "softmax_loss";
    if (outputs == 1 && !strcmp(self->loss, "softmax_loss"))
        return tri_fail(TRI_BAD_CALL, "the model has one output, and softmax has one for each class: give --loss logistic or --loss mse");
    const bool classes = tri__operator_find(self->loss)->labels == TRI_LABEL_CLASS;
    self->out->input.classes = !classes ? 0 : strcmp(self->loss, "logistic_loss") == 0 ? 2 : outputs;
    self->out->input.outputs = classes ? 0 : outputs;
    return NULL;
}

/* Whether the loss that the file says has labels of the same kind: only then do its columns mean the same to the model. */
static bool has_same_labels(const char *said, const char *loss)
{
    char name[32] = "";
    const tri_operator *before = said && sscanf(said, "%31[a-z_]", name) == 1 ? tri__operator_find(name) : NULL;
    return before && before->labels == tri__operator_find(loss)->labels;
}

/* loss: what the caller says, which goes before what the file says; NULL: nothing. Whether a softmax or sigmoid at the end is a layer
 * depends on the loss, so this comes before the nodes. */
static tri_status import_all(tri__importer *self, const char *loss)
{
    self->loss = loss;
    if (!loss && self->graph.loss)
        TRI_TRY(read_loss(self, self->graph.loss));
    TRI_TRY(import_input(self));
    for (int64_t i = 0; i < self->graph.nodes; i++)
        TRI_TRY(tri__import_node(self, &self->graph.node[i]));
    const int logits = tri__importer_find(self, self->graph.output[0].name);
    if (logits < 1)
        return tri_fail(TRI_BAD_DATA, "no node computes the model's output '%s'", self->graph.output[0].name);
    settle_shape(self);
    TRI_TRY(settle_loss(self, tri__importer_outputs(self, logits)));
    self->out->columns = has_same_labels(self->graph.loss, self->loss) ? self->graph.columns : NULL;
    return print_text(self, logits);
}

tri_status tri__onnx_import(const uint8_t *data, size_t size, const char *loss, tri__arena *arena, tri__imported *out)
{
    tri__importer self = {.arena = arena, .out = out, .scale = 1};
    *out = (tri__imported){0};
    tri_status status = tri__onnx_read(data, size, arena, &self.graph);
    if (!status)
        status = import_all(&self, loss);
    free(self.lines);
    free(self.values);
    return status;
}

void tri__imported_fini(tri__imported *imported)
{
    free(imported->tensor);
    *imported = (tri__imported){0};
}
