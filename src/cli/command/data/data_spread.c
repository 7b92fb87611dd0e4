/* data_spread.c: data commands on virtual hosts. */
#include "cli/command/data/data_spread.h"

#include "cli/process/program.h"
#include "cli/process/signals.h"

tri_status tri__data_spread_open(tri__session *session, const tri__arguments *arguments, tri__data_spread *out)
{
    const char *on = tri__argument_text(arguments, "on"), *hosts = tri__argument_text(arguments, "hosts");
    if (!on)
        return tri_fail(TRI_BAD_CALL, "--hosts: hosts of which cluster? Give --on NAME, the virtual cluster that has them");
    TRI_TRY(tri__program_find(out->program));
    TRI_TRY(tri__spread_choose(on, hosts, &out->hosts));
    out->spread = (tri__spread){.program = out->program, .hosts = &out->hosts, .stop = tri__signals_catch(1), .log = session->log};
    return NULL;
}
