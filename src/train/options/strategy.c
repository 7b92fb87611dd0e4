/* strategy.c: which strategy, in which mode, with how many workers and servers. */
#include "train/options/strategy.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/duration.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/tokens.h"
#include "train/options/options.h"

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

static tri__strategy kind_of(const char *name)
{
    tri__strategy kind = TRI_STRATEGY_LOCAL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            kind = (tri__strategy)i;
    return kind;
}

static tri_status check_workers(const tri__train_options *options)
{
    if (given_or(options->workers, 1) == 1)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--workers %" PRId64 ": strategy local has one worker, which uses all CPUs (--threads sets how many; "
                    "--strategy mirrored, allreduce and ps have several)",
                    options->workers);
}

/* What belongs to parameter servers; ranks too wait for each other. */
static tri_status check_serverless(const tri__train_options *options, tri__strategy kind)
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
        {"heartbeat", options->heartbeat},
        {"log-updates", options->log_updates == 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return tri_fail(TRI_BAD_CALL, "--%s belongs to --strategy ps, and the strategy is %s", rows[i].name, names[kind]);
    if (options->timeout && kind != TRI_STRATEGY_ALLREDUCE)
        return tri_fail(TRI_BAD_CALL, "--timeout belongs to --strategy ps and allreduce, and the strategy is %s", names[kind]);
    return NULL;
}

/* What belongs to ranks alone. */
static tri_status check_rankless(const tri__train_options *options, tri__strategy kind)
{
    const char *name = options->restarts != TRI_UNSET ? "restarts" : options->min_workers != TRI_UNSET ? "min-workers" : NULL;
    return name ? tri_fail(TRI_BAD_CALL, "--%s belongs to --strategy allreduce, and the strategy is %s", name, names[kind]) : NULL;
}

/* Ranks become fewer only where a lost one is followed by another attempt. */
static tri_status check_min_workers(const tri__train_options *options)
{
    int64_t least = options->min_workers, workers = given_or(options->workers, 1);
    if (least == TRI_UNSET)
        return NULL;
    if (given_or(options->restarts, 0) == 0)
        return tri_fail(TRI_BAD_CALL, "--min-workers %" PRId64 " goes with --restarts N: without it a run that lost a rank ends", least);
    if (least > workers)
        return tri_fail(TRI_BAD_CALL, "--min-workers %" PRId64 ": there are %" PRId64 " (--workers); give that many at most", least,
                        workers);
    return NULL;
}

/* Replicas read through one source: there are no files of a worker's own. */
static tri_status check_mirrored(const tri__train_options *options)
{
    if (options->shard && !strcmp(options->shard, "files"))
        return tri_fail(TRI_BAD_CALL,
                        "--shard files: replicas of one process read the same files (leave it out: each takes its part of them)");
    return check_serverless(options, TRI_STRATEGY_MIRRORED);
}

static tri_status resolve_mode(const tri__train_options *options, tri__ps_settings *out)
{
    bool async = options->async == 1, sync = options->sync == 1, staleness = options->staleness != TRI_UNSET;
    if (async + sync + staleness > 1)
        return tri_fail(TRI_BAD_CALL, "%s and %s are two modes: give one of --async, --sync and --staleness", async ? "--async" : "--sync",
                        staleness ? "--staleness" : "--sync");
    out->staleness = staleness ? (int)options->staleness : 0;
    out->mode = out->staleness > 0 ? TRI_PS_STALENESS : sync || staleness ? TRI_PS_SYNC : TRI_PS_ASYNC; /* 0: nobody runs ahead */
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

static tri_status resolve_ps(const tri__train_options *options, tri__ps_settings *out)
{
    out->servers = (int)given_or(options->servers, 1);
    out->log_updates = given_or(options->log_updates, 0) == 1;
    if (out->workers > TRI_MOST_MEMBERS || out->servers > TRI_MOST_SERVERS)
        return tri_fail(TRI_BAD_CALL, "%d workers and %d servers: a job has at most %d and %d", out->workers, out->servers,
                        TRI_MOST_MEMBERS, TRI_MOST_SERVERS);
    TRI_TRY(resolve_mode(options, out));
    TRI_TRY(resolve_combination(options, out));
    return resolve_waits(options, out);
}

tri_status tri__strategy_resolve(const tri__train_options *options, tri__strategy_settings *out)
{
    *out = (tri__strategy_settings){.kind = kind_of(options->strategy), .ps = {.workers = (int)given_or(options->workers, 1)}};
    if (out->kind != TRI_STRATEGY_ALLREDUCE)
        TRI_TRY(check_rankless(options, out->kind));
    switch (out->kind) {
    case TRI_STRATEGY_LOCAL:
        TRI_TRY(check_workers(options));
        return check_serverless(options, out->kind);
    case TRI_STRATEGY_MIRRORED:
        return check_mirrored(options);
    case TRI_STRATEGY_ALLREDUCE:
        TRI_TRY(check_min_workers(options));
        TRI_TRY(resolve_waits(options, &out->ps));
        return check_serverless(options, out->kind);
    case TRI_STRATEGY_PS:
        break;
    }
    return resolve_ps(options, &out->ps);
}
