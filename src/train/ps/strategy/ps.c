/* ps.c: the row of strategy ps. Each task of a job is a process. */
#include "train/options/strategy.h"

#include "train/ps/settings/settings.h"
#include "train/ps/supervise/supervise.h"
#include "train/ps/task/task.h"

static tri_status check(const tri__train_options *options)
{
    tri__ps_settings settings;
    return tri__ps_settings_resolve(options, &settings);
}

/* Only where all workers make each step together can a step leave one out. */
static const char *straggler_remedy(const tri__train_options *options)
{
    tri__ps_settings settings;
    tri_status status = tri__ps_settings_resolve(options, &settings);
    const bool sync = !status && settings.mode == TRI_PS_SYNC;
    tri_status_free(status);
    return !sync ? NULL : settings.backup ? "give a larger --backup" : "give --backup 1";
}

static tri_status launch(const tri__launch_request *request, tri__run_result *out)
{
    const tri__train_options *options = request->run->options;
    tri__supervision supervision = {
        .run = request->run,
        .program = request->program,
        .words = request->words,
        .threads = options->threads > 0 ? (int)options->threads : 0,
        .job_hosts = request->job_hosts,
    };
    TRI_TRY(tri__ps_settings_resolve(options, &supervision.ps));
    TRI_TRY(tri__ps_settings_check_backup(&supervision.ps));
    TRI_TRY(tri__ps_settings_check_replicas(&supervision.ps));
    return tri__supervise(&supervision, out);
}

const tri__strategy tri__strategy_ps = {
    .name = "ps",
    .options = (const char *const[]){"servers", "async", "sync", "staleness", "backup", "combine", "split", "row-values", "gather",
                                     "replicas", "heartbeat", "log-updates", "timeout", "min-count", "table-memory", NULL},
    .check = check,
    .straggler_remedy = straggler_remedy,
    .meeting = TRI_MEET_CLUSTER,
    .launcher_options = (const char *const[]){"workers", "servers", "threads", "out", "json", TRI_HOST_OPTIONS, NULL},
    .launch = launch,
    .run_task = tri__task_run,
};
