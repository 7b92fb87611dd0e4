/* npm.c: fetches packages with npm, as a child process without a shell. If npm fails, the message has the first line that it printed. */
#include "data/fetch/npm.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/thread/clock.h"
#include "net/process/child.h"

#define PATIENCE (1800 * TRI_SECOND) /* 139 MB take long over a slow line */

typedef struct {
    char said[2][512]; /* the first line of standard output, and of standard error */
} call;

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    call *self = context;
    (void)child;
    if (!*self->said[error])
        snprintf(self->said[error], sizeof self->said[error], "%s", line);
}

static tri_status check_answer(const call *self, const tri__child_end *end, const char *package)
{
    if (!end->in_time)
        return tri_fail(TRI_TIMEOUT, "npm pack %s did not end within half an hour", package);
    if (end->status == 0 && end->signal == 0)
        return NULL;
    const char *words = *self->said[true] ? self->said[true] : *self->said[false] ? self->said[false] : "it does not say why";
    return tri_fail(TRI_IO, "npm pack %s failed: %s", package, words);
}

tri_status tri__npm_pack(const char *package, const char *folder)
{
    const char *const argv[] = {"npm", "pack", "--loglevel=error", "--no-update-notifier", package, NULL};
    call self = {0};
    tri__child_end end;
    const tri__child_options options = {
        .path = "npm",
        .argv = argv,
        .folder = folder,
        .in_group = true,
        .line = on_line,
        .context = &self,
    };
    tri_status status = tri__child_run(&options, PATIENCE, &end);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri_status_free(status);
        return tri_fail(TRI_NOT_FOUND, "npm is not installed (`apt install npm` installs it)");
    }
    TRI_TRY(status);
    return check_answer(&self, &end, package);
}
