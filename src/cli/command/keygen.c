/* keygen.c: trireme keygen. */
#include "cli/command/commands.h"
#include "cli/process/session.h"
#include "net/stream/identity.h"

tri_status tri__command_keygen(tri__session *session, const tri__arguments *arguments)
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
