/* export.c: trireme export: a trained model for other people's runtimes. */
#include "cli/command/commands.h"
#include "cli/process/session.h"

#include "base/file/file.h"
#include "graph/onnx/export.h"
#include "train/evaluate/trained.h"

static tri_status write_onnx(const tri__trained *trained, const char *path, size_t *size)
{
    tri__wire_buffer bytes = {0};
    tri_status status = tri__onnx_export(trained->graph, tri_store_parameters(trained->store), trained->checkpoint->model_name, &bytes);
    if (!status)
        status = tri__file_replace(path, bytes.data, bytes.size);
    *size = bytes.size;
    tri__wire_fini(&bytes);
    return status;
}

tri_status tri__command_export(tri__session *session, const tri__arguments *arguments)
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
        fprintf(session->out, "%s  %s as ONNX, %zu bytes: x in, logits and probabilities out\n", path, trained.checkpoint->model_name,
                size);
    tri__trained_fini(&trained);
    return status;
}
