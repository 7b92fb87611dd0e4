/* summarise.c: what all summaries share, and the summary of a run and its peers. */
#include "train/run/summarise.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "graph/plan/plan.h"
#include "tensor/onednn/onednn.h"
#include "train/cluster/cluster.h"
#include "train/run/peers.h"
#include "train/run/run_setup.h"
#include "watch/host/control_group.h"
#include "watch/host/memory_rate.h"
#include "watch/report/verdict.h"
#include "watch/sample/run_files.h"

static void fill_in_classes(const tri__run *run, bool evaluated, tri__summary *summary)
{
    summary->two_classes = run->inputs.graph && tri__has_two_classes(run->inputs.graph);
    summary->test_logloss = evaluated ? run->evaluating.last.logloss : NAN;
    summary->test_auc = evaluated ? run->evaluating.last.auc : NAN;
    summary->test_calibration = evaluated ? run->evaluating.last.calibration : NAN;
    const tri_label_kind labels = run->inputs.graph ? tri_graph_labels(run->inputs.graph) : TRI_LABEL_CLASS;
    summary->numbers = labels == TRI_LABEL_NUMBERS;
    summary->test_mse = evaluated ? run->evaluating.last.mse : NAN;
    summary->test_mae = evaluated ? run->evaluating.last.mae : NAN;
    summary->test_r2 = evaluated ? run->evaluating.last.r2 : NAN;
    summary->sets = labels == TRI_LABEL_SET;
    summary->test_f1 = evaluated ? run->evaluating.last.f1 : NAN;
    summary->stream = run->progressive != NULL;
    summary->progressive_accuracy = summary->progressive_auc = summary->progressive_calibration = summary->progressive_logloss = NAN;
    if (run->progressive) {
        const tri__score_sums all = tri__progressive_all(run->progressive);
        summary->progressive_accuracy = tri__score_accuracy(&all);
        summary->progressive_auc = tri__progressive_auc(run->progressive);
        summary->progressive_calibration = tri__score_calibration(&all);
        summary->progressive_logloss = tri__score_logloss(&all);
    }
    if (run->state.loss_count > 0 && tri__run_learns_log_loss(run))
        summary->progressive_logloss = run->state.loss_sum / (double)run->state.loss_count; /* also of what came before a resumption */
}

tri__tables_size tri__tables_count(tri_store *store)
{
    tri__tables_size size = {0};
    tri_growth growth;
    const bool grows = tri_store_grows(store, &growth);
    for (int i = 0; i < tri_store_tables(store); i++) {
        const tri_table *table = tri_store_table(store, i);
        size.rows += grows ? growth.rows : table->rows;
        size.bytes += table->rows * table->stride * (int64_t)sizeof(float);
    }
    return size;
}

static void fill_in_tables(const tri__run *run, tri__summary *summary)
{
    tri_store *store = run->trainer.store;
    if (!store)
        return;
    tri_growth growth = {0};
    const tri__tables_size size = tri__tables_count(store);
    summary->table_rows = size.rows;
    summary->table_bytes = size.bytes;
    summary->tables_grow = tri_store_grows(store, &growth);
    summary->left_rare = growth.left_rare;
    summary->left_full = growth.left_full;
}

/* The rule keeps it in 32 bits; people wrote 0.9, not 0.899999976. */
static double as_written(float number)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", (double)number);
    return strtod(text, NULL);
}

static void fill_in(const tri__run *run, tri__summary *summary)
{
    bool evaluated = run->evaluating.at == summary->steps;
    summary->model = tri_model_name(run->inputs.model);
    summary->data = run->options.data;
    summary->strategy = run->strategy->name;
    summary->batch = run->settings.batch;
    summary->rule = run->settings.rule.name;
    summary->rate = run->settings.schedule.rate;
    summary->average = as_written(run->settings.rule.average);
    summary->seed = run->settings.seed;
    summary->total_seconds = tri__run_total_seconds(run);
    summary->test_loss = evaluated ? run->evaluating.last.loss : NAN;
    summary->test_accuracy = evaluated ? run->evaluating.last.accuracy : NAN;
    fill_in_classes(run, evaluated, summary);
    fill_in_tables(run, summary);
    summary->test_damaged = evaluated ? run->evaluating.last.damaged : 0;
    summary->stopped_by = tri__run_ending_name(run->ending != TRI_RUN_GOING ? run->ending : tri__run_ending_by_length(&run->settings));
    summary->until_step = run->until_step;
    summary->checkpoint = run->saving.path;
}

/* The busiest link of all hosts. */
static void fill_in_link(const tri__consumption *consumption, tri__evidence *evidence)
{
    for (int i = 0; consumption && i < consumption->hosts; i++) {
        const tri__consumer *host = &consumption->host[i];
        if (!(host->link.most > 0) || (evidence->link.host && host->link.fill <= evidence->link.fill))
            continue;
        evidence->link.host = host->name;
        evidence->link.most = host->link.most;
        evidence->link.fill = host->link.fill;
        evidence->link.sends = host->link.sends;
        evidence->link.other = host->link.other;
    }
}

/* Seconds of a step that a worker did not spend waiting for others. */
static double own_work(const tri__worker_summary *worker)
{
    const double waits = worker->phases[TRI_PHASE_PEERS] + worker->phases[TRI_PHASE_SERVER] + worker->phases[TRI_PHASE_SEND];
    return worker->steps > 0 ? worker->seconds * (1 - waits) / (double)worker->steps : 0;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The worker that works longest for a step, and the median of the others. */
static void fill_in_slowest(const tri__summary *summary, tri__evidence *evidence)
{
    const int count = summary->workers;
    double *work = count > 1 && summary->worker_stats ? malloc((size_t)count * sizeof *work) : NULL;
    int slowest = 0;
    if (!work)
        return;
    for (int i = 0; i < count; i++) {
        work[i] = own_work(&summary->worker_stats[i]);
        slowest = work[i] > work[slowest] ? i : slowest;
    }
    const double longest = work[slowest];
    work[slowest] = work[count - 1];
    qsort(work, (size_t)count - 1, sizeof *work, by_size);
    const double median = work[(count - 1) / 2];
    evidence->slowest.task = median > 0 ? summary->worker_stats[slowest].task : NULL;
    evidence->slowest.times = median > 0 ? longest / median : 0;
    free(work);
}

/* A host whose processes were denied CPU time has no CPU time left, even if its CPUs were not always in use. NULL: it is
 * not known. */
static double busy_share(const tri__consumer *host)
{
    return host ? (host->cpu_percent + host->stolen_percent) / 100 : 0;
}

static const tri__consumer *host_of(const tri__consumption *consumption, const tri__consumer *task)
{
    for (int i = 0; i < consumption->hosts; i++)
        if (!strcmp(consumption->host[i].name, task->host))
            return &consumption->host[i];
    return NULL;
}

static void fill_in_server(const tri__consumption *consumption, tri__evidence *evidence)
{
    for (int i = 0; consumption && i < consumption->tasks; i++) {
        const tri__consumer *task = &consumption->task[i];
        if (!tri__task_name_has_role(task->name, TRI_ROLE_SERVER) ||
            (evidence->server.task && task->cpu_percent <= evidence->server.cpu_percent))
            continue;
        evidence->server.task = task->name;
        evidence->server.cpu_percent = task->cpu_percent;
        evidence->server.host_busy = busy_share(host_of(consumption, task));
    }
}

/* How many CPUs this process may use. */
static double cpus_here(void)
{
    tri__control_group group;
    const double all = omp_get_num_procs();
    return tri__control_group_find(&group) ? fmin(all, tri__control_group_cpus(&group)) : all;
}

/* A supervisor or a launcher has no role. */
static bool has_role(const tri__consumer *task)
{
    return strchr(task->name, ':');
}

/* The one host on which all tasks are, wherever their supervisor or launcher is; NULL: they are on several. */
static const tri__consumer *host_of_all(const tri__consumption *consumption)
{
    const tri__consumer *host = NULL;
    for (int i = 0; i < consumption->tasks; i++) {
        const tri__consumer *task = &consumption->task[i];
        if (!has_role(task))
            continue;
        const tri__consumer *own = host_of(consumption, task);
        if (!own || (host && host != own))
            return NULL;
        host = own;
    }
    return host;
}

static void fill_in_disk(const tri__consumption *consumption, const tri__consumer *host, tri__evidence *evidence)
{
    evidence->disk.read = host->disk_read / host->seconds;
    evidence->disk.best = host->best_read;
    for (int i = 0; i < consumption->tasks; i++)
        if (!strcmp(consumption->task[i].host, host->name))
            evidence->disk.own += consumption->task[i].disk_read / consumption->task[i].seconds;
}

/* Does nothing unless all workers were sampled, and are on one host. */
static void fill_in_host(const tri__run *run, const tri__consumption *consumption, int workers, int threads, tri__evidence *evidence)
{
    const tri__consumer *host = consumption ? host_of_all(consumption) : NULL;
    if (!host)
        return;
    int sampled = 0;
    double own = 0;
    for (int i = 0; i < consumption->tasks; i++) {
        sampled += tri__task_name_has_role(consumption->task[i].name, TRI_ROLE_WORKER);
        own += strcmp(consumption->task[i].host, host->name) ? 0 : consumption->task[i].cpu_percent / 100;
    }
    if (sampled * (run->peers ? run->peers->here : 1) < workers)
        return;
    evidence->host.cpus = cpus_here();
    evidence->host.threads = threads;
    evidence->host.busy = busy_share(host);
    evidence->host.own = own / evidence->host.cpus;
    fill_in_disk(consumption, host, evidence);
}

/* Measuring what CPUs and memory can do takes about a two-hundredth of the run at most, and only where they can be had and it matters. */
#define MEASURING 0.05 /* seconds */

static void fill_in_capacity(const tri__effort *effort, tri__evidence *evidence)
{
    const bool measures = effort->alone && effort->seconds >= 200 * MEASURING;
    const bool computes = evidence->share[TRI_PHASE_COMPUTE] >= 0.5, updates = evidence->share[TRI_PHASE_UPDATE] >= 0.5;
    evidence->flops.reached = effort->flops;
    if (measures && effort->flops > 0 && computes)
        evidence->flops.sgemm = tri__onednn_sgemm_rate(effort->threads, MEASURING);
    evidence->memory.compute = effort->memory.compute;
    evidence->memory.update = effort->memory.update;
    if (measures && ((computes && effort->memory.compute > 0) || (updates && effort->memory.update > 0)))
        evidence->memory.copy = tri__memory_rate(computes ? effort->memory.plan : effort->memory.rule, effort->threads, MEASURING / 5);
}

static const char *find_verdict(const tri__run *run, const tri__summary *summary, const tri__effort *effort, char *buffer, size_t size)
{
    tri__evidence evidence = {
        .seconds = effort->seconds,
        .steps = summary->steps - run->since.step,
        .threads = effort->threads,
        .cpu_percent = effort->cpu_percent,
        .decoding = effort->seconds > 0 ? effort->decoding / effort->seconds : 0,
        .stream = run->inputs.source && tri__run_reads_stream(run),
        .tokens = effort->tokens,
        .remedy = run->strategy->straggler_remedy ? run->strategy->straggler_remedy(&run->options) : NULL,
        .late = {effort->late.task, effort->late.share, effort->late.of_all},
    };
    memcpy(evidence.share, summary->phases, sizeof evidence.share);
    fill_in_link(summary->consumption, &evidence);
    fill_in_slowest(summary, &evidence);
    fill_in_server(summary->consumption, &evidence);
    fill_in_host(run, summary->consumption, summary->workers, effort->all_threads, &evidence);
    fill_in_capacity(effort, &evidence);
    return tri__verdict(&evidence, buffer, size);
}

/* What tasks and hosts used since this process began; nothing where the run is not sampled, or its samples cannot be read. */
static void read_consumption(const tri__run *run, tri__consumption *out)
{
    *out = (tri__consumption){0};
    if (!run->journal.sampler)
        return;
    tri__sampler_take(run->journal.sampler);
    char *samples = tri__path_join(run->journal.folder.path, TRI_RUN_SAMPLES);
    tri_status status = samples ? tri__consumption_read(samples, run->journal.sampled_from, out) : NULL;
    if (status)
        tri__log_line(run->journal.log, TRI_LOG_WARNING, "the summary leaves tasks and hosts out: %s", tri_status_message(status));
    tri_status_free(status);
    free(samples);
}

/* Warn where a run with a goal has made its last step without reaching it. Signals and failures have their own messages. */
static void warn_of_missed_goal(const tri__run *run, const tri__summary *summary)
{
    const tri__run_ending ending = run->ending != TRI_RUN_GOING ? run->ending : tri__run_ending_by_length(&run->settings);
    if (!run->settings.target.measure || ending == TRI_RUN_SIGNAL || ending >= TRI_RUN_UNTIL)
        return;
    tri__log_line(
        run->journal.log, TRI_LOG_WARNING,
        "--until '%s' was not reached: stopped by %s after %" PRId64 " step%s (trireme train --resume %s goes on, with a larger limit)",
        run->options.until, tri__run_ending_name(ending), summary->steps, summary->steps == 1 ? "" : "s", run->journal.folder.path);
}

tri_status tri__run_conclude(const tri__run *run, tri__summary *summary, const tri__effort *effort, tri__run_result *out)
{
    char verdict[TRI_VERDICT_SIZE];
    json_t *options = tri__train_options_json(&run->options);
    fill_in(run, summary);
    warn_of_missed_goal(run, summary);
    tri__consumption consumption;
    read_consumption(run, &consumption);
    summary->consumption = run->journal.sampler ? &consumption : NULL;
    summary->verdict = find_verdict(run, summary, effort, verdict, sizeof verdict);
    summary->options = options;
    tri__summary_table(summary, out->table, sizeof out->table);
    tri_status status = tri__summary_json(summary, &out->summary);
    summary->verdict = NULL;
    summary->consumption = NULL;
    summary->options = NULL;
    json_decref(options);
    tri__consumption_fini(&consumption);
    TRI_TRY(status);
    out->folder = strdup(run->journal.folder.path);
    return out->folder ? tri__json_write(run->journal.folder.summary, out->summary) : tri_fail(TRI_NO_MEMORY, "no memory for the summary");
}

/* ---- a run that counted for itself ---- */

typedef struct {
    int count;
    tri__worker_summary *worker; /* [count] */
    char (*name)[TRI_TASK_SIZE];
    tri__phases sum;
    int64_t sent, received; /* bytes of all workers */
    double cpu_percent;     /* of this process */
} worker_stats;

/* The run's own worker. As for the others, this is what it did since the run was resumed. */
static void fill_worker(const tri__run *run, tri__worker_summary *worker)
{
    tri__usage usage = tri__usage_now();
    worker->steps = run->state.step - run->since.step;
    worker->examples = run->trainer.examples;
    worker->seconds = tri__clock_seconds(tri__phases_total(&run->trainer.phases));
    worker->began = tri__clock_wall_of(run->since.usage.wall);
    worker->ended = tri__clock_wall_of(run->trainer.ended);
    worker->cpu_percent = tri__usage_cpu_percent(&run->since.usage, &usage);
    worker->peak_rss_mb = tri__peak_rss_mb();
    tri__phases_shares(&run->trainer.phases, worker->phases);
}

/* While the run paused to evaluate, the other workers only waited; that time is not counted. */
static void leave_pauses_out(const tri__run *run, tri__phases *phases)
{
    int64_t excess = tri__phases_total(phases) - tri__phases_total(&run->trainer.phases), *peers = &phases->spent[TRI_PHASE_PEERS];
    if (excess > 0)
        *peers -= excess < *peers ? excess : *peers;
}

static void fill_other(const tri__run *run, int index, worker_stats *all)
{
    tri__worker_summary *worker = &all->worker[index];
    tri__phases phases = {0};
    assert(run->peers); /* a run without peers has no other workers */
    run->peers->kind->stats(run->peers, index, worker, &phases);
    leave_pauses_out(run, &phases);
    worker->seconds = tri__clock_seconds(tri__phases_total(&phases));
    tri__phases_shares(&phases, worker->phases);
    tri__phases_add(&all->sum, &phases);
}

/* Only the peers know what a worker has sent. */
static void fill_traffic(const tri__run *run, int index, tri__worker_summary *worker)
{
    tri__worker_summary stats = {0};
    tri__phases phases = {0};
    if (!run->peers)
        return;
    run->peers->kind->stats(run->peers, index, &stats, &phases);
    worker->bytes_sent = stats.bytes_sent;
    worker->bytes_received = stats.bytes_received;
}

/* Fill in all workers, and add up their phases. */
static void fill_workers(const tri__run *run, worker_stats *all)
{
    int own = run->peers ? run->peers->worker : 0;
    double accuracy = run->evaluating.at == run->state.step ? run->evaluating.last.accuracy : NAN;
    all->sum = run->trainer.phases;
    for (int i = 0; i < all->count; i++) {
        tri__task_name((tri__task){TRI_ROLE_WORKER, i}, all->name[i]);
        all->worker[i] = (tri__worker_summary){
            .task = all->name[i], .test_accuracy = accuracy, .peak_rss_mb = NAN, .cpu_percent = NAN, .began = NAN, .ended = NAN};
        if (i == own)
            fill_worker(run, &all->worker[i]);
        else
            fill_other(run, i, all);
        fill_traffic(run, i, &all->worker[i]);
        all->sent += all->worker[i].bytes_sent;
        all->received += all->worker[i].bytes_received;
    }
    all->cpu_percent = all->worker[own].cpu_percent;
    bool together = run->peers && run->peers->here > 1;
    for (int i = 0; i < all->count && together; i++)
        if (i != own)
            all->worker[own].cpu_percent -= all->worker[i].cpu_percent; /* the process's CPU time without that of the other replicas */
    if (all->worker[own].cpu_percent < 0)
        all->worker[own].cpu_percent = 0; /* the clock of a process is coarser than that of a thread */
}

/* How often plans ran in a second of compute. Replicas in this process compute at the same time, each as much as the run's own worker. 0
 * where it is not compared with what the machine can do: tasks that have parts of one model, models of one layer or with tables. */
static double plans_a_second(const tri__run *run)
{
    const tri__trainer *trainer = &run->trainer;
    const double seconds = tri__clock_seconds(trainer->phases.spent[TRI_PHASE_COMPUTE]);
    if (!trainer->plan || seconds <= 0 || (run->peers && run->peers->one_model) || !tri__run_is_deep(run))
        return 0;
    const double rows = (double)run->settings.batch / (double)run->settings.accumulate; /* of a plan */
    return (double)trainer->examples / rows / seconds * (run->peers ? run->peers->here : 1);
}

/* Add what products reach, and what kernels and the rule move: it reads gradients, and reads and writes parameters and its state. */
static void add_rates(const tri__run *run, tri__effort *effort)
{
    const tri__trainer *trainer = &run->trainer;
    const double plans = plans_a_second(run), updating = tri__clock_seconds(trainer->phases.spent[TRI_PHASE_UPDATE]);
    if (!(plans > 0))
        return;
    const size_t bytes = tri_store_floats(trainer->store) * sizeof(float), slots = (size_t)tri_rule_slots(tri_store_rule(trainer->store));
    effort->flops = plans * tri_plan_flops(trainer->plan);
    effort->memory.compute = plans * tri__plan_traffic(trainer->plan);
    effort->memory.plan = tri_plan_bytes(trainer->plan) + 2 * bytes;
    effort->memory.rule = (2 + slots) * bytes;
    if (updating > 0 && !run->peers)
        effort->memory.update = (double)((3 + 2 * slots) * bytes) * (double)(run->state.step - run->since.step) / updating;
}

static tri_status summarise(const tri__run *run, const worker_stats *all, tri__run_result *out)
{
    double seconds = tri__run_seconds(run);
    const int64_t each = run->settings.own_files ? all->count : 1; /* about: files of workers may differ in length */
    tri__summary summary = {
        .workers = all->count,
        .threads = run->settings.threads,
        .steps = run->state.step,
        .examples = run->state.examples,
        .since_step = run->since.step,
        .examples_before = run->since.examples,
        .epochs =
            tri__run_reads_stream(run) ? NAN : (double)run->state.examples / (double)(tri_dataset_examples(run->trainer.dataset) * each),
        .seconds = seconds,
        .examples_per_second = seconds > 0 ? (double)run->state.examples / seconds : NAN,
        .train_loss = tri__recent_mean(&run->state.recent),
        .damaged = tri_dataset_damaged(run->trainer.dataset) + (run->peers ? run->peers->damaged : 0),
        .peak_rss_mb = tri__peak_rss_mb(),
        .bytes_sent = all->sent,
        .bytes_received = all->received,
        .worker_stats = all->worker,
    };
    tri__phases_shares(&all->sum, summary.phases);
    tri__effort effort = {
        .seconds = tri__clock_seconds(tri__phases_total(&run->trainer.phases)),
        .threads = run->settings.threads * (run->peers ? run->peers->here : 1),
        .all_threads = run->settings.threads * all->count,
        .cpu_percent = all->cpu_percent,
        .decoding = tri__dataset_decoding(run->trainer.dataset),
        .alone = !run->peers || run->peers->here == run->peers->workers,
    };
    add_rates(run, &effort);
    return tri__run_conclude(run, &summary, &effort, out);
}

tri_status tri__run_summarise(tri__run *run, tri__run_result *out)
{
    tri__run_flush_events(run);
    worker_stats all = {.count = run->peers ? run->peers->workers : 1};
    tri_status status = tri__allocate((size_t)all.count, sizeof *all.worker, "the summary", &all.worker);
    if (!status)
        status = tri__allocate((size_t)all.count, sizeof *all.name, "the summary", &all.name);
    if (!status) {
        fill_workers(run, &all);
        status = summarise(run, &all, out);
    }
    free(all.worker);
    free(all.name);
    return status;
}
