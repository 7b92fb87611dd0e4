/* supervise_start.c: what a supervised job needs before its first task runs, and how a task is started.
 *
 * Servers listen on sockets that are made here and stay open, so that one that died is followed by one at the same address. Children get
 * the reading end of a pipe that nobody writes to: its end is the supervisor's, however that came about. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "store/ps/protocol/layout.h"
#include "train/ps/supervise_inside.h"
#include "trireme/dataset.h"
#include "trireme/model.h"

enum {
    PARENT_FD = 3,
    LISTEN_FD = 4,
    MOST_WORDS = 16, /* of the supervisor's own on a task's command line */
};

/* There may be more servers than the model has parts for. */
static tri_status check_servers(const tri_model *model, const tri_source_info *source, const tri__train_settings *settings)
{
    const tri_model_input input = {.type = source->type, .shape = source->shape, .classes = source->classes};
    tri_graph *graph = NULL;
    tri__layout layout;
    TRI_TRY(tri_model_build(model, &input, settings->batch, &graph));
    tri_status status = tri__layout_init(&layout, tri_graph_parameter_floats(graph), settings->ps.servers);
    tri_graph_destroy(graph);
    return status;
}

/* Mistakes that every task would make are better told once, before there is a folder. */
static tri_status check_request(const tri__run_request *run, char **model_name)
{
    tri_model *model = NULL;
    tri_source *source = NULL;
    tri__train_settings settings;
    tri_status status = tri_model_open(run->options->model, &model);
    if (!status)
        status = tri__train_settings_resolve(run->options, tri_model_default(model), &settings);
    if (!status && run->out)
        status = tri__run_folder_check(run->out);
    if (!status) {
        const tri_source_options options = {.seed = settings.seed, .cache_folder = run->cache_folder, .features = settings.features};
        status = tri_source_open(run->options->data, TRI_PART_TRAIN, &options, &source);
    }
    if (!status)
        status = check_servers(model, tri_source_describe(source), &settings);
    if (!status && !(*model_name = strdup(tri_model_name(model))))
        status = tri_fail(TRI_NO_MEMORY, "no memory for the model's name");
    tri_source_destroy(source);
    tri_model_destroy(model);
    return status;
}

static tri_status open_folder(tri__supervisor *boss)
{
    const tri__run_request *run = boss->run;
    if (run->resume)
        TRI_TRY(tri__run_folder_open(run->resume, "supervisor", &boss->folder));
    else {
        char *model = NULL;
        tri_status status = check_request(run, &model);
        if (!status)
            status = tri__run_folder_create(run->out, model, "supervisor", &boss->folder);
        free(model);
        TRI_TRY(status);
    }
    boss->cluster_file = tri__path_join(boss->folder.path, "cluster.yaml");
    if (!boss->cluster_file)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of the cluster file");
    TRI_TRY(tri__log_file_create(boss->folder.log, run->log, &boss->log_file));
    boss->log = tri__log_file_sink(boss->log_file);
    return tri__run_folder_note(&boss->folder, run->command);
}

static tri_status make_sockets(tri__supervisor *boss)
{
    const tri__ps_settings *ps = &boss->request->ps;
    tri__cluster *cluster = &boss->cluster;
    TRI_TRY(tri__allocate((size_t)ps->servers, sizeof *cluster->server, "the addresses of servers", &cluster->server));
    cluster->workers = ps->workers;
    cluster->evaluator = true;
    for (int i = 0; i < ps->servers; i++) {
        TRI_TRY(tri__address_parse("127.0.0.1:0", &cluster->server[i]));
        cluster->servers++;
        TRI_TRY(tri__address_listen(&cluster->server[i], &boss->hands[i].listen_fd, &cluster->server[i].port));
    }
    return tri__cluster_write(boss->cluster_file, cluster);
}

static tri_status open_hands(tri__supervisor *boss)
{
    const tri__ps_settings *ps = &boss->request->ps;
    const int of_role[] = {[TRI_ROLE_SERVER] = ps->servers, [TRI_ROLE_WORKER] = ps->workers, [TRI_ROLE_EVALUATOR] = 1};
    size_t most = (size_t)ps->servers + (size_t)ps->workers + 1;
    TRI_TRY(tri__allocate(most, sizeof *boss->hands, "the tasks of a job", &boss->hands));
    for (tri__role role = TRI_ROLE_SERVER; role <= TRI_ROLE_EVALUATOR; role++)
        for (int i = 0; i < of_role[role]; i++) {
            tri__hand *of = &boss->hands[boss->count++];
            *of = (tri__hand){.boss = boss, .task = {role, i}, .listen_fd = -1};
            tri__task_name(of->task, of->name);
        }
    return NULL;
}

/* Where processes share CPUs, who is woken waits for its turn instead of interrupting who computes: all get further, with fewer switches.
 * Children inherit it. Where a user chose another policy, that stands. */
static void take_turns(void)
{
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}); /* where it is refused, all go on as before */
}

tri_status tri__supervisor_init(tri__supervisor *boss, const tri__supervision *request)
{
    *boss = (tri__supervisor){.request = request, .run = request->run, .life = {-1, -1}};
    int cpus = omp_get_num_procs(), share = cpus / request->ps.workers;
    boss->worker_threads = request->threads ? request->threads : share > 1 ? share : 1;
    TRI_TRY(open_folder(boss));
    TRI_TRY(open_hands(boss));
    boss->shared = boss->count > cpus;
    if (boss->shared)
        take_turns();
    TRI_TRY(make_sockets(boss));
    if (pipe2(boss->life, O_CLOEXEC))
        return tri_fail(TRI_IO, "no pipe to the tasks: %s", strerror(errno));
    return tri__loop_create(&boss->loop);
}

typedef struct {
    const char *list[MOST_WORDS];
    int count;
    char threads[16], listen[16], parent[16], omp[32];
} own_words;

static void add(own_words *words, const char *word)
{
    words->list[words->count++] = word;
}

/* What makes a command line this task's. */
static void say_who(const tri__hand *of, bool recover, own_words *words)
{
    const tri__supervisor *boss = of->boss;
    snprintf(words->threads, sizeof words->threads, "%d", of->task.role == TRI_ROLE_WORKER ? boss->worker_threads : 1);
    snprintf(words->listen, sizeof words->listen, "%d", LISTEN_FD);
    snprintf(words->parent, sizeof words->parent, "%d", PARENT_FD);
    const char *const fixed[] = {
        boss->request->program, "train",       "--task",      of->name,    "--cluster",   boss->cluster_file, "--spawned",
        boss->folder.path,      "--parent-fd", words->parent, "--threads", words->threads};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(words, fixed[i]);
    if (of->listen_fd >= 0)
        add(words, "--listen-fd"), add(words, words->listen);
    if (recover)
        add(words, "--recover");
}

/* Where processes share CPUs, a thread that waits must not burn another's time. */
tri_status tri__hand_start(tri__hand *of, const tri__hand_handlers *handlers, bool recover)
{
    tri__supervisor *boss = of->boss;
    own_words own = {.count = 0};
    const char *const *given = boss->request->words, *model = boss->run->options->model;
    size_t count = 0;
    say_who(of, recover, &own);
    while (given[count])
        count++;
    const char **argv = NULL;
    TRI_TRY(tri__allocate((size_t)own.count + count + 3, sizeof *argv, "a command line", &argv));
    memcpy(argv, own.list, (size_t)own.count * sizeof *argv);
    memcpy(argv + own.count, given, count * sizeof *argv);
    if (model) {
        argv[(size_t)own.count + count] = "--";
        argv[(size_t)own.count + count + 1] = model;
    }
    snprintf(own.omp, sizeof own.omp, "OMP_NUM_THREADS=%s", own.threads);
    const char *const env[] = {own.omp, boss->shared ? "GOMP_SPINCOUNT=0" : NULL, NULL};
    const int fds[] = {boss->life[0], of->listen_fd};
    const tri__child_options options = {
        .path = boss->request->program,
        .argv = argv,
        .env = env,
        .fds = fds,
        .fd_count = of->listen_fd >= 0 ? 2 : 1,
        .line = handlers->line,
        .ended = handlers->ended,
        .context = of,
    };
    tri_status status = tri_wrap(tri__child_start(boss->loop, &options, &of->child), "%s cannot be started", of->name);
    free(argv);
    return status;
}

void tri__supervisor_fini(tri__supervisor *boss)
{
    for (int i = 0; i < boss->count; i++) {
        tri__hand *of = &boss->hands[i];
        tri__child_destroy(of->child);
        free(of->complaint);
        if (of->listen_fd >= 0)
            close(of->listen_fd);
    }
    tri__loop_destroy(boss->loop);
    for (int i = 0; i < 2; i++)
        if (boss->life[i] >= 0)
            close(boss->life[i]);
    tri__cluster_fini(&boss->cluster);
    tri__log_file_destroy(boss->log_file);
    tri__run_folder_fini(&boss->folder);
    json_decref(boss->result);
    tri_status_free(boss->failure);
    free(boss->hands);
    free(boss->cluster_file);
}
