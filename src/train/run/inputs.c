/* inputs.c: opens the model first, because its mistakes are the cheapest to find; then the sources, and last the graph, which needs
 * both. */
#include "train/run/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "data/source/dense.h"
#include "data/source/held_out.h"
#include "data/source/source.h"
#include "data/stream/stream.h"
#include "graph/model/model.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/run/class_weights.h"
#include "train/run/peers.h"
#include "train/run/run_inside.h"

/* Check that the strategy can train a model with its places, or without any. */
static tri_status check_places(const tri_model *model, const tri__strategy *strategy)
{
    if (strategy->places == TRI_PLACES_REFUSED)
        return tri__model_refuse_places(model);
    if (strategy->places == TRI_PLACES_NEEDED && !tri__model_has_places(model))
        return tri_fail(TRI_BAD_CALL,
                        "--strategy %s: no line of %s has a place, so that one task would compute all of it (dense(10, place=1) "
                        "places a line on task 1)",
                        strategy->name, tri_model_name(model));
    return NULL;
}

/* A resumed run takes its model and options from the checkpoint. */
static tri_status open_resumed(tri__run *run)
{
    TRI_TRY(tri_wrap(tri__checkpoint_open(run->request->resume, run->request->log, &run->resumed), "--resume"));
    TRI_TRY(tri__train_options_copy(&run->options, &run->resumed->options));
    const char *text = run->resumed->model_text;
    TRI_TRY(tri_model_parse(run->resumed->model_name, text, strlen(text), &run->inputs.model));
    TRI_TRY(tri__train_options_resume(&run->options, run->request->options, tri_model_default(run->inputs.model)));
    return tri_wrap(check_places(run->inputs.model, run->strategy), "--resume");
}

static tri_status check_parts(const tri_model *model, const tri__train_options *options)
{
    if (options->accumulate == TRI_UNSET || options->accumulate == 1 || !tri_model_is_sparse(model))
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--accumulate %" PRId64
                    ": a step of the sparse model %s is not computed in parts, since its memory hardly depends on the "
                    "batch: give a --batch %" PRId64 " times as large instead",
                    options->accumulate, tri_model_name(model), options->accumulate);
}

tri_status tri__inputs_open_model(const tri__train_options *options, const tri__strategy *strategy, tri_model **out)
{
    TRI_TRY(tri_model_open(options->model, out));
    tri_status status = check_places(*out, strategy);
    if (!status)
        status = check_parts(*out, options);
    if (!status)
        return NULL;
    tri_model_destroy(*out);
    *out = NULL;
    return status;
}

/* The model has tables. */
static tri_status check_average(const tri_model *model, const tri__train_options *options, double average)
{
    const bool from_model = isnan(options->average);
    if (average == 0)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "%s%g%s: %s has tables, and a step changes only the rows that its examples name, so that no average of all weights "
                    "is kept: leave it out (--schedule cosine is another way to calm the last steps)",
                    from_model ? "train(average=" : "--average ", average, from_model ? ")" : "", tri_model_name(model));
}

tri_status tri__inputs_settle(const tri_model *model, const tri__train_options *options, tri__train_settings *out)
{
    TRI_TRY(tri__train_settings_resolve(options, tri_model_default(model), out));
    if (!tri_model_is_sparse(model))
        return NULL;
    TRI_TRY(check_average(model, options, (double)out->rule.average));
    return tri__augment_check_sparse(&out->augment, tri_model_name(model));
}

tri_status tri__run_open_model(tri__run *run)
{
    if (run->request->resume)
        return open_resumed(run);
    TRI_TRY(tri__train_options_copy(&run->options, run->request->options));
    return tri__inputs_open_model(&run->options, run->strategy, &run->inputs.model);
}

/* Photos are resized to the size that the model asks for, or was trained with. */
static tri_source_options source_options(const tri__run *run)
{
    const tri_shape shape = run->resumed ? run->resumed->input.shape : tri_model_input_shape(run->inputs.model);
    const tri_model *model = run->inputs.model;
    const tri__train_settings *settings = &run->settings;
    const bool picture = shape.rank == 3;
    return (tri_source_options){
        .seed = settings->seed,
        .cache_folder = run->request->cache_folder,
        .height = picture ? shape.dim[0] : 0,
        .width = picture ? shape.dim[1] : 0,
        .grey = settings->grey || (picture && shape.dim[2] == 1),
        .features = settings->features,
        .classes = tri_model_classes(model),
        .label = run->options.label,
        .labels = tri_model_labels(model),
        .columns = run->resumed ? run->resumed->columns : NULL,
        .fields = tri_model_fields(model),
        .hash_keys = settings->hash_keys,
    };
}

/* Test examples of a sparse source have as many features and classes as the training examples, whatever the test files contain. */
static tri_source_options test_options(const tri__run *run)
{
    tri_source_options options = source_options(run);
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    options.features = info->width ? info->shape.dim[0] : 0;
    options.numbering = info->numbering;
    options.outputs = info->outputs;
    options.columns = info->columns;
    return options;
}

/* Where --data has a validation part and a test part, the run is evaluated on the validation part, and the test part is left for trireme
 * eval. If the test examples decided when to stop, they would choose the model. */
static tri_status open_validation(tri__run *run, const tri_source_options *options, bool *found)
{
    *found = false;
    if (run->options.test)
        return NULL;
    tri_status status = tri_source_open(run->options.data, TRI_PART_VALIDATION, options, &run->inputs.test);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri_status_free(status);
        return NULL;
    }
    TRI_TRY(status);
    *found = true;
    tri__log_line(run->request->log, TRI_LOG_INFO,
                  "%s has a validation part and a test part: the run is evaluated on the validation part (trireme eval has the test part)",
                  run->options.data);
    return NULL;
}

/* --test names a source, of which any part will do. Without --test, the validation or test part of --data is used, if there is one. */
static tri_status open_test(tri__run *run)
{
    const tri_source_options options = test_options(run);
    const char *spec = run->options.test ? run->options.test : run->options.data;
    const bool stream = !run->options.test && tri__run_reads_stream(run); /* a stream has no other part */
    bool found = false;
    if (run->settings.evaluate.kind == TRI_EVERY_NEVER || run->inputs.test)
        return NULL;
    if (!stream)
        TRI_TRY(open_validation(run, &options, &found));
    if (found)
        return NULL;
    tri_status status = stream ? NULL : tri_source_open(spec, TRI_PART_TEST, &options, &run->inputs.test);
    if (!stream && tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    if (run->options.test)
        return tri_wrap(tri_source_open(spec, TRI_PART_TRAIN, &options, &run->inputs.test), "--test");
    const tri__train_settings *settings = &run->settings;
    const char *needy = settings->target.measure && !settings->target.progressive ? "until"
                        : settings->patience                                      ? "patience"
                        : settings->keep_best                                     ? "keep-best"
                        : settings->schedule.kind == TRI_SCHEDULE_PLATEAU         ? "schedule plateau"
                                                                                  : NULL;
    if (needy)
        return tri_fail(TRI_BAD_CALL,
                        "--%s needs test examples, and %s has none: give some with --test SOURCE, or hold out a part "
                        "with --validation 10%%",
                        needy, spec);
    if (stream)
        return NULL;
    tri__log_line(run->request->log, TRI_LOG_INFO, "%s has no test examples, so nothing is evaluated (--test SOURCE gives some)", spec);
    return NULL;
}

bool tri__run_reads_stream(const tri__run *run)
{
    return tri__source_is_stream(run->options.data);
}

/* Refuse options that a stream cannot have: it is read once, in order, and its length is not known. */
static tri_status check_stream(const tri__run *run)
{
    const tri__train_options *options = &run->options;
    const char *refused = options->epochs > 1                     ? "--epochs above 1: it is read once"
                          : options->steps_per_epoch != TRI_UNSET ? "--steps-per-epoch: it has no epochs"
                          : options->shuffle > 0                  ? "--shuffle: it is learnt in its order"
                          : run->settings.cache                   ? "--cache: it is read once"
                          : options->augment                      ? "--augment: its examples are sparse"
                          : options->class_weights                ? "--class-weights: nobody knows its classes"
                          : run->settings.own_files               ? "--shard files: it is no file"
                          : options->validation                   ? "--validation: nobody knows how many examples it has"
                          : run->settings.schedule.in_epochs      ? "a --schedule in epochs: it has none"
                          : run->settings.target.measure && run->settings.evaluate.kind == TRI_EVERY_EPOCH
                              ? "--eval-every epoch: it has none, and --until would never be checked"
                          : tri__source_is_stream(options->test) ? "--test -: it is trained on"
                          : !run->strategy->reads_stream         ? "this --strategy: one process reads it"
                                                                 : NULL;
    if (refused)
        return tri_fail(TRI_BAD_CALL, "--data -: standard input does not go with %s", refused);
    if (!tri_model_is_sparse(run->inputs.model))
        return tri_fail(TRI_BAD_CALL, "--data -: standard input is for sparse models, and %s takes dense examples (give it files)",
                        tri_model_name(run->inputs.model));
    return NULL;
}

static tri_status prepare_stream(tri__run *run)
{
    tri__train_settings *settings = &run->settings;
    TRI_TRY(check_stream(run));
    settings->shuffle = 0;
    settings->epochs = settings->epochs ? 1 : 0;
    if (settings->evaluate.kind == TRI_EVERY_EPOCH)
        settings->evaluate.kind = TRI_EVERY_END;
    if (settings->checkpoint.kind == TRI_EVERY_EPOCH)
        settings->checkpoint.kind = TRI_EVERY_END;
    return NULL;
}

/* The kinds of a table's columns are found by reading all of its lines. */
static tri_status check_columns(const tri__run *run)
{
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    if (info->columns && run->settings.own_files)
        return tri_fail(TRI_BAD_CALL, "--shard files: each worker would take other columns and categories from its own tables: give all of "
                                      "them the same files");
    return NULL;
}

static tri_status check_grey(const tri__run *run)
{
    const tri_model *model = run->inputs.model;
    const tri_shape wanted = tri_model_input_shape(model);
    if (!run->settings.grey)
        return NULL;
    if (wanted.rank == 3 && wanted.dim[2] != 1)
        return tri_fail(TRI_BAD_CALL, "--grey: the input line of %s asks for %" PRId64 " channels", tri_model_name(model), wanted.dim[2]);
    return tri__source_check_grey(tri_source_describe(run->inputs.source));
}

static tri_status open_training(tri__run *run)
{
    tri_source_options options = source_options(run);
    options.stream = tri__run_reads_stream(run);
    options.stop = run->request->stop;
    TRI_TRY(tri_source_open(run->options.data, TRI_PART_TRAIN, &options, &run->inputs.source));
    if (run->settings.own_files && !options.stream && !tri_source_describe(run->inputs.source)->files)
        return tri_fail(TRI_BAD_CALL, "--shard files: %s has no files that workers could share out (leave it out: they share its examples)",
                        run->options.data);
    TRI_TRY(check_columns(run));
    TRI_TRY(check_grey(run));
    const double share = run->settings.validation;
    return share > 0 ? tri__source_hold_out(&run->inputs.source, share, run->settings.seed, &run->inputs.test) : NULL;
}

tri_status tri__run_open_examples(tri__run *run)
{
    TRI_TRY(open_training(run));
    tri_source_destroy(run->inputs.test); /* the examples that --validation held out are not needed here */
    run->inputs.test = NULL;
    return tri_model_is_sparse(run->inputs.model) ? NULL : tri__source_make_dense(&run->inputs.source);
}

/* Check that test examples, and those of a resumed run, are of the kind that the model is trained on. */
static tri_status check_kinds(const tri__run *run)
{
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    const tri__checkpoint *resumed = run->resumed;
    if (resumed)
        TRI_TRY(tri_wrap(tri__features_fit(info, resumed->features_by, resumed->options.data), "--resume %s", run->request->resume));
    if (!run->inputs.test)
        return NULL;
    const tri_source_info *test = tri_source_describe(run->inputs.test);
    TRI_TRY(tri_wrap(tri__features_fit(test, info->features_by, info->spec), "--test"));
    return tri_wrap(tri__photos_fit(test, info->class_names, info->classes), "--test");
}

static tri_status open_sources(tri__run *run)
{
    if (tri__run_reads_stream(run))
        TRI_TRY(prepare_stream(run));
    TRI_TRY(open_training(run));
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    if (info->note)
        tri__log_line(run->journal.log, run->data_told || !tri__run_leads(run) ? TRI_LOG_DEBUG : TRI_LOG_WARNING, "%s", info->note);
    TRI_TRY(open_test(run));
    TRI_TRY(check_kinds(run));
    if (tri_model_is_sparse(run->inputs.model))
        return NULL;
    TRI_TRY(tri__source_make_dense(&run->inputs.source));
    return run->inputs.test ? tri__source_make_dense(&run->inputs.test) : NULL;
}

/* Check that the model has the measure that --until names. */
static tri_status check_target(const tri__run *run)
{
    static const char *const words[] = {
        [TRI_OF_CLASSES] = "classes", [TRI_OF_TWO_CLASSES] = "two classes", [TRI_OF_NUMBERS] = "numbers", [TRI_OF_SETS] = "sets of labels"};
    const tri__target *target = &run->settings.target;
    const unsigned model = tri__measured_as(run->inputs.graph);
    const tri__measure *measure = target->measure;
    if (!measure || (target->progressive ? TRI_OF_TWO_CLASSES : measure->models) & model)
        return NULL;
    char others[96];
    tri__text list;
    tri__text_init(&list, others, sizeof others);
    for (int i = 0; (measure = tri__measure_at(i)); i++)
        if (measure->models & model)
            tri__text_add(&list, "%s%s", list.used ? ", " : "", measure->name);
    return tri_fail(TRI_BAD_CALL, "--until '%s': that is no measure of a model of %s%s, which has %s", run->options.until,
                    model == TRI_OF_CLASSES ? "more than two " : "", words[model], others);
}

static tri_status build_graph(tri__run *run)
{
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    if (tri_model_is_sparse(run->inputs.model) && !info->width)
        return tri_fail(TRI_BAD_CALL, "%s: its examples are dense, and %s takes sparse ones (LIBSVM, Criteo text, click records, clicks:N)",
                        info->spec, tri_model_name(run->inputs.model));
    const tri_model_input input = tri_model_input_of(info);
    TRI_TRY(tri_model_build(run->inputs.model, &input, run->settings.batch, &run->inputs.graph));
    if (run->settings.freeze)
        TRI_TRY(tri_wrap(tri_graph_freeze(run->inputs.graph, run->settings.freeze), "--freeze"));
    run->settings.rule.state = tri_graph_state_of(run->inputs.graph);
    TRI_TRY(tri__source_fits(info, run->inputs.graph));
    TRI_TRY(check_target(run));
    if (!run->resumed)
        return NULL;
    char digest[65];
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, digest));
    if (strcmp(digest, run->resumed->digest))
        return tri_fail(TRI_BAD_CALL, "--resume %s: %s gives the model other shapes than the data it was trained on", run->request->resume,
                        run->options.data);
    return NULL;
}

/* Find the weights of classes, over the examples that this run trains on. */
static tri_status weigh_classes(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri_dataset_options options = {.batch = settings->batch, .seed = settings->seed, .limit = settings->limit, .sample = true};
    TRI_TRY(
        tri__class_weights_find(settings, tri_model_labels(run->inputs.model), run->inputs.source, &options, &run->inputs.class_weights));
    char text[256];
    tri__class_weights_text(tri_source_describe(run->inputs.source), run->inputs.class_weights, text, sizeof text);
    tri__log_line(run->request->log, TRI_LOG_INFO, "classes weigh %s", text);
    return NULL;
}

tri_status tri__run_check_data(tri__run *run)
{
    TRI_TRY(open_sources(run));
    TRI_TRY(build_graph(run));
    return tri__class_weights_check(&run->settings, tri_model_labels(run->inputs.model), tri_source_describe(run->inputs.source));
}

tri_status tri__run_open_data(tri__run *run)
{
    TRI_TRY(open_sources(run));
    TRI_TRY(build_graph(run));
    return run->settings.class_weights ? weigh_classes(run) : NULL;
}

void tri__inputs_fini(tri__inputs *inputs)
{
    free(inputs->class_weights);
    tri_graph_destroy(inputs->graph);
    tri_source_destroy(inputs->test);
    tri_source_destroy(inputs->source);
    tri_model_destroy(inputs->model);
}
