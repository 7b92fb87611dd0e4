/* import.c: trireme import: turns an ONNX model into a .model file and a checkpoint of its parameters. */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "graph/onnx/import.h"
#include "trireme/trained.h"

/* Copy the file's tensors into the graph's parameters: all of them, in the graph's shapes. */
static tri_status fill(const tri__imported *imported, const tri_graph *graph, float *parameters)
{
    for (int64_t i = 0; i < imported->tensors; i++) {
        const tri__imported_tensor *tensor = &imported->tensor[i];
        const tri_node *node = tri_graph_find(graph, tensor->name);
        char ours[128], theirs[128];
        if (!node || !tri_shape_equal(tri_node_shape(node), tensor->shape))
            return tri_fail(TRI_BAD_DATA, "'%s' is %s in the file, and %s in the model that was made of it", tensor->name,
                            tri_shape_text(tensor->shape, theirs, sizeof theirs),
                            node ? tri_shape_text(tri_node_shape(node), ours, sizeof ours) : "not there");
        memcpy(parameters + tri_node_range(node).first, tensor->data, tri_node_range(node).count * sizeof(float));
    }
    return NULL;
}

static tri_status save(const tri__imported *imported, const tri_model *model, const char *path)
{
    tri_graph *graph = NULL;
    tri_store *store = NULL;
    TRI_TRY(tri_model_build(model, &imported->input, 1, &graph));
    tri_status status = tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.state = tri_graph_state_of(graph)}, &store);
    if (!status)
        status = fill(imported, graph, tri_store_parameters(store));
    const tri_source_info source = {.spec = "onnx",
                                    .type = imported->input.type,
                                    .shape = imported->input.shape,
                                    .labels = tri_model_labels(model),
                                    .outputs = imported->input.outputs,
                                    .classes = imported->input.classes,
                                    .columns = imported->columns};
    if (!status)
        status = tri_checkpoint_save(path, model, graph, store, &source);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    return status;
}

/* NAME.model and NAME.safetensors */
static tri_status write_both(const tri__imported *imported, const char *model_path, const char *tensors_path)
{
    tri_model *model;
    TRI_TRY(tri_model_parse(model_path, imported->text, strlen(imported->text), &model));
    tri_status status = save(imported, model, tensors_path);
    if (!status)
        status = tri__file_replace(model_path, imported->text, strlen(imported->text));
    tri_model_destroy(model);
    return status;
}

static tri_status tell(tri__session *session, const tri__imported *imported, const char *model, const char *tensors)
{
    char shape[128];
    tri_shape_text(imported->input.shape, shape, sizeof shape);
    if (session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:s, s:s, s:I}", "model", model, "checkpoint", tensors, "input", shape,
                                                          "tensors", (json_int_t)imported->tensors));
    fprintf(session->out, "%s  the model, for examples of %s\n%s  its %lld tensors\n", model, shape, tensors, (long long)imported->tensors);
    return NULL;
}

static tri_status check_new(const char *path)
{
    return !tri__file_exists(path) ? NULL : tri_fail(TRI_BAD_CALL, "%s exists: give another --out NAME, or remove it first", path);
}

static tri_status import(tri__session *session, const tri__mapping *file, const char *loss, const char *model, const char *tensors)
{
    tri__imported imported = {0};
    tri__arena *arena;
    char operator[32] = "";
    if (loss)
        snprintf(operator, sizeof operator, "%s_loss", loss);
    TRI_TRY(tri__arena_create(&arena));
    tri_status status = tri__onnx_import(file->data, file->size, loss ? operator : NULL, arena, &imported);
    if (!status)
        status = write_both(&imported, model, tensors);
    if (!status)
        status = tell(session, &imported, model, tensors);
    tri__imported_fini(&imported);
    tri__arena_destroy(arena);
    return status;
}

static tri_status run_import(tri__session *session, const tri__arguments *arguments)
{
    const char *path = arguments->operands[0], *name = tri__argument_text(arguments, "out");
    if (!name)
        return tri_fail(TRI_BAD_CALL, "import needs --out NAME: NAME.model and NAME.safetensors are written");
    char *model = NULL, *tensors = NULL;
    tri__mapping file = {0};
    tri_status status = asprintf(&model, "%s.model", name) < 0 || asprintf(&tensors, "%s.safetensors", name) < 0
                            ? tri_fail(TRI_NO_MEMORY, "no memory for a path")
                            : check_new(model);
    if (!status)
        status = check_new(tensors);
    if (!status)
        status = tri__file_map(path, &file);
    if (!status) {
        status = tri_wrap(import(session, &file, tri__argument_text(arguments, "loss"), model, tensors), "%s", path);
        tri__file_unmap(&file);
    }
    free(model);
    free(tensors);
    return status;
}

static const tri__option import_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "NAME",
     .kind = TRI_OPTION_TEXT,
     .group = "Files",
     .meaning = "write NAME.model and NAME.safetensors, which must not exist"},
    {.name = "loss",
     .argument = "NAME",
     .kind = TRI_OPTION_CHOICE,
     .choices = "softmax logistic sigmoid mse huber",
     .otherwise = "as the file says",
     .meaning = "what the model learns: softmax and logistic are for classes, sigmoid for sets of labels, mse and huber for numbers",
     .detail = "A file of 'trireme export' says it. In others, a softmax or sigmoid at the end does; a model that ends in neither and has "
               "several outputs is taken for one of classes. Under a loss that does not contain it, such as mse, a softmax or sigmoid "
               "at the end stays a layer."},
    ONLY_JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_import = {
    .name = "import",
    .usage = "FILE.onnx --out NAME [options]",
    .run = run_import,
    .least = 1,
    .most = 1,
    .options = import_options,
    .meaning = "somebody else's ONNX model, to evaluate or train further",
    .detail =
        "Writes NAME.model, the layers, and NAME.safetensors, their parameters, for eval, predict and train --init. The model must have "
        "one input of floats or bytes and be made of operators that model files have; one that is not is named. Pictures are "
        "taken with channels last, whatever the file says.",
    .operands = {{"FILE.onnx", "an ONNX file", "file"}},
    .examples = {{"trireme import resnet.onnx --out resnet", "then trireme eval resnet.safetensors --data SOURCE"}},
};
