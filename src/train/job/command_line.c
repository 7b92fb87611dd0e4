/* command_line.c: a growing list of words, each copied. */
#define _GNU_SOURCE
#include "train/job/command_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

/* Takes word; NULL: there was no memory for it. */
static void take(tri__command_line *line, char *word)
{
    if (!line->failure && !word)
        line->failure = tri_fail(TRI_NO_MEMORY, "no memory for a command line");
    if (!line->failure)
        line->failure = tri__grow(&line->words, &line->room, line->count + 2, sizeof *line->words, "a command line");
    if (line->failure) {
        free(word);
        return;
    }
    line->words[line->count++] = word;
    line->words[line->count] = NULL;
}

void tri__command_line_add(tri__command_line *line, const char *word)
{
    take(line, strdup(word));
}

void tri__command_line_add_all(tri__command_line *line, const char *const *words)
{
    for (; *words; words++)
        tri__command_line_add(line, *words);
}

void tri__command_line_add_format(tri__command_line *line, const char *format, ...)
{
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0)
        word = NULL;
    va_end(arguments);
    take(line, word);
}

void tri__command_line_add_number(tri__command_line *line, const char *option, int64_t value)
{
    tri__command_line_add(line, option);
    tri__command_line_add_format(line, "%" PRId64, value);
}

tri_status tri__command_line_check(tri__command_line *line)
{
    tri_status failure = line->failure;
    line->failure = NULL;
    return failure;
}

const char *const *tri__command_line_words(const tri__command_line *line)
{
    static const char *const none[] = {NULL};
    return line->words ? (const char *const *)line->words : none;
}

void tri__command_line_fini(tri__command_line *line)
{
    for (int i = 0; i < line->count; i++)
        free(line->words[i]);
    free(line->words);
    tri_status_free(line->failure);
    *line = TRI_COMMAND_LINE_INIT;
}
