/* terminal.h: standard error as people see it: messages that stay, and on a terminal one live line below them that is rewritten.
 *
 * A message first wipes the live line, then is printed; the live line is drawn again with its next update. Any thread may log. */
#ifndef TRI_CLI_TERMINAL_TERMINAL_H
#define TRI_CLI_TERMINAL_TERMINAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/report/log.h"

typedef struct {
    tri__log log; /* first member: a pointer to it is a pointer to the terminal */
    FILE *file;
    bool live;            /* a terminal that can rewrite a line */
    bool colour;          /* it can show bold and dim */
    bool drawn;           /* the live line is on the screen; guarded by lock */
    pthread_mutex_t lock; /* guards file and drawn */
} tri__terminal;

void tri__terminal_init(tri__terminal *terminal, FILE *file, bool plain); /* plain: neither live line nor colour */
void tri__terminal_fini(tri__terminal *terminal);

int tri__columns(FILE *file); /* the present width of the terminal; 80 where file is not a terminal */

/* Draw or redraw the live line, cut to the width. Only for a live terminal. */
void tri__terminal_draw(tri__terminal *terminal, const char *line);
void tri__terminal_wipe(tri__terminal *terminal);

/* Print one line that stays. */
void tri__terminal_say(tri__terminal *terminal, const char *format, ...) TRI_FORMAT(2, 3);

/* Show a line of progress: as the live line, or as a line that stays where there is no live line. */
void tri__terminal_progress(tri__terminal *terminal, const char *line);
int64_t tri__terminal_interval(const tri__terminal *terminal); /* nanoseconds between two lines of progress */

#endif
