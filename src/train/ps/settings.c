/* settings.c: the mode, how many tasks take part, and how their gradients are combined. */
#include "train/ps/settings.h"

#include <string.h>

#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/tokens.h"
#include "train/options/waits.h"

static int64_t given_or(int64_t given, int64_t standard)
{
    return given == TRI_UNSET ? standard : given;
}

static tri_status resolve_mode(const tri__train_options *options, tri__ps_settings *out)
{
    bool async = options->async == 1, sync = options->sync == 1, staleness = options->staleness != TRI_UNSET;
    if (async + sync + staleness > 1)
        return tri_fail(TRI_BAD_CALL, "%s and %s are different modes: give one of --async, --sync and --staleness",
                        async ? "--async" : "--sync", staleness ? "--staleness" : "--sync");
    out->staleness = staleness ? (int)options->staleness : 0;
    out->mode = out->staleness > 0  ? TRI_PS_STALENESS
                : sync || staleness ? TRI_PS_SYNC
                                    : TRI_PS_ASYNC; /* staleness 0 is sync: no worker runs ahead */
    return NULL;
}

static tri_status resolve_combination(const tri__train_options *options, tri__ps_settings *out)
{
    out->backup = (int)given_or(options->backup, 0);
    out->sum = options->combine && !strcmp(options->combine, "sum");
    const char *sync_only = out->backup ? "backup" : options->combine ? "combine" : NULL;
    if (sync_only && out->mode != TRI_PS_SYNC)
        return tri_fail(TRI_BAD_CALL, "--%s needs --sync: in mode %s every gradient is a separate update", sync_only,
                        tri__ps_mode_name(out->mode));
    if (out->backup >= out->workers)
        return tri_fail(TRI_BAD_CALL,
                        "--backup %d: with %d worker%s at most %d can be backups, since every step waits for at least one worker",
                        out->backup, out->workers, out->workers > 1 ? "s" : "", out->workers - 1);
    return NULL;
}

tri_status tri__ps_settings_resolve(const tri__train_options *options, tri__ps_settings *out)
{
    tri__waits waits;
    *out = (tri__ps_settings){
        .workers = (int)given_or(options->workers, 1),
        .servers = (int)given_or(options->servers, 1),
        .log_updates = options->log_updates == 1,
    };
    if (out->workers > TRI_MOST_MEMBERS || out->servers > TRI_MOST_SERVERS)
        return tri_fail(TRI_BAD_CALL, "%d workers and %d servers: a job has at most %d and %d", out->workers, out->servers,
                        TRI_MOST_MEMBERS, TRI_MOST_SERVERS);
    TRI_TRY(resolve_mode(options, out));
    TRI_TRY(resolve_combination(options, out));
    TRI_TRY(tri__waits_resolve(options, &waits));
    out->timeout = waits.timeout;
    out->heartbeat = waits.heartbeat;
    return NULL;
}

int tri__ps_together(const tri__ps_settings *settings)
{
    return settings->mode == TRI_PS_SYNC ? settings->workers : 1;
}
