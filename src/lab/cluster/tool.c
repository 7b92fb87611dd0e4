/* tool.c: runs a child process to its end, and keeps its lines. */
#define _GNU_SOURCE /* vasprintf */
#include "lab/cluster/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/process/child.h"

enum { MOST_WORDS = 32, SAID = 512 };

static const int64_t PATIENCE = 30 * TRI_SECOND; /* such tools need milliseconds */

typedef struct {
    char *out; /* the child's standard output so far, as a string */
    size_t size;
    int64_t room;
    tri_status failure; /* no memory for the output */
    char said[SAID];    /* the last line of standard error */
} tool;

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    tool *self = context;
    (void)child;
    size_t length = strlen(line);
    if (error) {
        snprintf(self->said, sizeof self->said, "%s", line);
        return;
    }
    if (!self->failure)
        self->failure = tri__grow(&self->out, &self->room, (int64_t)(self->size + length + 2), 1, "what a tool says");
    if (!self->failure)
        self->size += (size_t)snprintf(self->out + self->size, length + 2, "%s\n", line);
}

static tri_status run_to_end(tool *self, const char *const *words, tri__child_end *end)
{
    const tri__child_options options = {.path = words[0], .argv = words, .line = on_line, .context = self};
    TRI_TRY(tri_wrap(tri__child_run(&options, PATIENCE, end), "%s cannot be started (Debian: apt install iproute2)", words[0]));
    return end->in_time ? NULL : tri_fail(TRI_TIMEOUT, "%s has not ended after 30 s", words[0]);
}

static tri_status run_words(char *line, const char *const *words, char **out)
{
    tool self = {0};
    tri__child_end end;
    TRI_TRY(tri__grow(&self.out, &self.room, 1, 1, "what a tool says"));
    self.out[0] = 0;
    tri_status status = run_to_end(&self, words, &end);
    if (!status && (end.status || end.signal))
        status = tri_fail(TRI_IO, "%s: %s", line, *self.said ? self.said : "it failed and did not say why");
    if (!status && out && self.failure) {
        status = self.failure;
        self.failure = NULL;
    }
    tri_status_free(self.failure);
    if (!status && out)
        *out = self.out;
    else
        free(self.out);
    return status;
}

static tri_status run(char **out, const char *format, va_list arguments)
{
    char *line, *copy = NULL;
    if (vasprintf(&line, format, arguments) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for a command line");
    copy = strdup(line);
    const char *words[MOST_WORDS + 1] = {0};
    char *save = NULL;
    int count = 0;
    for (char *word = copy ? strtok_r(copy, " ", &save) : NULL; word && count < MOST_WORDS; word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    tri_status status = count ? run_words(line, words, out) : tri_fail(TRI_NO_MEMORY, "no memory for a command line");
    free(copy);
    free(line);
    return status;
}

tri_status tri__tool_run(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tri_status status = run(NULL, format, arguments);
    va_end(arguments);
    return status;
}

tri_status tri__tool_read(char **out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tri_status status = run(out, format, arguments);
    va_end(arguments);
    return status;
}
