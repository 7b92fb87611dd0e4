/* export.c: trireme export: writes a trained model for other runtimes. */
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"

#include "base/file/file.h"
#include "graph/onnx/export.h"
#include "train/evaluate/trained.h"

static tri_status write_onnx(const tri__trained *trained, const char *path, size_t *size)
{
    tri__wire_buffer bytes = {0};
    tri_status status = tri__onnx_export(trained->graph, tri_store_parameters(trained->store), trained->checkpoint->model_name,
                                         trained->checkpoint->columns, &bytes);
    if (!status)
        status = tri__file_replace(path, bytes.data, bytes.size);
    *size = bytes.size;
    tri__wire_fini(&bytes);
    return status;
}

static tri_status run_export(tri__session *session, const tri__arguments *arguments)
{
    const char *path = tri__argument_text(arguments, "onnx");
    size_t size = 0;
    if (!path)
        return tri_fail(TRI_BAD_CALL, "export needs --onnx FILE");
    tri__trained trained;
    TRI_TRY(tri__trained_open(arguments->operands[0], 1, session->log, &trained));
    tri_status status = tri_wrap(write_onnx(&trained, path, &size), "%s", arguments->operands[0]);
    if (!status && session->json)
        status = tri__session_print_json(
            session, json_pack("{s:s, s:s, s:I}", "path", path, "model", trained.checkpoint->model_name, "bytes", (json_int_t)size));
    else if (!status)
        fprintf(session->out, "%s  %s as ONNX, %zu bytes: x in, logits%s out\n", path, trained.checkpoint->model_name, size,
                tri_graph_labels(trained.graph) == TRI_LABEL_NUMBERS ? "" : " and probabilities");
    tri__trained_fini(&trained);
    return status;
}

static const tri__option export_options[] = {
    {.name = "onnx",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .group = "Files",
     .completion = "file",
     .meaning = "the file to write, which is replaced where it exists"},
    ONLY_JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_export = {
    .name = "export",
    .usage = "RUN|CHECKPOINT --onnx FILE",
    .run = run_export,
    .least = 1,
    .most = 1,
    .options = export_options,
    .meaning = "a trained model as an ONNX file, for other runtimes",
    .detail =
        "The file takes examples as training took them: x, [N][height][width][channels] of bytes or floats, or [N][features]; scaling is "
        "inside. It gives logits and probabilities. Dense models can be exported; a layer that ONNX has no operator for is named.",
    .operands = {{"RUN|CHECKPOINT", "a run folder or a .safetensors file of its checkpoint folder"}},
    .examples = {{"trireme export runs/resnet20-2026-11-15-1 --onnx resnet20.onnx", "the newest checkpoint of a run"}},
};
