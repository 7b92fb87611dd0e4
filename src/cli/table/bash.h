/* bash.h: prints the table of commands as a completion for bash. */
#ifndef TRI_CLI_TABLE_BASH_H
#define TRI_CLI_TABLE_BASH_H

#include <stdio.h>

void tri__help_bash(FILE *out);

#endif
