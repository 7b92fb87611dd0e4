/* man.h: prints the table of commands as a manual page in mdoc(7). */
#ifndef TRI_CLI_TABLE_MAN_H
#define TRI_CLI_TABLE_MAN_H

#include <stdio.h>

void tri__help_man(FILE *out);

#endif
