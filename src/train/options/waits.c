/* waits.c: --timeout and --heartbeat. */
#include "train/options/waits.h"

#include "base/text/duration.h"
#include "base/thread/clock.h"

static tri_status resolve_duration(const char *name, const char *text, int64_t *out)
{
    if (text && !tri__duration_parse(text, out))
        return tri_fail(TRI_BAD_CALL, "--%s %s: expected a time such as 500ms, 60s or 2m", name, text);
    return NULL;
}

tri_status tri__waits_resolve(const tri__train_options *options, tri__waits *out)
{
    *out = (tri__waits){.timeout = 60 * TRI_SECOND, .heartbeat = TRI_SECOND};
    TRI_TRY(resolve_duration("timeout", options->timeout, &out->timeout));
    TRI_TRY(resolve_duration("heartbeat", options->heartbeat, &out->heartbeat));
    if (out->timeout / 2 <= out->heartbeat)
        return tri_fail(TRI_BAD_CALL,
                        "--timeout %s with --heartbeat %s: a task is given up after the timeout, so it must be longer than "
                        "two heartbeats",
                        options->timeout ? options->timeout : "60s", options->heartbeat ? options->heartbeat : "1s");
    return NULL;
}
