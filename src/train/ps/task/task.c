/* task.c: one task of a job with parameter servers: what all tasks have in common, then the part of each role. */
#include "train/ps/task/task.h"

#include <stdio.h>

#include "base/file/folder.h"
#include "base/text/task.h"
#include "train/ps/settings/settings.h"
#include "train/ps/task/evaluator_task.h"
#include "train/ps/task/join.h"
#include "train/ps/task/server_task.h"
#include "train/ps/task/worker_task.h"
#include "train/run/run_setup.h"

/* ps:0 makes the folder if no supervisor did. The other tasks write files only if there is a supervisor; without one, workers send their
 * samples to ps:0 with their reports. */
static tri_status open_folder(tri__run *run, const tri__task_setup *setup)
{
    const tri__run_request *request = run->request;
    char name[TRI_TASK_SIZE];
    tri__task_file_name(setup->task, name);
    bool owner = setup->task.role == TRI_ROLE_SERVER && setup->task.index == 0;
    if (setup->folder)
        TRI_TRY(tri__run_folder_enter(setup->folder, name, &run->journal.folder));
    else if (!owner) {
        if (setup->task.role == TRI_ROLE_WORKER)
            tri__journal_open_samples(&run->journal, run->settings.sample_every, request->command);
        return NULL;
    } else if (request->resume)
        TRI_TRY(tri__run_folder_open(request->resume, name, &run->journal.folder));
    else
        TRI_TRY(tri__run_folder_create(request->out, tri_model_name(run->inputs.model), name, &run->journal.folder));
    TRI_TRY(tri__journal_open_log(&run->journal, request->log));
    if (owner) {
        tri__folder_sweep(run->journal.folder.checkpoints);
        if (!setup->spawned)
            TRI_TRY(tri__run_folder_note(&run->journal.folder, request->command));
    }
    tri__journal_open_samples(&run->journal, run->settings.sample_every, request->command);
    if (owner)
        tri__journal_open_marks(&run->journal, TRI_FIRST_SERVER);
    if (run->settings.trace)
        tri__journal_open_trace(&run->journal, tri__task_name(setup->task, name), !setup->folder);
    bool curves = owner || setup->task.role == TRI_ROLE_WORKER;
    return curves && run->settings.events ? tri__events_create(run->journal.folder.events, &run->journal.events) : NULL;
}

/* A worker that joins asks ps:0 for its number; then it is a worker like the others. */
static tri_status join_and_work(tri__run *run, const tri__task_setup *setup, tri__ps_settings *ps)
{
    tri__task_setup joined;
    tri__cluster cluster;
    TRI_TRY(tri__join(setup, ps->timeout, &cluster, &joined, ps));
    tri__log_line(run->journal.log, TRI_LOG_INFO, "this is worker:%d of the job at %s:%u", joined.task.index,
                  setup->cluster->server[0].host, setup->cluster->server[0].port);
    tri_status status = tri__ps_settings_compare(&run->options, ps);
    if (!status)
        status = tri__worker_task_run(run, &joined, ps);
    tri__cluster_fini(&cluster);
    return status;
}

/* A server or an evaluator that ps:0 tells why the job failed has failed, too. A supervisor hears the reason from ps:0 itself, and would
 * take another failure for the cause. */
static tri_status unless_told_by_leader(const tri__task_setup *setup, tri_status status)
{
    const bool leader = setup->task.role == TRI_ROLE_SERVER && setup->task.index == 0;
    if (!setup->spawned || leader || tri_status_code(status) != TRI_STOPPED)
        return status;
    tri_status_free(status);
    return NULL;
}

static tri_status run_task(tri__run *run, const tri__task_setup *setup, tri__run_result *out)
{
    tri__ps_settings ps;
    TRI_TRY(tri__ps_settings_resolve(&run->options, &ps));
    ps.workers = setup->cluster->workers;
    ps.servers = setup->cluster->servers;
    run->options.threads = TRI_UNSET; /* a checkpoint must not keep how many threads this task has */
    TRI_TRY(open_folder(run, setup));
    switch (setup->task.role) {
    case TRI_ROLE_SERVER:
        TRI_TRY(tri__ps_settings_check_replicas(&ps));
        return unless_told_by_leader(setup, tri__server_task_run(run, setup, &ps, out));
    case TRI_ROLE_WORKER:
        return setup->task.index < 0 ? join_and_work(run, setup, &ps) : tri__worker_task_run(run, setup, &ps);
    case TRI_ROLE_EVALUATOR:
        return unless_told_by_leader(setup, tri__evaluator_task_run(run, setup, &ps));
    }
    return tri_fail(TRI_INTERNAL, "a task without a role");
}

tri_status tri__task_run(const tri__run_request *request, const tri__task_setup *setup, tri__run_result *out)
{
    *out = (tri__run_result){0};
    tri__run run;
    tri_status status = tri__run_begin(&run, request);
    run.data_told = setup->spawned;
    if (!status)
        status = run_task(&run, setup, out);
    if (status && run.journal.log_file)
        tri__log_file_note(run.journal.log_file, TRI_LOG_ERROR, tri_status_message(status));
    tri__run_fini(&run);
    return status;
}
