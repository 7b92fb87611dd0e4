/* supervise_start.c: prepares a supervised job, and starts its tasks.
 *
 * Servers listen on sockets that are made here and stay open, so that a restarted server has the same address. */
#define _GNU_SOURCE
#include "train/ps/supervise/supervise_start.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/stream/identity.h"
#include "store/ps/protocol/layout.h"
#include "train/folder/log_file.h"
#include "train/job/command_line.h"
#include "train/options/strategy.h"
#include "train/ps/settings/settings.h"
#include "train/ps/settings/tables.h"
#include "train/run/journal.h"
#include "train/run/run_setup.h"
#include "trireme/dataset.h"
#include "trireme/model.h"
#include "watch/sample/run_files.h"

#define RESTART_WINDOW (60 * TRI_SECOND)

enum { KEY_DAYS = 365, SERVER_RESTARTS = 5 /* within the window */, EVALUATOR_RESTARTS = 3, ENDED_SIZE = 4096 };

/* Fails where there are more servers than the model has parts for. */
static tri_status check_servers(const tri_graph *graph, int servers)
{
    tri__layout layout;
    const tri__table_shapes tables = tri__graph_table_shapes(graph);
    return tri__layout_init(&layout, tri_graph_parameter_floats(graph), &tables, servers);
}

/* Fails where a resumed run has no steps left. With --shard files nobody knows before all workers came. */
static tri_status check_length(tri__run *run, const tri__ps_settings *ps)
{
    const int64_t limit = run->settings.limit, all = tri_source_describe(run->inputs.source)->examples;
    return run->settings.own_files ? NULL : tri__run_settle_length(run, limit && limit < all ? limit : all, tri__ps_together(ps));
}

static tri_status check_examples(tri__run *run, const tri__ps_settings *ps, tri__log *log)
{
    TRI_TRY(tri__run_check_data(run));
    const char *note = tri_source_describe(run->inputs.source)->note;
    if (note)
        tri__log_line(log, TRI_LOG_WARNING, "%s", note);
    TRI_TRY(check_servers(run->inputs.graph, ps->servers));
    return check_length(run, ps);
}

/* The machine that starts a job by ssh need not have the data: the tasks open it on their hosts. */
static tri_status check_run(tri__run *run, const tri__supervision *request)
{
    TRI_TRY(tri__ps_settings_check_files(&run->settings));
    TRI_TRY(tri__ps_settings_check_tables(&run->options, run->inputs.model));
    if (!run->request->resume && run->request->out)
        TRI_TRY(tri__run_folder_check(run->request->out));
    tri_status status = check_examples(run, &request->ps, request->run->log);
    const bool elsewhere = request->job_hosts && request->job_hosts->remote && tri_status_code(status) == TRI_NOT_FOUND;
    if (!elsewhere)
        return status;
    tri__log_line(request->run->log, TRI_LOG_INFO, "the data is checked by the tasks, on their hosts; here it was not found: %s",
                  tri_status_message(status));
    tri_status_free(status);
    return NULL;
}

/* Mistakes that every task would report are reported once, before a folder is made or a task is started. */
static tri_status check_request(const tri__supervision *request, char **model_name)
{
    tri__run run;
    tri__run_request quiet = *request->run;
    quiet.log = NULL; /* the tasks say the same */
    tri_status status = tri__run_begin(&run, &quiet);
    if (!status)
        status = check_run(&run, request);
    if (!status && !(*model_name = strdup(tri_model_name(run.inputs.model))))
        status = tri_fail(TRI_NO_MEMORY, "no memory for the model's name");
    tri__run_fini(&run);
    return status;
}

static tri_status open_folder(tri__supervisor *supervisor)
{
    const tri__run_request *run = supervisor->run;
    char *model = NULL;
    if (run->resume) /* first: what the tasks of another job are writing there cannot be checked */
        TRI_TRY(tri__run_folder_open(run->resume, "supervisor", &supervisor->folder));
    tri_status status = check_request(supervisor->request, &model);
    if (!status && !run->resume)
        status = tri__run_folder_create(run->out, model, "supervisor", &supervisor->folder);
    free(model);
    TRI_TRY(status);
    supervisor->cluster_file = tri__path_join(supervisor->folder.path, TRI_RUN_CLUSTER);
    if (!supervisor->cluster_file)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of the cluster file");
    TRI_TRY(tri__log_file_create(supervisor->folder.log, run->log, &supervisor->log_file));
    supervisor->log = tri__log_file_sink(supervisor->log_file);
    tri__journal_create_marks(&supervisor->folder, supervisor->log, &supervisor->marks);
    TRI_TRY(tri__journal_sample_process(&supervisor->folder, supervisor->log, run->options, &supervisor->work, &supervisor->sampler));
    return tri__run_folder_note(&supervisor->folder, run->command);
}

/* On which host each task is. The sockets of servers add their ports later. */
static tri_status make_cluster(tri__supervisor *supervisor)
{
    static const char *const here[] = {"127.0.0.1"};
    const tri__job_hosts *job_hosts = supervisor->request->job_hosts;
    const tri__ps_settings *ps = &supervisor->request->ps;
    tri__cluster *cluster = &supervisor->cluster;
    TRI_TRY(job_hosts ? tri__cluster_copy(&job_hosts->cluster, cluster) : tri__cluster_spread(here, 1, ps->servers, ps->workers, cluster));
    for (int i = 0; i < ps->servers; i++)
        TRI_TRY(tri__job_hosts_listen(job_hosts, &cluster->server[i], &supervisor->tasks[i].listen_fd));
    return tri__cluster_write(supervisor->cluster_file, cluster);
}

/* A job on several machines needs an identity for its tasks. If the user gave one, it is among the words of every task. */
static tri_status make_key(tri__supervisor *supervisor)
{
    if (!supervisor->request->job_hosts || supervisor->request->job_hosts->secured)
        return NULL;
    char *path = tri__path_join(supervisor->folder.path, "cluster.key");
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    supervisor->key_file = path;
    unlink(path); /* it may be left from a job that was killed */
    return tri__identity_create(path, KEY_DAYS);
}

static tri_status open_task(tri__supervisor *supervisor, tri__task task)
{
    tri__task_process *process = &supervisor->tasks[supervisor->count++];
    char name[TRI_TASK_SIZE];
    process->supervisor = supervisor;
    process->task = task;
    process->listen_fd = -1;
    if (task.role == TRI_ROLE_SERVER)
        tri__restarts_init(&process->restarts, SERVER_RESTARTS, RESTART_WINDOW);
    else
        tri__restarts_init(&process->restarts, EVALUATOR_RESTARTS, 0);
    tri__task_name(task, name);
    return tri__process_init(&process->process, &supervisor->watcher, name);
}

static tri_status open_tasks(tri__supervisor *supervisor)
{
    const tri__ps_settings *ps = &supervisor->request->ps;
    const int of_role[] = {[TRI_ROLE_SERVER] = ps->servers, [TRI_ROLE_WORKER] = ps->workers, [TRI_ROLE_EVALUATOR] = 1};
    size_t most = (size_t)ps->servers + (size_t)ps->workers + 1;
    TRI_TRY(tri__allocate(most, sizeof *supervisor->tasks, "the tasks of a job", &supervisor->tasks));
    for (tri__role role = TRI_ROLE_SERVER; role <= TRI_ROLE_EVALUATOR; role++)
        for (int i = 0; i < of_role[role]; i++)
            TRI_TRY(open_task(supervisor, (tri__task){role, i}));
    return NULL;
}

/* Where processes share CPUs, SCHED_BATCH lets a process that computes finish its time slice instead of being interrupted by one that wakes
 * up: fewer switches, more work done. Children inherit it. A policy that the user chose is left alone. */
static void take_turns(void)
{
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}); /* where the kernel refuses, the policy stays as it was */
}

tri_status tri__supervisor_init(tri__supervisor *supervisor, const tri__supervision *request, const tri__watcher_options *handlers)
{
    const tri__run_request *run = request->run;
    *supervisor = (tri__supervisor){.request = request, .run = run, .watcher = {.life = {-1, -1}}};
    int cpus = omp_get_num_procs(), share = cpus / request->ps.workers;
    supervisor->worker_threads = request->threads     ? request->threads
                                 : request->job_hosts ? request->job_hosts->threads
                                 : share > 1          ? share
                                                      : 1;
    TRI_TRY(open_folder(supervisor));
    const tri__watcher_options options = {
        .log = supervisor->log,
        .stop = run->stop,
        .progress = handlers->progress,
        .progress_context = supervisor,
        .ended = handlers->ended,
        .asked = handlers->asked,
        .turned = handlers->turned,
        .context = supervisor,
    };
    TRI_TRY(tri__watcher_init(&supervisor->watcher, &options));
    TRI_TRY(open_tasks(supervisor));
    supervisor->shared = supervisor->count > cpus && !(request->job_hosts && request->job_hosts->remote);
    if (supervisor->shared)
        take_turns();
    TRI_TRY(make_key(supervisor));
    return make_cluster(supervisor);
}

/* The workers that have ended, as "1,3". They are not restarted, so the job must not wait for them. */
static void list_ended(const tri__supervisor *supervisor, char text[ENDED_SIZE])
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < supervisor->count && used + 8 < ENDED_SIZE; i++) {
        const tri__task_process *task = &supervisor->tasks[i];
        if (task->task.role == TRI_ROLE_WORKER && task->process.state == TRI_PROCESS_REAPED && !tri__process_ended_well(&task->process))
            used += (size_t)snprintf(text + used, ENDED_SIZE - used, "%s%d", used ? "," : "", task->task.index);
    }
}

/* 0: its host decides. */
static int threads_of(const tri__task_process *task)
{
    return task->task.role == TRI_ROLE_WORKER ? task->supervisor->worker_threads : 1;
}

/* First the options of this task, then those that the user gave. */
static void fill_command_line(const tri__task_process *task, bool recover, const char *ended, tri__command_line *line)
{
    const tri__supervisor *supervisor = task->supervisor;
    const char *const fixed[] = {
        supervisor->request->program, "train", "--task", task->process.name, "--cluster", supervisor->cluster_file, "--spawned",
        supervisor->folder.path,      NULL};
    const char *model = supervisor->run->options->model;
    tri__command_line_add_all(line, fixed);
    tri__command_line_add_number(line, "--parent-fd", tri__job_hosts_life_fd(supervisor->request->job_hosts));
    if (threads_of(task))
        tri__command_line_add_number(line, "--threads", threads_of(task));
    if (task->listen_fd >= 0)
        tri__command_line_add_number(line, "--listen-fd", TRI_LISTEN_FD);
    if (supervisor->key_file)
        tri__command_line_add(line, "--key"), tri__command_line_add(line, supervisor->key_file);
    if (recover)
        tri__command_line_add(line, "--recover");
    if (recover && *ended)
        tri__command_line_add(line, "--ended"), tri__command_line_add(line, ended);
    tri__command_line_add_all(line, supervisor->request->words);
    if (model)
        tri__command_line_add(line, "--"), tri__command_line_add(line, model);
}

/* Where processes share CPUs, a waiting thread must not spin: another process needs the CPU. */
tri_status tri__task_process_start(tri__task_process *task, bool recover)
{
    const tri__supervisor *supervisor = task->supervisor;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    char threads[48];
    snprintf(threads, sizeof threads, "OMP_NUM_THREADS=%d", threads_of(task));
    const char *const env[] = {threads_of(task) ? threads : NULL, supervisor->shared ? "GOMP_SPINCOUNT=0" : NULL, NULL};
    char ended[ENDED_SIZE];
    list_ended(supervisor, ended);
    fill_command_line(task, recover, ended, &line);
    tri_status status = tri__command_line_check(&line);
    if (!status) {
        const tri__process_options options = {
            .program = supervisor->request->program,
            .words = tri__command_line_words(&line),
            .env = env,
            .life = TRI_LIFE_FD_3,
            .listen_fd = task->listen_fd >= 0 ? &task->listen_fd : NULL,
        };
        const char *host = tri__cluster_host_of(&supervisor->cluster, task->task);
        status = tri_wrap(tri__job_hosts_start(supervisor->request->job_hosts, host, &task->process, &options), "%s cannot be started",
                          task->process.name);
    }
    tri__command_line_fini(&line);
    return status;
}

void tri__supervisor_fini(tri__supervisor *supervisor)
{
    for (int i = 0; i < supervisor->count; i++) {
        tri__process_fini(&supervisor->tasks[i].process);
        if (supervisor->tasks[i].listen_fd >= 0)
            close(supervisor->tasks[i].listen_fd);
    }
    tri__watcher_fini(&supervisor->watcher);
    tri__cluster_fini(&supervisor->cluster);
    tri__sampler_stop(supervisor->sampler);
    tri__marks_close(supervisor->marks);
    tri__log_file_destroy(supervisor->log_file);
    tri__run_folder_fini(&supervisor->folder);
    tri_status_free(supervisor->alone.why);
    if (supervisor->key_file)
        unlink(supervisor->key_file);
    free(supervisor->tasks);
    free(supervisor->cluster_file);
    free(supervisor->key_file);
}
