/* commands.c: the rows of all commands, in the order of the list. */
#include "cli/table/commands.h"

#define ADDRESS(name) &tri__command_##name,

const tri__command *const tri__commands[] = {TRI_COMMANDS(ADDRESS) NULL};
