/* run_setup.c: all that a run needs, opened in the order in which mistakes are cheapest to find. The run folder comes last: a run
 * that cannot begin leaves none behind. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "data/batch/dataset.h"
#include "data/source/dense.h"
#include "train/run/local.h"
#include "train/run/peers.h"

/* A resumed run takes its model and options from the checkpoint. */
static tri_status open_resumed(tri__run *run)
{
    TRI_TRY(tri_wrap(tri__checkpoint_open(run->request->resume, run->request->log, &run->resumed), "--resume"));
    TRI_TRY(tri__train_options_copy(&run->options, &run->resumed->options));
    TRI_TRY(tri__train_options_resume(&run->options, run->request->options));
    const char *text = run->resumed->model_text;
    return tri_model_parse(run->resumed->model_name, text, strlen(text), &run->model);
}

static tri_status open_model(tri__run *run)
{
    if (run->request->resume)
        return open_resumed(run);
    TRI_TRY(tri__train_options_copy(&run->options, run->request->options));
    return tri_model_open(run->options.model, &run->model);
}

/* Photos are brought to the size that the model asks for, or that it was trained with. */
static tri_source_options source_options(const tri__run *run)
{
    tri_shape shape = run->resumed ? run->resumed->input.shape : tri_model_input_shape(run->model);
    bool picture = shape.rank == 3;
    return (tri_source_options){
        .seed = run->settings.seed,
        .cache_folder = run->request->cache_folder,
        .height = picture ? shape.dim[0] : 0,
        .width = picture ? shape.dim[1] : 0,
        .features = run->settings.features,
    };
}

/* Test examples of a sparse source have the features and classes of the training examples, whatever they show themselves. */
static tri_source_options test_options(const tri__run *run)
{
    tri_source_options options = source_options(run);
    const tri_source_info *info = tri_source_describe(run->source);
    options.features = info->width ? info->shape.dim[0] : 0;
    options.numbering = info->numbering;
    return options;
}

/* --test names a source of its own, of which any part will do; otherwise it is the test part of --data, where that has one. */
static tri_status open_test(tri__run *run)
{
    const tri_source_options options = test_options(run);
    const char *spec = run->options.test ? run->options.test : run->options.data;
    tri_status status = tri_source_open(spec, TRI_PART_TEST, &options, &run->test);
    if (tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    if (run->options.test)
        return tri_wrap(tri_source_open(spec, TRI_PART_TRAIN, &options, &run->test), "--test");
    const tri__train_settings *settings = &run->settings;
    const char *needy = settings->target.kind != TRI_TARGET_NONE ? "until"
                        : settings->patience                     ? "patience"
                        : settings->keep_best                    ? "keep-best"
                                                                 : NULL;
    if (needy)
        return tri_fail(TRI_BAD_CALL, "--%s needs test examples, and %s has none: give some with --test SOURCE", needy, spec);
    tri__log_line(run->request->log, TRI_LOG_INFO, "%s has no test examples, so nothing is evaluated (--test SOURCE gives some)", spec);
    return NULL;
}

static tri_status open_sources(tri__run *run)
{
    const tri_source_options options = source_options(run);
    TRI_TRY(tri_source_open(run->options.data, TRI_PART_TRAIN, &options, &run->source));
    TRI_TRY(open_test(run));
    const tri_source_info *info = tri_source_describe(run->source);
    if (run->test)
        TRI_TRY(tri_wrap(tri__photos_fit(tri_source_describe(run->test), info->class_names, info->classes), "--test"));
    TRI_TRY(tri__source_make_dense(&run->source));
    return run->test ? tri__source_make_dense(&run->test) : NULL;
}

static tri_status build_graph(tri__run *run)
{
    const tri_source_info *info = tri_source_describe(run->source);
    const tri_model_input input = {.type = info->type, .shape = info->shape, .classes = info->classes};
    TRI_TRY(tri_model_build(run->model, &input, run->settings.batch, &run->graph));
    TRI_TRY(tri__source_fits(info, run->graph));
    if (!run->resumed)
        return NULL;
    char digest[65];
    TRI_TRY(tri_model_digest(run->model, run->graph, digest));
    if (strcmp(digest, run->resumed->digest))
        return tri_fail(TRI_BAD_CALL, "--resume %s: %s gives the model other shapes than the data it was trained on", run->request->resume,
                        run->options.data);
    return NULL;
}

static tri_status fill_store(tri__run *run)
{
    tri_graph_initialise(run->graph, run->settings.seed, tri_store_parameters(run->trainer.store));
    if (run->resumed)
        return tri_wrap(tri__checkpoint_restore(run->resumed, run->graph, run->trainer.store, true), "--resume");
    if (run->options.init)
        return tri__checkpoint_initialise(run->options.init, run->request->log, run->graph, run->trainer.store);
    return NULL;
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
                                 .worker = run->peers ? run->peers->worker : 0,
                                 .workers = run->peers ? run->peers->workers : 1,
                                 .in_place = tri_plan_takes_scattered(run->trainer.plan),
                                 .own_files = settings->own_files,
                                 .skip_bad = settings->skip_bad,
                                 .augment = settings->augment,
                                 .cache = settings->cache,
                                 .cache_bytes = settings->cache_bytes,
                                 .cache_folder = run->request->cache_folder};
}

static tri_status create_dataset(tri__run *run)
{
    const tri_dataset_options options = tri__run_dataset_options(run);
    TRI_TRY(tri_dataset_create(run->source, &options, &run->trainer.dataset));
    if (!run->resumed)
        return NULL;
    TRI_TRY(tri__dataset_recall_damage(run->trainer.dataset, run->resumed->damaged, run->resumed->damaged_count));
    return tri_dataset_seek(run->trainer.dataset, run->resumed->state.position);
}

/* Where epochs are passes over the examples, what is left of them goes by the position, whatever the steps before it were. */
static bool settle_passes(tri__run *run, int64_t examples, int64_t each)
{
    int64_t into = run->state.position % examples, rest = into ? (examples - into + each - 1) / each : 0;
    int64_t left = run->settings.epochs - run->state.position / examples - (into > 0), steps;
    run->epoch_step = run->state.step + rest;
    if (left < 0)
        left = 0;
    return !__builtin_mul_overflow(left, run->steps_per_epoch, &steps) && !__builtin_add_overflow(run->epoch_step, steps, &run->last_step);
}

tri_status tri__run_settle_end(tri__run *run, int64_t examples, int workers)
{
    const tri__train_settings *settings = &run->settings;
    int64_t each = settings->batch * workers;
    if (examples < 1)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples to train on", run->options.data);
    run->steps_per_epoch = settings->steps_per_epoch ? settings->steps_per_epoch : (examples + each - 1) / each;
    run->last_step = settings->steps ? settings->steps : settings->max_steps;
    bool passes = settings->epochs && !settings->steps_per_epoch;
    if (passes ? !settle_passes(run, examples, each)
               : settings->epochs && __builtin_mul_overflow(settings->epochs, run->steps_per_epoch, &run->last_step))
        return tri_fail(TRI_BAD_CALL, "--epochs %lld: more steps than can be counted", (long long)settings->epochs);
    if (run->request->resume && run->last_step && run->state.step >= run->last_step)
        return tri_fail(TRI_BAD_CALL, "--resume %s: the run has made its %lld steps; give a larger --epochs or --steps to go on",
                        run->request->resume, (long long)run->state.step);
    return tri__schedule_bind(&run->settings.schedule, run->steps_per_epoch, run->last_step);
}

tri_status tri__run_create_evaluator(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri__evaluator_options options = {
        .threads = settings->threads * (run->peers ? run->peers->here : 1), /* replicas rest */
        .skip_bad = settings->skip_bad,
        .cache = settings->cache,
        .cache_bytes = settings->cache_bytes,
        .cache_folder = run->request->cache_folder,
    };
    return tri__evaluator_create(run->graph, run->test, run->trainer.store, &options, &run->evaluator);
}

static tri_status create_plans(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri_plan_options options = {.batch = settings->batch, .training = true, .threads = settings->threads, .seed = settings->seed};
    TRI_TRY(tri_plan_create(run->graph, &options, run->trainer.store, &run->trainer.plan));
    return run->test && tri__run_leads(run) ? tri__run_create_evaluator(run) : NULL;
}

static tri_status open_folder(tri__run *run)
{
    const tri__run_request *request = run->request;
    if (!tri__run_leads(run))
        return NULL;
    const char *made = request->resume ? request->resume : request->folder;
    TRI_TRY(made ? tri__run_folder_open(made, "worker-0", &run->folder)
                 : tri__run_folder_create(request->out, tri_model_name(run->model), "worker-0", &run->folder));
    TRI_TRY(tri__log_file_create(run->folder.log, request->log, &run->log_file));
    run->log = tri__log_file_sink(run->log_file);
    if (request->resume)
        tri__folder_sweep(run->folder.checkpoints);
    if (!request->folder)
        TRI_TRY(tri__run_folder_note(&run->folder, request->command));
    return run->settings.events ? tri__events_create(run->folder.events, &run->events) : NULL;
}

static void start_state(tri__run *run)
{
    run->state = run->resumed ? run->resumed->state : (tri__run_state){.best_loss = NAN};
    run->first_step = run->state.step;
    run->seconds_before = run->state.seconds;
    run->evaluated_at = run->saved_at = run->until_step = -1;
}

/* Set-up is done with the checkpoint it came from, which is the last one until the run writes its own. */
static tri_status leave_resumed(tri__run *run)
{
    run->checkpoint = strdup(run->resumed->path);
    run->saved_at = run->state.step;
    tri__checkpoint_close(run->resumed);
    run->resumed = NULL;
    return run->checkpoint ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a checkpoint");
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
    *run = (tri__run){.request = request, .log = request->log, .strategy = request->strategy};
    if (!run->strategy)
        run->strategy = &tri__strategy_local;
    tri__train_options_init(&run->options);
}

static tri_status settle(tri__run *run)
{
    TRI_TRY(open_model(run));
    TRI_TRY(tri__train_settings_resolve(&run->options, tri_model_default(run->model), &run->settings));
    start_state(run);
    settle_threads(run);
    return NULL;
}

tri_status tri__run_begin(tri__run *run, const tri__run_request *request)
{
    init(run, request);
    return settle(run);
}

tri_status tri__run_open_data(tri__run *run)
{
    TRI_TRY(open_sources(run));
    return build_graph(run);
}

static tri_status open_inputs(tri__run *run)
{
    const tri__run_request *request = run->request;
    TRI_TRY(settle(run));
    if (!request->resume && request->out && tri__run_leads(run))
        TRI_TRY(tri__run_folder_check(request->out)); /* before the work of opening the data */
    return tri__run_open_data(run);
}

static tri_status create_parts(tri__run *run)
{
    TRI_TRY(create_store(run));
    TRI_TRY(create_plans(run));
    TRI_TRY(create_dataset(run));
    return tri__run_settle_end(run, tri_dataset_examples(run->trainer.dataset), run->settings.workers);
}

static tri_status agree(tri__run *run, tri_status (*how)(tri__run *run, tri_status own), tri_status own)
{
    return how ? how(run, own) : own;
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
    return run->resumed ? leave_resumed(run) : NULL;
}

void tri__run_fini(tri__run *run)
{
    tri__checkpoint_close(run->resumed);
    tri__evaluator_destroy(run->evaluator);
    tri__checkpoint_writer_destroy(run->writer);
    tri__trainer_fini(&run->trainer);
    if (run->peers)
        run->peers->kind->destroy(run->peers);
    tri_graph_destroy(run->graph);
    tri_source_destroy(run->test);
    tri_source_destroy(run->source);
    tri_model_destroy(run->model);
    tri_status_free(tri__events_close(run->events));
    tri__log_file_destroy(run->log_file);
    tri__run_folder_fini(&run->folder);
    tri__train_options_fini(&run->options);
    free(run->checkpoint);
}
