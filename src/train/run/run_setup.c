/* run_setup.c: opens everything that a run needs. Checks that are cheap come first. The run folder is made last: a run that cannot begin
 * leaves no folder behind. */
#include "train/run/run_setup.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/task.h"
#include "data/batch/dataset.h"
#include "graph/nodes/graph.h"
#include "graph/nodes/initialise.h"
#include "graph/store/store.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/checkpoint/initial_weights.h"
#include "train/cluster/cluster.h"
#include "train/run/local.h"
#include "train/run/peers.h"

/* Where tasks compute parts of one model, a task needs the parameters of its own part. The task that leads needs all, because it saves the
 * model. */
static tri_status fill_store(tri__run *run)
{
    float *parameters = tri_store_parameters(run->trainer.store);
    if (run->exchange && !tri__run_leads(run))
        tri__graph_initialise_task(run->inputs.graph, tri_exchange_task(run->exchange), run->settings.seed, parameters);
    else
        tri_graph_initialise(run->inputs.graph, run->settings.seed, parameters);
    TRI_TRY(tri_graph_initialise_tables(run->inputs.graph, run->settings.seed, run->trainer.store));
    if (run->resumed)
        return tri_wrap(tri__checkpoint_restore(run->resumed, run->inputs.graph, run->trainer.store, true), "--resume");
    if (run->options.init)
        TRI_TRY(tri__initial_weights_load(run->options.init, run->options.init_names, run->request->log,
                                          tri_source_describe(run->inputs.source), run->inputs.graph, run->trainer.store));
    tri_store_begin_averages(run->trainer.store);
    return NULL;
}

int64_t tri__run_table_bytes(const tri__run *run)
{
    return run->settings.table_bytes ? run->settings.table_bytes : tri__memory_available() / 2;
}

tri_status tri__run_add_tables(const tri__run *run, int64_t bytes, tri_store *store)
{
    const tri__train_settings *settings = &run->settings;
    if (!settings->min_count)
        return tri_graph_add_tables(run->inputs.graph, store);
    if (!tri_model_is_sparse(run->inputs.model))
        return tri_fail(TRI_BAD_CALL, "--%s: %s has no tables that could grow; it concerns sparse models",
                        settings->table_bytes ? "table-memory" : "min-count", tri_model_name(run->inputs.model));
    return tri_graph_add_growing_tables(run->inputs.graph, settings->min_count, bytes, store);
}

static tri_status create_store(tri__run *run)
{
    TRI_TRY(run->strategy->create_store(run));
    return fill_store(run);
}

tri_dataset_options tri__run_dataset_options(const tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    return (tri_dataset_options){.batch = settings->batch,
                                 .seed = settings->seed,
                                 .shuffle = settings->shuffle,
                                 .limit = settings->limit,
                                 .sample = true,
                                 .worker = tri__run_part(run),
                                 .workers = tri__run_parts(run),
                                 .in_place = tri_plan_takes_scattered(run->trainer.plan),
                                 .own_files = settings->own_files,
                                 .skip_bad = settings->skip_bad,
                                 .class_weights = run->inputs.class_weights,
                                 .mixed_classes = tri__graph_classes(run->inputs.graph),
                                 .cache = settings->cache,
                                 .cache_bytes = settings->cache_bytes,
                                 .cache_folder = run->request->cache_folder};
}

tri_status tri__run_create_dataset(const tri__run *run, int worker, tri__trainer *trainer)
{
    const tri__checkpoint *resumed = run->resumed;
    tri_dataset_options options = tri__run_dataset_options(run);
    options.worker = worker;
    TRI_TRY(tri__dataset_create(run->inputs.source, &options, &run->settings.augment, &trainer->dataset));
    if (!resumed)
        return NULL;
    TRI_TRY(tri__dataset_recall_damage(trainer->dataset, resumed->damaged, resumed->damaged_count));
    return tri_dataset_seek(trainer->dataset, resumed->state.position);
}

/* Whether the model is one layer on the examples: it has a single matrix of weights. */
static bool has_one_layer(const tri_graph *graph)
{
    int matrices = 0;
    for (int i = 0; i < graph->count; i++)
        matrices += tri__node_is(graph->node[i], "parameter") && graph->node[i]->shape.rank > 1;
    return matrices <= 1;
}

bool tri__run_is_deep(const tri__run *run)
{
    return !has_one_layer(run->inputs.graph) && tri_graph_tables(run->inputs.graph) == 0;
}

/* Whether curves show the accuracy of predictions in training. A task that computes a part of the model may have no logits. With
 * --accumulate, only the logits of the last batch are left. The kernels that compute a whole model of one layer, or rows of tables, keep no
 * logits and are up to twice as quick, so there predictions are compared with labels only with --histograms. */
static bool judges_predictions(const tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri_graph *graph = run->inputs.graph;
    return settings->events && settings->accumulate == 1 && !run->exchange && tri_graph_labels(graph) == TRI_LABEL_CLASS &&
           tri_graph_find_output(graph, "logits") && (settings->histograms || tri__run_is_deep(run));
}

tri_status tri__run_create_plan(const tri__run *run, tri__trainer *trainer)
{
    const tri__train_settings *settings = &run->settings;
    const bool judges = judges_predictions(run);
    trainer->judge_every = judges ? settings->log_every : 0;
    const tri_plan_options options = {.batch = settings->batch / settings->accumulate,
                                      .parts = settings->accumulate,
                                      .training = true,
                                      .keep_logits = tri__run_reads_stream(run) || judges,
                                      .label_shares = settings->augment.mixup > 0 && tri_graph_labels(run->inputs.graph) == TRI_LABEL_CLASS,
                                      .threads = settings->threads,
                                      .seed = settings->seed,
                                      .deterministic = settings->deterministic,
                                      .exchange = run->exchange};
    return tri_plan_create(run->inputs.graph, &options, trainer->store, &trainer->plan);
}

tri_status tri__run_create_histograms(tri__run *run)
{
    const int64_t every = run->settings.histograms;
    if (!every)
        return NULL;
    if (!run->settings.events)
        return tri_fail(TRI_BAD_CALL, "--histograms: they go to the event files, which --no-events leaves out (leave out one of the two)");
    TRI_TRY(tri__histograms_create(run->inputs.graph, every, run->trainer.store, &run->journal.histograms));
    run->trainer.histograms = run->journal.histograms;
    return NULL;
}

/* The folder of a run to resume is locked before anything in it is read, because its owner may write until then. A path that is not a run
 * folder is left alone; the code that reads it reports the mistake. */
static tri_status take_folder(tri__run *run)
{
    const tri__run_request *request = run->request;
    if (!request->resume || request->folder || !tri__run_leads(run) || !tri__run_folder_is_one(request->resume))
        return NULL;
    return tri__run_folder_open(request->resume, TRI_FIRST_WORKER_FILE, &run->journal.folder);
}

tri_status tri__run_join_folder(tri__run *run, const char *path)
{
    const tri__run_request *request = run->request;
    char task[TRI_TASK_SIZE];
    const tri__task own = {TRI_ROLE_WORKER, run->peers->worker};
    TRI_TRY(tri__run_folder_enter(path, tri__task_file_name(own, task), &run->journal.folder));
    tri__journal_open_samples(&run->journal, run->settings.sample_every, request->command);
    if (run->settings.trace && request->folder) /* elsewhere rank 0 makes the timeline, and does not wait for other ranks */
        tri__journal_open_trace(&run->journal, tri__task_name(own, task), false);
    return run->settings.events && !run->peers->one_model ? tri__events_create(run->journal.folder.events, &run->journal.events) : NULL;
}

static tri_status open_folder(tri__run *run)
{
    const tri__run_request *request = run->request;
    if (!tri__run_leads(run))
        return request->folder && tri__folder_exists(request->folder) ? tri__run_join_folder(run, request->folder) : NULL;
    tri__run_folder *folder = &run->journal.folder;
    if (request->folder)
        TRI_TRY(tri__run_folder_enter(request->folder, TRI_FIRST_WORKER_FILE, folder));
    else if (!folder->path)
        TRI_TRY(request->resume ? tri__run_folder_open(request->resume, TRI_FIRST_WORKER_FILE, folder)
                                : tri__run_folder_create(request->out, tri_model_name(run->inputs.model), TRI_FIRST_WORKER_FILE, folder));
    TRI_TRY(tri__journal_open_log(&run->journal, request->log));
    if (request->resume)
        tri__folder_sweep(run->journal.folder.checkpoints);
    if (!request->folder)
        TRI_TRY(tri__run_folder_note(&run->journal.folder, request->command));
    tri__journal_open_samples(&run->journal, run->settings.sample_every, request->command);
    tri__journal_open_marks(&run->journal, TRI_FIRST_WORKER);
    if (run->settings.trace)
        tri__journal_open_trace(&run->journal, TRI_FIRST_WORKER, !request->folder);
    return run->settings.events ? tri__events_create(run->journal.folder.events, &run->journal.events) : NULL;
}

static void start_state(tri__run *run)
{
    run->state = run->resumed ? run->resumed->state : (tri__run_state){.best_loss = NAN};
    run->settings.schedule.cuts = run->state.cuts;
    run->since.step = run->state.step;
    run->since.examples = run->state.examples;
    run->since.seconds = run->state.seconds;
    run->since.total = run->state.total_seconds;
    run->evaluating.at = run->saving.at = run->until_step = -1;
}

/* Close the checkpoint that the run is resumed from. It counts as the last checkpoint until the run writes one. */
static tri_status leave_resumed(tri__run *run)
{
    tri__saving_keep(&run->saving, strdup(run->resumed->path), run->state.step);
    tri__checkpoint_close(run->resumed);
    run->resumed = NULL;
    return run->saving.path ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a checkpoint");
}

static void settle_threads(tri__run *run)
{
    int *threads = &run->settings.threads;
    if (!*threads)
        *threads = run->strategy->threads ? run->strategy->threads(run) : omp_get_max_threads();
    if (*threads < 1)
        *threads = 1;
    omp_set_num_threads(*threads);
}

static void init(tri__run *run, const tri__run_request *request)
{
    *run = (tri__run){.request = request, .strategy = request->strategy, .journal = {.log = request->log}};
    if (!run->strategy)
        run->strategy = &tri__strategy_local;
    tri__train_options_init(&run->options);
}

static tri_status settle(tri__run *run)
{
    TRI_TRY(tri__run_open_model(run));
    TRI_TRY(tri__inputs_settle(run->inputs.model, &run->options, &run->settings));
    if (run->settings.nonzero_rows && !tri_model_is_sparse(run->inputs.model))
        return tri_fail(TRI_BAD_CALL, "--nonzero-rows: %s has no tables; it concerns sparse models", tri_model_name(run->inputs.model));
    start_state(run);
    settle_threads(run);
    return NULL;
}

tri_status tri__run_begin(tri__run *run, const tri__run_request *request)
{
    init(run, request);
    return settle(run);
}

static tri_status open_inputs(tri__run *run)
{
    const tri__run_request *request = run->request;
    TRI_TRY(take_folder(run));
    TRI_TRY(settle(run));
    if (!request->resume && request->out && tri__run_leads(run))
        TRI_TRY(tri__run_folder_check(request->out)); /* before the work of opening the data */
    return tri__run_open_data(run);
}

static tri_status create_parts(tri__run *run)
{
    TRI_TRY(create_store(run));
    TRI_TRY(tri__run_create_plan(run, &run->trainer));
    TRI_TRY(tri__run_create_histograms(run));
    if (tri_store_lends_tables(run->trainer.store) && run->options.threads == TRI_UNSET)
        tri__team_init(&run->trainer.team, run->settings.threads);
    if (run->inputs.test && tri__run_leads(run))
        TRI_TRY(tri__run_create_evaluator(run));
    TRI_TRY(tri__run_create_dataset(run, tri__run_part(run), &run->trainer));
    if (tri__run_reads_stream(run) && tri__has_two_classes(run->inputs.graph))
        TRI_TRY(tri__progressive_create(&run->progressive));
    const bool one_model = run->peers && run->peers->one_model;
    if (run->peers && run->settings.own_files)
        return NULL; /* it depends on the other ranks: agree_on_parts settles it */
    return tri__run_settle_length(run, tri_dataset_examples(run->trainer.dataset), one_model ? 1 : run->settings.workers);
}

static tri_status agree(tri__run *run, tri_status (*how)(tri__run *run, tri_status own), tri_status own)
{
    return how ? how(run, own) : own;
}

static void trace_workers(tri__run *run)
{
    tri__trace *trace = run->journal.trace;
    if (!trace)
        return;
    tri__trainer_trace(&run->trainer, trace, run->peers && run->peers->here > 1 ? "replica 0" : "worker");
    if (run->peers && run->peers->kind->trace)
        run->peers->kind->trace(run->peers, trace);
}

tri_status tri__run_open(tri__run *run, const tri__run_request *request)
{
    init(run, request);
    const tri__strategy *strategy = run->strategy;
    if (!strategy->create_store)
        return tri_fail(TRI_INTERNAL, "strategy %s trains in several processes, not in one run", strategy->name);
    if (strategy->join)
        TRI_TRY(strategy->join(run));
    TRI_TRY(agree(run, strategy->agree_on_inputs, open_inputs(run)));
    TRI_TRY(agree(run, strategy->agree_on_parts, create_parts(run)));
    TRI_TRY(agree(run, strategy->agree_to_start, open_folder(run)));
    trace_workers(run);
    return run->resumed ? leave_resumed(run) : NULL;
}

void tri__run_fini(tri__run *run)
{
    tri__checkpoint_close(run->resumed);
    tri__evaluator_destroy(run->evaluating.evaluator);
    tri__progressive_destroy(run->progressive);
    tri__saving_fini(&run->saving);
    tri__trainer_fini(&run->trainer);
    if (run->peers)
        run->peers->kind->destroy(run->peers);
    tri__inputs_fini(&run->inputs);
    tri__journal_fini(&run->journal);
    tri__train_options_fini(&run->options);
}
