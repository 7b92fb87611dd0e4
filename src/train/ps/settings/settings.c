/* settings.c: the mode, how many tasks take part, and how their gradients are combined. */
#include "train/ps/settings/settings.h"

#include <inttypes.h>
#include <stdio.h>
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

tri_status tri__ps_settings_check_backup(const tri__ps_settings *settings)
{
    if (settings->backup >= settings->workers)
        return tri_fail(TRI_BAD_CALL,
                        "--backup %d: with %d worker%s at most %d can be backups, since every step waits for at least one worker",
                        settings->backup, settings->workers, settings->workers > 1 ? "s" : "", settings->workers - 1);
    return NULL;
}

tri_status tri__ps_settings_check_files(const tri__train_settings *settings)
{
    if (!settings->own_files || settings->schedule.kind != TRI_SCHEDULE_COSINE || !settings->epochs)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--shard files: workers whose files differ do not agree how long an epoch is, and the rate depends on it: "
                    "give --steps with --schedule cosine");
}

tri_status tri__ps_settings_check_replicas(const tri__ps_settings *settings)
{
    if (settings->replicas == 2 && settings->servers < 2)
        return tri_fail(TRI_BAD_CALL,
                        "--replicas 2 needs at least 2 servers, since the two servers of a range are two processes: give --servers 2");
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
    const char *apart_only = out->fixed_parts ? "split static" : out->log_updates ? "log-updates" : NULL;
    if (apart_only && out->mode == TRI_PS_SYNC)
        return tri_fail(TRI_BAD_CALL, "--%s is for --async and --staleness: with --sync all workers have a part of every update",
                        apart_only);
    return options->workers == TRI_UNSET ? NULL : tri__ps_settings_check_backup(out); /* not known yet: a worker that joins asks ps:0 */
}

/* Options for tables that grow. */
static tri_status check_growth(const tri__train_options *options, const tri__ps_settings *settings)
{
    const char *option = options->min_count != TRI_UNSET ? "min-count" : options->table_memory != TRI_UNSET ? "table-memory" : NULL;
    if (option && settings->dense_rows)
        return tri_fail(TRI_BAD_CALL, "--%s: of tables that grow only the rows of a batch can be gathered: leave out --gather dense",
                        option);
    return NULL;
}

tri_status tri__ps_settings_resolve(const tri__train_options *options, tri__ps_settings *out)
{
    tri__waits waits;
    *out = (tri__ps_settings){
        .workers = (int)given_or(options->workers, 1),
        .servers = (int)given_or(options->servers, 1),
        .half_rows = options->row_values && !strcmp(options->row_values, "fp16"),
        .dense_rows = options->gather && !strcmp(options->gather, "dense"),
        .replicas = (int)given_or(options->replicas, 1),
        .log_updates = options->log_updates == 1,
        .fixed_parts = options->split && !strcmp(options->split, "static"),
    };
    if (out->workers > TRI_MOST_MEMBERS || out->servers > TRI_MOST_SERVERS)
        return tri_fail(TRI_BAD_CALL, "%d workers and %d servers: a job has at most %d and %d", out->workers, out->servers,
                        TRI_MOST_MEMBERS, TRI_MOST_SERVERS);
    TRI_TRY(resolve_mode(options, out));
    TRI_TRY(resolve_combination(options, out));
    TRI_TRY(check_growth(options, out));
    if (options->servers != TRI_UNSET) /* else a cluster may say how many there are */
        TRI_TRY(tri__ps_settings_check_replicas(out));
    TRI_TRY(tri__waits_resolve(options, &waits));
    out->timeout = waits.timeout;
    out->heartbeat = waits.heartbeat;
    return NULL;
}

static tri_status contradicts(const char *option, const char *given, const char *job)
{
    return tri_fail(TRI_BAD_CALL, "--%s%s%s: the job that is to be joined has %s: give the job's own options, or leave this one out",
                    option, *given ? " " : "", given, job);
}

static tri_status compare_numbers(const char *option, int64_t given, int64_t job)
{
    char ours[24], theirs[48];
    snprintf(ours, sizeof ours, "%" PRId64, given);
    snprintf(theirs, sizeof theirs, "--%s %" PRId64, option, job);
    return given == TRI_UNSET || given == job ? NULL : contradicts(option, ours, theirs);
}

static tri_status compare_choices(const char *option, const char *given, const char *job)
{
    char theirs[48];
    snprintf(theirs, sizeof theirs, "--%s %s", option, job);
    return !given || !strcmp(given, job) ? NULL : contradicts(option, given, theirs);
}

/* The job's mode, as an option of the command line. */
static const char *mode_words(const tri__ps_settings *settings, char words[32])
{
    if (settings->mode == TRI_PS_STALENESS)
        snprintf(words, 32, "--staleness %d", settings->staleness);
    else
        snprintf(words, 32, "--%s", tri__ps_mode_name(settings->mode));
    return words;
}

tri_status tri__ps_settings_compare(const tri__train_options *options, const tri__ps_settings *job)
{
    tri__ps_settings own = {0};
    char ours[32], theirs[32];
    bool given = options->async == 1 || options->sync == 1 || options->staleness != TRI_UNSET;
    TRI_TRY(resolve_mode(options, &own));
    if (given && (own.mode != job->mode || own.staleness != job->staleness))
        return contradicts(mode_words(&own, ours) + 2, "", mode_words(job, theirs));
    TRI_TRY(compare_numbers("workers", options->workers, job->workers));
    TRI_TRY(compare_numbers("servers", options->servers, job->servers));
    TRI_TRY(compare_numbers("backup", options->backup, job->backup));
    TRI_TRY(compare_numbers("replicas", options->replicas, job->replicas));
    TRI_TRY(compare_choices("combine", options->combine, job->sum ? "sum" : "mean"));
    TRI_TRY(compare_choices("split", options->split, job->fixed_parts ? "static" : "dynamic"));
    TRI_TRY(compare_choices("row-values", options->row_values, job->half_rows ? "fp16" : "fp32"));
    return compare_choices("gather", options->gather, job->dense_rows ? "dense" : "sparse");
}

tri_status tri__ps_settings_check_tables(const tri__train_options *options, const tri_model *model)
{
    const char *option = options->gather                      ? "gather"
                         : options->row_values                ? "row-values"
                         : options->min_count != TRI_UNSET    ? "min-count"
                         : options->table_memory != TRI_UNSET ? "table-memory"
                                                              : NULL;
    if (!option || tri_model_is_sparse(model))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--%s: %s has no tables; it concerns sparse models", option, tri_model_name(model));
}

int tri__ps_together(const tri__ps_settings *settings)
{
    return settings->mode == TRI_PS_SYNC ? settings->workers : 1;
}
