/* commands.c: the one table of commands and options. Parsing, --help, the man page and bash completion are all made from it. */
#include "cli/commands.h"

#define HELP_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "help", .meaning = "show this help"                                                                                        \
    }

static const tri__option version_options[] = {
    {.name = "json", .group = "Output", .meaning = "print the result as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option help_options[] = {
    {.name = "man", .group = "Output", .meaning = "print the manual page, for man(1)"},
    {.name = "bash", .meaning = "print the completion for bash"},
    HELP_ROW,
    {0},
};

const tri__command tri__commands[] = {
    {.name = "version",
     .usage = "",
     .run = tri__command_version,
     .options = version_options,
     .meaning = "version, build, libraries and CPU features in use"},
    {.name = "help",
     .usage = "[COMMAND]",
     .run = tri__command_help,
     .most = 2,
     .options = help_options,
     .meaning = "help on a command; the manual page; bash completion",
     .operands = {{"COMMAND", "such as train or data get", "train eval predict model data version"}},
     .examples = {{"trireme help train", "all options of train"},
                  {"trireme help --bash >~/.local/share/bash-completion/completions/trireme", "complete commands, options and values"}}},
    {0},
};
