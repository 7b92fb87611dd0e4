/* model.c: trireme model. */
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "graph/model/builtin.h"
#include "train/evaluate/trained.h"

static tri_status list_models(tri__session *session)
{
    json_t *names = session->json ? json_array() : NULL;
    const char *name;
    for (int i = 0; (name = tri_model_builtin(i)); i++)
        if (names)
            json_array_append_new(names, json_string(name));
        else
            fprintf(session->out, "%s\n", name);
    return names ? tri__session_print_json(session, json_pack("{s:o}", "models", names)) : NULL;
}

static bool is_trained(const char *name)
{
    size_t length = strlen(name);
    return tri__folder_exists(name) || (length > 12 && !strcmp(name + length - 12, ".safetensors"));
}

static tri_status parse_shape(const char *text, tri_shape *out)
{
    const char *at = text;
    *out = (tri_shape){0};
    while (out->rank < TRI_MAX_RANK) {
        char *end = NULL;
        long long number = strtoll(at, &end, 10);
        if (end == at || number < 1 || (*end && *end != 'x'))
            break;
        out->dim[out->rank++] = number;
        if (!*end)
            return tri_wrap(tri_shape_check(*out, &(int64_t){0}), "--shape %s", text);
        at = end + 1;
    }
    return tri_fail(TRI_BAD_CALL, "--shape %s: expected sizes with x between them, such as 28x28x1", text);
}

/* The input comes from --data, whose photos are scaled to the model's size; from --shape and --classes; or from the model. */
static tri_status find_input(tri__session *session, const tri__arguments *arguments, const tri_model *model, tri_model_input *input)
{
    const tri_shape wanted = tri_model_input_shape(model);
    const tri_source_options options = {.seed = 1,
                                        .cache_folder = session->cache_folder,
                                        .height = wanted.rank == 3 ? wanted.dim[0] : 0,
                                        .width = wanted.rank == 3 ? wanted.dim[1] : 0,
                                        .grey = wanted.rank == 3 && wanted.dim[2] == 1,
                                        .label = tri__argument_text(arguments, "label"),
                                        .labels = tri_model_labels(model)};
    *input = (tri_model_input){.type = tri_model_is_sparse(model) ? TRI_F32 : TRI_U8};
    const char *data = tri__argument_text(arguments, "data"), *shape = tri__argument_text(arguments, "shape");
    if (options.label && !data)
        return tri_fail(TRI_BAD_CALL, "--label %s: it is a column of a CSV table; give the table by --data", options.label);
    if (data) {
        tri_source *source;
        TRI_TRY(tri_source_open(data, TRI_PART_TRAIN, &options, &source));
        const tri_source_info *info = tri_source_describe(source); /* a sparse source has the shape and type of its dense form */
        *input = tri_model_input_of(info);
        tri_source_destroy(source);
    }
    if (shape)
        TRI_TRY(parse_shape(shape, &input->shape));
    if (tri__argument_given(arguments, "classes"))
        *(tri_model_labels(model) == TRI_LABEL_CLASS ? &input->classes : &input->outputs) = tri__argument_integer(arguments, "classes");
    return NULL;
}

static tri_status print_json(tri__session *session, const tri_model *model, const tri_graph *graph)
{
    char digest[65];
    TRI_TRY(tri_model_digest(model, graph, digest));
    json_t *nodes = json_array();
    int64_t parameters = 0;
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        int64_t here = tri_node_range(node).count || tri_node_table(node) >= 0 ? tri_shape_count(tri_node_shape(node)) : 0;
        parameters += here;
        json_array_append_new(nodes, json_pack("{s:s, s:s, s:o, s:I}", "name", tri_node_name(node), "operator", tri_node_operator(node),
                                               "shape", tri__json_shape(tri_node_shape(node)), "parameters", (json_int_t)here));
    }
    return tri__session_print_json(session, json_pack("{s:s, s:s, s:I, s:o}", "model", tri_model_name(model), "digest", digest,
                                                      "parameters", (json_int_t)parameters, "nodes", nodes));
}

static tri_status print_model(tri__session *session, const tri_model *model, const tri_graph *graph)
{
    if (session->json)
        return print_json(session, model, graph);
    char *table;
    TRI_TRY(tri_model_describe(model, graph, &table));
    fputs(table, session->out);
    free(table);
    return NULL;
}

/* A trained model has its shapes and classes in its checkpoint. */
static tri_status refuse_shapes(const tri__arguments *arguments)
{
    static const char *const names[] = {"data", "label", "shape", "classes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri__argument_given(arguments, names[i]))
            return tri_fail(TRI_BAD_CALL,
                            "--%s: %s is a trained model, whose shapes and classes are fixed; leave it out ('trireme model %s "
                            "--text' prints its text, for a model with other shapes)",
                            names[i], arguments->operands[0], arguments->operands[0]);
    return NULL;
}

static tri_status describe_trained(tri__session *session, const tri__arguments *arguments)
{
    tri__trained trained;
    TRI_TRY(refuse_shapes(arguments));
    TRI_TRY(tri__trained_open(arguments->operands[0], tri__argument_integer(arguments, "batch"), session->log, &trained));
    tri_status status = NULL;
    if (tri__argument_flag(arguments, "text"))
        fputs(tri_model_text(trained.model), session->out);
    else
        status = print_model(session, trained.model, trained.graph);
    tri__trained_fini(&trained);
    return status;
}

static tri_status describe(tri__session *session, const tri__arguments *arguments, const tri_model *model)
{
    if (tri__argument_flag(arguments, "text")) {
        fputs(tri_model_text(model), session->out);
        return NULL;
    }
    tri_model_input input;
    TRI_TRY(find_input(session, arguments, model, &input));
    tri_graph *graph;
    tri_status built = tri_model_build(model, &input, tri__argument_integer(arguments, "batch"), &graph);
    if (built && (!input.shape.rank || (!input.classes && !input.outputs)))
        return tri_wrap(built, "give --data SOURCE, or --shape and --classes");
    TRI_TRY(built);
    tri_status status = print_model(session, model, graph);
    tri_graph_destroy(graph);
    return status;
}

static tri_status run_model(tri__session *session, const tri__arguments *arguments)
{
    if (!arguments->count)
        return list_models(session);
    if (is_trained(arguments->operands[0]))
        return describe_trained(session, arguments);
    tri_model *model;
    TRI_TRY(tri_model_open(arguments->operands[0], &model));
    tri_status status = describe(session, arguments, model);
    tri_model_destroy(model);
    return status;
}

static const tri__option model_options[] = {
    {.name = "data",
     .letter = 'd',
     .argument = "SOURCE",
     .kind = TRI_OPTION_TEXT,
     .group = "Shapes",
     .completion = SOURCES,
     .meaning = "take the input's shape and the classes from this source"},
    {.name = "label",
     .argument = "COLUMN",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "label, target, class, y or the last one",
     .meaning = "the column of a CSV table that is to be predicted, as for 'trireme train'"},
    {.name = "shape", .argument = "HxWxC", .kind = TRI_OPTION_TEXT, .meaning = "the input's shape, where the model leaves it open"},
    {.name = "classes",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .meaning = "the number of classes, or of numbers or labels to predict, where the model leaves it open"},
    {.name = "batch",
     .argument = "B",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1 << 20,
     .standard = "1",
     .meaning = "the batch that shapes are shown for"},
    {.name = "text", .group = "Output", .meaning = "print the model's text, to start a model of your own from"},
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_model = {
    .name = "model",
    .usage = "[MODEL] [options]",
    .run = run_model,
    .most = 1,
    .options = model_options,
    .meaning = "layers, output shapes and parameter counts of a model",
    .detail = "Without MODEL it lists the built-in models.",
    .operands = {{"MODEL", "a built-in model, the path of a .model file, a run folder or a checkpoint", tri__builtin_model_names}},
    .examples = {{"trireme model lenet --data fashion", "its layers for the shapes of a source"},
                 {"trireme model alexnet --shape 224x224x3 --classes 1000", "for shapes given by hand"},
                 {"trireme model lenet --text >my.model", "a model of your own to start from"}},
};
