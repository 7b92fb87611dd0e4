/* help.h: prints the table of commands as help. */
#ifndef TRI_CLI_TABLE_HELP_H
#define TRI_CLI_TABLE_HELP_H

#include <stdio.h>

#include "cli/table/option.h"

typedef struct {
    FILE *out;
    int width;     /* columns to fill */
    bool terminal; /* out is a terminal */
    bool bold;     /* headings in bold */
} tri__page;

/* Print text from column `at` on, wrapped to the page; further lines begin at column `indent`. Ends the last line. A newline in text ends a
 * paragraph. */
void tri__page_wrap(const tri__page *page, const char *text, int at, int indent);

void tri__help_overview(const tri__page *page);
void tri__help_command(const tri__page *page, const tri__command *command);
bool tri__help_group(const tri__page *page, const char *word); /* prints all commands that begin with word; false where there are none */

#endif
