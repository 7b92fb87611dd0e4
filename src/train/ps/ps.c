/* ps.c: the row of strategy ps. Each task of a job is a process. */
#include "train/ps/ps.h"

#include "train/ps/settings.h"
#include "train/ps/supervise.h"
#include "train/ps/task.h"

static tri_status check(const tri__train_options *options)
{
    tri__ps_settings settings;
    return tri__ps_settings_resolve(options, &settings);
}

static tri_status launch(const tri__launch_request *request, tri__run_result *out)
{
    const tri__train_options *options = request->run->options;
    tri__supervision supervision = {
        .run = request->run,
        .program = request->program,
        .words = request->words,
        .threads = options->threads > 0 ? (int)options->threads : 0,
        .placement = request->placement,
    };
    TRI_TRY(tri__ps_settings_resolve(options, &supervision.ps));
    TRI_TRY(tri__ps_settings_check_backup(&supervision.ps));
    TRI_TRY(tri__ps_settings_check_replicas(&supervision.ps));
    return tri__supervise(&supervision, out);
}

const tri__strategy tri__strategy_ps = {
    .name = "ps",
    .options = (const char *const[]){"servers", "async", "sync", "staleness", "backup", "combine", "split", "row-values", "gather",
                                     "replicas", "heartbeat", "log-updates", "timeout", NULL},
    .check = check,
    .meeting = TRI_MEET_CLUSTER,
    .launcher_options = (const char *const[]){"workers", "servers", "threads", "out", "json", TRI_PLACING_OPTIONS, NULL},
    .launch = launch,
    .run_task = tri__task_run,
};
