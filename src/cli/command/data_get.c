/* data_get.c: trireme data get. */
#include "cli/command/commands.h"
#include "cli/process/session.h"
#include "data/fetch/get.h"

tri_status tri__command_data_get(tri__session *session, const tri__arguments *arguments)
{
    const char *name = arguments->operands[0];
    if (!session->cache_folder)
        return tri_fail(TRI_BAD_CALL, "data get %s: there is no cache folder, as neither XDG_CACHE_HOME nor HOME is set", name);
    const tri__get_options options = {
        .cache_folder = session->cache_folder,
        .from = tri__argument_text(arguments, "from"),
        .log = session->log,
    };
    tri__get_result result;
    TRI_TRY(tri__data_get(name, &options, &result));
    tri_status status = NULL;
    if (session->json)
        status = tri__session_print_json(session,
                                         json_pack("{s:s, s:s, s:b}", "name", name, "folder", result.folder, "fetched", result.fetched));
    else
        fprintf(session->out, "%s  %s\n", result.folder, result.fetched ? "fetched and verified" : "was there already");
    tri__get_result_fini(&result);
    return status;
}
