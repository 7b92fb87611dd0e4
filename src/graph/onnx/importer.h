/* importer.h: the state of an import: the lines of the model so far, the values that they compute, and the tensors of their parameters. */
#ifndef TRI_GRAPH_ONNX_IMPORTER_H
#define TRI_GRAPH_ONNX_IMPORTER_H

#include "graph/onnx/import.h"
#include "graph/onnx/read.h"

/* A line of the model, from which `name = verb(inputs, settings)` is printed. */
typedef struct {
    const char *name, *verb, *inputs, *settings;
    int first; /* the line of its first input */
    bool could_have_bias, has_bias;
} tri__import_line;

/* What ONNX calls a value, and the line that computes it. */
typedef struct {
    const char *name;
    int line;
} tri__import_value;

typedef struct {
    tri__arena *arena;
    tri__onnx_graph graph;
    tri__imported *out;
    tri__import_line *lines;
    int64_t count, room;
    tri__import_value *values;
    int64_t known, known_room;
    float scale, offset; /* of the input, where it is bytes */
    bool channels_first; /* the input is [N][channels][height][width] */
    const char *loss;    /* what the caller or the file says, such as "mse_loss"; NULL: neither says it */
    const char *guess;   /* the loss that a softmax or sigmoid at the end stands for; NULL: there is none */
    char settings[64];   /* of the loss, such as ", delta=2" */
} tri__importer;

/* Inline, so that compilers see that they never return NULL. */
static inline tri_status tri__import_unsupported(const tri__onnx_node *node, const char *why)
{
    return tri_fail(TRI_UNSUPPORTED, "node '%s' (%s): %s", node->name[0] ? node->name : node->output[0], node->op, why);
}

static inline tri_status tri__import_no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for an imported model");
}

/* The line that computes a value of that name; −1: no line so far does. */
int tri__importer_find(const tri__importer *self, const char *name);

/* How many nodes and outputs of the graph read a value of that name. */
int tri__importer_readers(const tri__importer *self, const char *name);

/* Whether the node that is being imported is the only one that reads the line's value, by any of its names: then the line may be
 * changed. */
bool tri__importer_is_read_once(const tri__importer *self, int line);

/* How many outputs an example has, if the line computes them; 0: neither the lines nor the file say it. */
int64_t tri__importer_outputs(const tri__importer *self, int line);

/* Add a line that computes the node's result. Its inputs are the node's inputs that are values, at most `most` of them. settings: in the
 * arena, or a literal; NULL: there was no memory for them. */
TRI_MUST_CHECK tri_status tri__importer_add(tri__importer *self, const tri__onnx_node *node, const char *verb, int most,
                                            const char *settings);
tri__import_line *tri__importer_last(const tri__importer *self); /* the line that was added last */

/* The line computes a value of that name, too. */
TRI_MUST_CHECK tri_status tri__importer_know(tri__importer *self, const char *name, int line);

/* The node's result is another name of its first input. */
TRI_MUST_CHECK tri_status tri__importer_alias(tri__importer *self, const tri__onnx_node *node);

/* Add the values of a parameter, such as part ".weight" of the line called layer. data: in the arena. */
TRI_MUST_CHECK tri_status tri__importer_add_tensor(tri__importer *self, const char *layer, const char *part, tri_shape shape,
                                                   const float *data);

#endif
