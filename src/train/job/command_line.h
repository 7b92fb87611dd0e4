/* command_line.h: the command line of a process to be started, built word by word. A failure while adding is kept, and
 * tri__command_line_check returns it. */
#ifndef TRI_TRAIN_JOB_COMMAND_LINE_H
#define TRI_TRAIN_JOB_COMMAND_LINE_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    char **words; /* each allocated; ends with NULL */
    int count;
    int64_t room;
    tri_status failure; /* the first failure; NULL: none */
} tri__command_line;

#define TRI_COMMAND_LINE_INIT ((tri__command_line){.words = NULL})

void tri__command_line_add(tri__command_line *line, const char *word);
void tri__command_line_add_all(tri__command_line *line, const char *const *words); /* ends with NULL */
void tri__command_line_add_number(tri__command_line *line, const char *option, int64_t value);
void tri__command_line_add_format(tri__command_line *line, const char *format, ...) TRI_FORMAT(2, 3); /* one word */

TRI_MUST_CHECK tri_status tri__command_line_check(tri__command_line *line); /* returns the first failure; ends the words with NULL */
const char *const *tri__command_line_words(const tri__command_line *line);  /* call it after a check that succeeded */
void tri__command_line_fini(tri__command_line *line);

#endif
