/* importer.c: lists that grow, and names for lines. */
#include "graph/onnx/importer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/model/model.h"
#include "graph/nodes/operator.h"

int tri__importer_find(const tri__importer *self, const char *name)
{
    for (int64_t i = self->known - 1; i >= 0; i--)
        if (strcmp(self->values[i].name, name) == 0)
            return self->values[i].line;
    return -1;
}

int tri__importer_readers(const tri__importer *self, const char *name)
{
    int readers = 0;
    for (int64_t i = 0; i < self->graph.nodes; i++)
        for (int k = 0; k < self->graph.node[i].inputs; k++)
            readers += strcmp(self->graph.node[i].input[k], name) == 0;
    for (int64_t i = 0; i < self->graph.outputs; i++)
        readers += strcmp(self->graph.output[i].name, name) == 0;
    return readers;
}

bool tri__importer_is_read_once(const tri__importer *self, int index)
{
    for (int64_t i = 0; i < self->known; i++)
        if (self->values[i].line == index && tri__importer_readers(self, self->values[i].name) > 1)
            return false;
    return true;
}

/* A line that may write its result over its first input has as many outputs as that. */
int64_t tri__importer_outputs(const tri__importer *self, int line)
{
    for (; line > 0; line = self->lines[line].first) {
        const char *out = strstr(self->lines[line].settings, "out=");
        const tri_operator *row = tri__operator_find(self->lines[line].verb);
        if (out)
            return strtoll(out + strlen("out="), NULL, 10);
        if (!row || row->in_place != 1)
            break;
    }
    const tri_shape declared = self->graph.output[0].shape;
    return declared.rank == 2 && declared.dim[1] > 0 ? declared.dim[1] : 0;
}

tri_status tri__importer_know(tri__importer *self, const char *name, int index)
{
    TRI_TRY(tri__grow(&self->values, &self->known_room, self->known + 1, sizeof *self->values, "an imported model"));
    self->values[self->known++] = (tri__import_value){name, index};
    return NULL;
}

static bool is_free(const tri__importer *self, const char *name)
{
    for (int64_t i = 0; i < self->count; i++)
        if (strcmp(self->lines[i].name, name) == 0)
            return false;
    return true;
}

/* ONNX's own name where a model file can have it, or one made of the verb. */
static const char *name_line(tri__importer *self, const char *value, const char *verb)
{
    static const char *const reserved[] = {"x",       "image", "labels", "targets", "weights",       "classes",
                                           "outputs", "keys",  "values", "logits",  "probabilities", "input"};
    size_t length = strlen(value);
    bool usable = length > 0 && length < TRI_MODEL_NAME && isalpha((unsigned char)value[0]) && is_free(self, value);
    for (size_t i = 0; i < length; i++)
        usable = usable && (isalnum((unsigned char)value[i]) || value[i] == '_') && (unsigned char)value[i] < 128;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        usable = usable && strcmp(value, reserved[i]) != 0;
    if (usable)
        return value;
    for (int number = 1;; number++) {
        const char *made = tri__arena_format(self->arena, "%s_%d", verb, number);
        if (!made || is_free(self, made))
            return made;
    }
}

tri_status tri__importer_add(tri__importer *self, const tri__onnx_node *node, const char *verb, int most, const char *settings)
{
    const char *inputs = "";
    int first = 0;
    for (int i = 0; i < node->inputs && i < most && inputs; i++) {
        const int from = tri__importer_find(self, node->input[i]);
        if (from < 0)
            return tri__import_unsupported(node, "reads a value that no node before it computes");
        first = i ? first : from;
        inputs = tri__arena_format(self->arena, "%s%s%s", inputs, i ? ", " : "", self->lines[from].name);
    }
    const char *name = name_line(self, node->output[0], verb);
    if (!inputs || !name || !settings)
        return tri__import_no_memory();
    if (self->count >= TRI_MODEL_STATEMENTS)
        return tri_fail(TRI_UNSUPPORTED, "a model has at most %d lines", TRI_MODEL_STATEMENTS);
    TRI_TRY(tri__grow(&self->lines, &self->room, self->count + 1, sizeof *self->lines, "an imported model"));
    self->lines[self->count] = (tri__import_line){.name = name, .verb = verb, .inputs = inputs, .settings = settings, .first = first};
    return tri__importer_know(self, node->output[0], (int)self->count++);
}

tri__import_line *tri__importer_last(const tri__importer *self)
{
    return &self->lines[self->count - 1];
}

tri_status tri__importer_alias(tri__importer *self, const tri__onnx_node *node)
{
    const int from = node->inputs ? tri__importer_find(self, node->input[0]) : -1;
    return from < 0 ? tri__import_unsupported(node, "reads a value that no node before it computes")
                    : tri__importer_know(self, node->output[0], from);
}

tri_status tri__importer_add_tensor(tri__importer *self, const char *layer, const char *part, tri_shape shape, const float *data)
{
    tri__imported *out = self->out;
    const char *name = tri__arena_format(self->arena, "%s%s", layer, part);
    if (!name)
        return tri__import_no_memory();
    TRI_TRY(tri__grow(&out->tensor, &out->room, out->tensors + 1, sizeof *out->tensor, "an imported model"));
    out->tensor[out->tensors++] = (tri__imported_tensor){name, shape, data};
    return NULL;
}
