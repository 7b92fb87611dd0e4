/* help.c: trireme help. */
#include "cli/table/help.h"
#include "cli/process/session.h"
#include "cli/table/bash.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "cli/table/man.h"

static tri_status run_help(tri__session *session, const tri__arguments *arguments)
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

static const tri__option help_options[] = {
    {.name = "man", .group = "Output", .meaning = "print the manual page, for man(1)"},
    {.name = "bash", .meaning = "print the completion for bash"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .run = run_help,
    .most = 2,
    .options = help_options,
    .meaning = "help on a command; the manual page; bash completion",
    .operands = {{"COMMAND", "such as train or data get", TRI_COMPLETE_COMMANDS}},
    .examples = {{"trireme help train", "all options of train"},
                 {"trireme help --bash >~/.local/share/bash-completion/completions/trireme", "complete commands, options and values"}},
};
