/* tool.c: one child on a loop of its own, whose lines are kept. */
#define _GNU_SOURCE /* vasprintf */
#include "lab/cluster/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "net/child.h"

enum { MOST_WORDS = 32, SAID = 512 };

static const int64_t PATIENCE = INT64_C(30000000000); /* nanoseconds: such tools take milliseconds */

typedef struct {
    char *out; /* its standard output so far; NULL when memory was short */
    size_t size;
    char said[SAID]; /* the last line of standard error */
    bool ended;
    int status, signal;
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
    char *longer = self->out ? realloc(self->out, self->size + length + 2) : NULL;
    if (!longer)
        return;
    self->size += (size_t)snprintf(longer + self->size, length + 2, "%s\n", line);
    self->out = longer;
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    tool *self = context;
    (void)child;
    self->ended = true;
    self->status = status;
    self->signal = signal;
}

static tri_status run_to_end(tool *self, tri__loop *loop, const char *const *words)
{
    const tri__child_options options = {.path = words[0], .argv = words, .line = on_line, .ended = on_end, .context = self};
    tri__child *child;
    int64_t deadline = tri__clock_now() + PATIENCE;
    TRI_TRY(tri_wrap(tri__child_start(loop, &options, &child), "%s cannot be started (Debian: apt install iproute2)", words[0]));
    while (!self->ended && tri__clock_now() < deadline)
        tri__loop_turn(loop, deadline);
    tri__child_destroy(child);
    return self->ended ? NULL : tri_fail(TRI_TIMEOUT, "%s has not ended after 30 s", words[0]);
}

static tri_status run_words(char *line, const char *const *words, char **out)
{
    tool self = {.out = calloc(1, 1)};
    tri__loop *loop;
    tri_status status = tri__loop_create(&loop);
    if (!status) {
        status = run_to_end(&self, loop, words);
        tri__loop_destroy(loop);
    }
    if (!status && (self.status || self.signal))
        status = tri_fail(TRI_IO, "%s: %s", line, *self.said ? self.said : "it failed and did not say why");
    if (!status && out && !self.out)
        status = tri_fail(TRI_NO_MEMORY, "no memory for what %s says", words[0]);
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
