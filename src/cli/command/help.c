/* help.c: trireme help. */
#include "cli/table/help.h"
#include "cli/command/commands.h"
#include "cli/process/session.h"
#include "cli/table/bash.h"
#include "cli/table/man.h"

tri_status tri__command_help(tri__session *session, const tri__arguments *arguments)
{
    const tri__page page = tri__session_page(session);
    if (tri__argument_flag(arguments, "man"))
        tri__help_man(session->out);
    else if (tri__argument_flag(arguments, "bash"))
        tri__help_bash(session->out);
    else if (arguments->count == 0)
        tri__help_overview(&page);
    else if (arguments->count == 2 || !tri__help_group(&page, arguments->operands[0])) {
        const tri__command *command;
        int used;
        TRI_TRY(tri__command_find(arguments->count, arguments->operands, &command, &used));
        tri__help_command(&page, command);
    }
    return NULL;
}
