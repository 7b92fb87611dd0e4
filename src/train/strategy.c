/* strategy.c: which strategy, in which mode, with how many workers and servers. */
#include "train/strategy.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/duration.h"
#include "train/options.h"

static const char *const names[] = {
    [TRI_STRATEGY_LOCAL] = "local",
    [TRI_STRATEGY_MIRRORED] = "mirrored",
    [TRI_STRATEGY_ALLREDUCE] = "allreduce",
    [TRI_STRATEGY_PS] = "ps",
};

const char *tri__strategy_name(tri__strategy strategy)
{
    return names[strategy];
}

static int64_t given_or(int64_t given, int64_t standard)
{
    return given == TRI_UNSET ? standard : given;
}

static tri_status resolve_kind(const char *name, tri__strategy *out)
{
    *out = TRI_STRATEGY_LOCAL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            *out = (tri__strategy)i;
    if (*out == TRI_STRATEGY_MIRRORED || *out == TRI_STRATEGY_ALLREDUCE)
        return tri_fail(TRI_BAD_CALL, "--strategy %s: not in this version yet (there are local and ps)", name);
    return NULL;
}

/* What belongs to parameter servers alone. */
static tri_status check_local(const tri__train_options *options)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = {
        {"servers", options->servers != TRI_UNSET},
        {"async", options->async == 1},
        {"sync", options->sync == 1},
        {"staleness", options->staleness != TRI_UNSET},
        {"backup", options->backup != TRI_UNSET},
        {"combine", options->combine},
        {"timeout", options->timeout},
        {"heartbeat", options->heartbeat},
    };
    if (given_or(options->workers, 1) > 1)
        return tri_fail(TRI_BAD_CALL,
                        "--workers %" PRId64 ": strategy local has one worker, which uses all CPUs (--threads sets how many; "
                        "--strategy ps has several)",
                        options->workers);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return tri_fail(TRI_BAD_CALL, "--%s belongs to --strategy ps, and the strategy is local", rows[i].name);
    return NULL;
}

static tri_status resolve_mode(const tri__train_options *options, tri__ps_settings *out)
{
    bool async = options->async == 1, sync = options->sync == 1, staleness = options->staleness != TRI_UNSET;
    if (async + sync + staleness > 1)
        return tri_fail(TRI_BAD_CALL, "%s and %s are two modes: give one of --async, --sync and --staleness", async ? "--async" : "--sync",
                        staleness ? "--staleness" : "--sync");
    if (staleness && options->staleness == 0)
        return tri_fail(TRI_BAD_CALL, "--staleness 0: to let nobody run ahead, give --sync (--staleness takes 1 and above)");
    out->mode = sync ? TRI_PS_SYNC : staleness ? TRI_PS_STALENESS : TRI_PS_ASYNC;
    out->staleness = staleness ? (int)options->staleness : 0;
    return NULL;
}

static tri_status resolve_combination(const tri__train_options *options, tri__ps_settings *out)
{
    out->backup = (int)given_or(options->backup, 0);
    out->sum = options->combine && !strcmp(options->combine, "sum");
    const char *sync_only = out->backup ? "backup" : options->combine ? "combine" : NULL;
    if (sync_only && out->mode != TRI_PS_SYNC)
        return tri_fail(TRI_BAD_CALL, "--%s goes with --sync: in mode %s every gradient is an update of its own", sync_only,
                        tri__ps_mode_name(out->mode));
    if (out->backup >= out->workers)
        return tri_fail(TRI_BAD_CALL, "--backup %d: with %d worker%s at most %d can be backups, so that one is waited for", out->backup,
                        out->workers, out->workers > 1 ? "s" : "", out->workers - 1);
    return NULL;
}

static tri_status resolve_duration(const char *name, const char *text, int64_t *out)
{
    if (text && !tri__duration_parse(text, out))
        return tri_fail(TRI_BAD_CALL, "--%s %s: expected a time such as 500ms, 60s or 2m", name, text);
    return NULL;
}

static tri_status resolve_waits(const tri__train_options *options, tri__ps_settings *out)
{
    out->timeout = INT64_C(60000000000);
    out->heartbeat = INT64_C(1000000000);
    TRI_TRY(resolve_duration("timeout", options->timeout, &out->timeout));
    TRI_TRY(resolve_duration("heartbeat", options->heartbeat, &out->heartbeat));
    if (out->timeout / 2 <= out->heartbeat)
        return tri_fail(TRI_BAD_CALL,
                        "--timeout %s with --heartbeat %s: a task is given up after the timeout, so it must be longer than "
                        "two heartbeats",
                        options->timeout ? options->timeout : "60s", options->heartbeat ? options->heartbeat : "1s");
    return NULL;
}

tri_status tri__strategy_resolve(const tri__train_options *options, tri__strategy_settings *out)
{
    *out = (tri__strategy_settings){.ps = {.workers = 1}};
    TRI_TRY(resolve_kind(options->strategy, &out->kind));
    if (out->kind == TRI_STRATEGY_LOCAL)
        return check_local(options);
    out->ps.workers = (int)given_or(options->workers, 1);
    out->ps.servers = (int)given_or(options->servers, 1);
    TRI_TRY(resolve_mode(options, &out->ps));
    TRI_TRY(resolve_combination(options, &out->ps));
    return resolve_waits(options, &out->ps);
}
