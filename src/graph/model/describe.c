/* describe.c: prints a model as a table for people. Shapes are as model files write them: height x width x channels, without the batch. */
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "graph/model/model.h"

static const tri_node *node_of(const tri_graph *graph, const tri__statement *statement)
{
    const char *input = statement->verb.form == TRI_FORM_INPUT ? "image" : statement->verb.form == TRI_FORM_SPARSE ? "keys" : NULL;
    return tri_graph_find(graph, input ? input : statement->name);
}

/* The shape of a statement's result for one example, channels last. Parameters and constants have no batch; a loss is one number. */
static const char *output_text(const tri_graph *graph, const tri__statement *statement, char buffer[128])
{
    tri_shape shape = tri_node_shape(node_of(graph, statement));
    if (statement->verb.form == TRI_FORM_SPARSE)
        return "features";
    if (shape.rank == 0 || (statement->verb.most == 0 && statement->verb.form != TRI_FORM_INPUT))
        return tri_shape_text(shape, buffer, 128);
    shape = tri_shape_of(shape.rank - 1, shape.dim + 1);
    if (shape.rank == 3)
        shape = TRI_SHAPE(shape.dim[1], shape.dim[2], shape.dim[0]);
    return tri_shape_text(shape, buffer, 128);
}

static bool is_parameter(const tri_node *node)
{
    return (strcmp(tri_node_operator(node), "parameter") == 0 && !tri_node_is_state(node)) || tri_node_table(node) >= 0;
}

/* Parameters called `layer` or `layer.part`. */
static int64_t parameters_of(const tri_graph *graph, const char *layer)
{
    size_t length = strlen(layer);
    int64_t count = 0;
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const char *name = tri_node_name(node);
        if (is_parameter(node) && strncmp(name, layer, length) == 0 && (name[length] == '.' || name[length] == '\0'))
            count += tri_shape_count(tri_node_shape(node));
    }
    return count;
}

/* Widths of columns. */
typedef struct {
    int name, written, output;
} widths;

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

static widths measure(const tri_model *model, const tri_graph *graph)
{
    widths width = {.name = (int)strlen("layer"), .written = (int)strlen("operator"), .output = (int)strlen("output")};
    char output[128];
    for (int i = 0; i < model->count; i++) {
        const tri__statement *statement = &model->statement[i];
        widen(&width.name, statement->name);
        widen(&width.written, statement->written);
        widen(&width.output, output_text(graph, statement, output));
    }
    return width;
}

static void print_table(const tri_model *model, const tri_graph *graph, FILE *stream)
{
    const widths width = measure(model, graph);
    char buffer[128], counted[TRI_TEXT_SHORT], bytes[TRI_TEXT_SHORT];
    int64_t total = 0;
    fprintf(stream, "%-*s  %-*s  %-*s  %12s\n", width.name, "layer", width.written, "operator", width.output, "output", "parameters");
    for (int i = 0; i < model->count; i++) {
        const tri__statement *statement = &model->statement[i];
        int64_t count = parameters_of(graph, statement->name);
        total += count;
        fprintf(stream, "%-*s  %-*s  ", width.name, statement->name, width.written, statement->written);
        const char *output = output_text(graph, statement, buffer);
        if (count > 0)
            fprintf(stream, "%-*s  %12s\n", width.output, output, tri__text_count(counted, (double)count));
        else
            fprintf(stream, "%s\n", output);
    }
    fprintf(stream, "%-*s  %12s  (%s)\n", width.name + width.written + width.output + 4, "total", tri__text_count(counted, (double)total),
            tri__text_bytes(bytes, (double)total * sizeof(float)));
}

tri_status tri_model_describe(const tri_model *model, const tri_graph *graph, char **out)
{
    for (int i = 0; i < model->count; i++)
        if (!node_of(graph, &model->statement[i]))
            return tri_fail(TRI_BAD_CALL, "the graph was not built from the model '%s': it has no '%s'", model->name,
                            model->statement[i].name);
    size_t size;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        print_table(model, graph, stream);
    if (!stream || fclose(stream) != 0) {
        free(text);
        return tri_fail(TRI_NO_MEMORY, "no memory for the description of '%s'", model->name);
    }
    *out = text;
    return NULL;
}
