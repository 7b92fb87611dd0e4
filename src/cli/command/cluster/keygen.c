/* keygen.c: trireme keygen. */
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "net/stream/identity.h"

static tri_status run_keygen(tri__session *session, const tri__arguments *arguments)
{
    const char *path = arguments->operands[0];
    int days = (int)tri__argument_integer(arguments, "days");
    TRI_TRY(tri__identity_create(path, days));
    if (session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:i}", "path", path, "days", days));
    fprintf(session->out, "%s  a cluster's identity, valid for %d days: give it to every task with --key, and to nobody else\n", path,
            days);
    return NULL;
}

static const tri__option keygen_options[] = {
    {.name = "days",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .group = "Identity",
     .least = 1,
     .most = 36500,
     .standard = "365",
     .meaning = "how many days the identity is valid"},
    ONLY_JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_keygen = {
    .name = "keygen",
    .usage = "FILE [--days N]",
    .run = run_keygen,
    .least = 1,
    .most = 1,
    .options = keygen_options,
    .meaning = "a cluster's identity, for authenticated and encrypted traffic",
    .detail = "Writes a new file with a key and its certificate that only you may read. Every task of a cluster shows it and admits only "
              "peers that show the same: copy it to each machine in a safe way, and give it to train with --key. An existing file is "
              "never replaced.",
    .operands = {{"FILE", "a new file", "file"}},
    .examples = {{"trireme keygen cluster.pem", "then train … --cluster FILE --key cluster.pem on each machine"}},
};
