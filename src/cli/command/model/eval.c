/* eval.c: trireme eval: prints the figures of all examples, and those of each class. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "cli/command/model/class_names.h"
#include "cli/command/model/eval_page.h"
#include "cli/command/model/examples.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "train/evaluate/trained.h"

enum { AMONG = 5, MATRIX = 20 }; /* AMONG: likeliest classes; MATRIX: the most classes whose matrix is printed */

/* The results of eval: the figures, and which class was taken for which. */
typedef struct {
    const tri__trained *trained;
    const tri_source_info *source;
    tri__taken_examples taken;
    tri__evaluation result;
    tri__confusion confusion;   /* empty where there are too many classes, or where labels are not classes */
    tri__label_sets label_sets; /* empty where labels are not sets */
    tri__mistakes mistakes;
    tri__class_names names;
} findings;

/* ": held out by --validation 10%": the user must see whether the model was trained on these examples. */
static void print_which(FILE *out, const findings *found)
{
    const tri__train_options *run = &found->trained->checkpoint->options;
    const bool own = run->data && !strcmp(run->data, found->source->spec);
    if (found->taken.held_out)
        fprintf(out, ": held out by --validation %s", found->taken.held_out);
    else if (found->taken.only && own && run->validation)
        fprintf(out, ": all of them, those it was trained on, too (--part validation: what --validation %s held out)", run->validation);
    else if (found->taken.only && own)
        fprintf(out, ": those it was trained on, since there is no test part");
    else if (!found->taken.only)
        fprintf(out, " (%s part)", found->taken.part);
}

static void print_table(FILE *out, const findings *found)
{
    char step[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT];
    const tri__evaluation *result = &found->result;
    fprintf(out, "model       %s at step %s\n", found->trained->checkpoint->model_name,
            tri__text_count(step, (double)found->trained->checkpoint->state.step));
    fprintf(out, "data        %s, %s examples", found->source->spec, tri__text_count(examples, (double)result->examples));
    print_which(out, found);
    fputc('\n', out);
    if (result->damaged)
        fprintf(out, "damaged     %s records left out\n", tri__text_count(examples, (double)result->damaged));
    const tri__measure *measure;
    for (int i = 0; (measure = tri__measure_at(i)); i++) {
        const double value = tri__measure_of(measure, result);
        if (!isnan(value) || measure->models == TRI_OF_ALL)
            fprintf(out, measure->percent ? "%-11s %.2f %%\n" : "%-11s %.4f\n", measure->title, measure->percent ? 100 * value : value);
    }
    if (found->confusion.classes > AMONG)
        fprintf(out, "top 5       %.2f %%\n", 100 * tri__confusion_among(&found->confusion, AMONG));
}

/* ---- by class ---- */

static json_t *share_json(double share)
{
    return isnan(share) ? json_null() : json_real(share);
}

static json_t *score_json(const findings *found, int64_t label, tri__class_score score)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", found->label_sets.labels ? "label" : "class", tri__class_json(&found->names, label),
                     "precision", share_json(score.precision), "recall", share_json(score.recall), "f1", share_json(score.f1), "count",
                     (json_int_t)score.count);
}

static void add_labels_json(const findings *found, json_t *value)
{
    json_t *labels = json_array();
    for (int64_t label = 0; label < found->label_sets.labels; label++)
        json_array_append_new(labels, score_json(found, label, tri__label_sets_score(&found->label_sets, label)));
    json_object_set_new(value, "per_label", labels);
}

static void add_classes_json(const findings *found, json_t *value)
{
    json_t *matrix = json_array(), *classes = json_array();
    for (int64_t label = 0; label < found->confusion.classes; label++) {
        json_t *row = json_array();
        const tri__class_score score = tri__confusion_class(&found->confusion, label);
        for (int64_t guess = 0; guess < found->confusion.classes; guess++)
            json_array_append_new(row, json_integer(tri__confusion_at(&found->confusion, label, guess)));
        json_array_append_new(matrix, row);
        json_array_append_new(classes, score_json(found, label, score));
    }
    json_object_set_new(value, "confusion", matrix);
    json_object_set_new(value, "per_class", classes);
    json_object_set_new(value, "mean_f1", share_json(tri__confusion_mean_f1(&found->confusion)));
    if (found->confusion.classes > AMONG)
        json_object_set_new(value, "top5_accuracy", share_json(tri__confusion_among(&found->confusion, AMONG)));
}

static tri_status print_json(tri__session *session, const findings *found)
{
    const tri__checkpoint *checkpoint = found->trained->checkpoint;
    const tri__evaluation *result = &found->result;
    json_t *value = json_pack("{s:s, s:I, s:s, s:s, s:I, s:I}", "checkpoint", checkpoint->path, "step", (json_int_t)checkpoint->state.step,
                              "data", found->source->spec, "part", found->taken.part, "examples", (json_int_t)result->examples, "damaged",
                              (json_int_t)result->damaged);
    const unsigned model = tri__measured_as(found->trained->graph);
    const tri__measure *measure;
    for (int i = 0; value && (measure = tri__measure_at(i)); i++) {
        char key[64];
        snprintf(key, sizeof key, "test_%s", measure->name);
        if (measure->models & model)
            json_object_set_new(value, key, share_json(tri__measure_of(measure, result)));
    }
    if (value && !isnan(result->logloss)) {
        json_object_set_new(value, "auc", share_json(result->auc));
        json_object_set_new(value, "logloss", json_real(result->logloss));
    }
    if (value && found->confusion.classes)
        add_classes_json(found, value);
    if (value && found->label_sets.labels)
        add_labels_json(found, value);
    return tri__session_print_json(session, value);
}

static void print_share(FILE *out, double share)
{
    if (isnan(share))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %7.2f %%", 100 * share);
}

static void print_score(FILE *out, const findings *found, int64_t label, tri__class_score score)
{
    char text[TRI_CLASS_NAME];
    fprintf(out, "%-16.16s", tri__class_name(&found->names, label, text));
    print_share(out, score.precision);
    print_share(out, score.recall);
    print_share(out, score.f1);
    fprintf(out, " %8lld", (long long)score.count);
}

static void print_labels(FILE *out, const findings *found)
{
    fprintf(out, "\n%-16s %9s %9s %9s %8s\n", "label", "precision", "recall", "F1", "examples");
    for (int64_t label = 0; label < found->label_sets.labels; label++) {
        print_score(out, found, label, tri__label_sets_score(&found->label_sets, label));
        fputc('\n', out);
    }
}

/* A line for each class and, where it fits, how often the class was taken for each other class. */
static void print_classes(FILE *out, const findings *found)
{
    const int64_t classes = found->confusion.classes;
    const bool matrix = classes <= MATRIX;
    fprintf(out, "\n%-16s %9s %9s %9s %8s%s\n", "class", "precision", "recall", "F1", "examples",
            matrix ? "   taken for each class, in this order" : "");
    for (int64_t label = 0; label < classes; label++) {
        print_score(out, found, label, tri__confusion_class(&found->confusion, label));
        fputs("  ", out);
        for (int64_t guess = 0; matrix && guess < classes; guess++)
            fprintf(out, " %5lld", (long long)tri__confusion_at(&found->confusion, label, guess));
        fputc('\n', out);
    }
}

static tri_status print_findings(tri__session *session, const findings *found)
{
    if (session->json)
        return print_json(session, found);
    print_table(session->out, found);
    if (found->confusion.classes && !session->quiet)
        print_classes(session->out, found);
    if (found->label_sets.labels && !session->quiet)
        print_labels(session->out, found);
    return NULL;
}

static tri_status evaluate(const tri__arguments *arguments, tri_source *source, findings *found)
{
    const tri__trained *trained = found->trained;
    const tri__evaluator_options options = {
        .batch = tri__argument_integer(arguments, "batch"),
        .limit = tri__argument_integer(arguments, "limit"),
        .seed = tri__examples_seed(arguments, trained),
        .threads = (int)tri__argument_integer(arguments, "threads"),
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
        .confusion = found->confusion.classes ? &found->confusion : NULL,
        .mistakes = &found->mistakes,
        .label_sets = found->label_sets.labels ? &found->label_sets : NULL,
    };
    TRI_TRY(tri__photos_fit(found->source, trained->checkpoint->class_names, trained->checkpoint->input.classes));
    tri__evaluator *evaluator;
    TRI_TRY(tri__evaluator_create(trained->graph, source, trained->store, &options, &evaluator));
    tri_status status = tri__evaluator_run(evaluator, &found->result);
    tri__evaluator_destroy(evaluator);
    return status;
}

static tri_status write_page(const char *path, tri_source *source, const findings *found)
{
    char title[256], *figures = NULL;
    size_t size;
    if (!found->confusion.classes)
        return tri_fail(TRI_BAD_CALL, "--html shows which class was taken for which, and this model has no classes, or more than %d",
                        TRI_CONFUSION_CLASSES);
    FILE *out = open_memstream(&figures, &size);
    if (!out)
        return tri_fail(TRI_NO_MEMORY, "no memory for %s", path);
    print_table(out, found);
    fclose(out);
    snprintf(title, sizeof title, "%s on %s", found->trained->checkpoint->model_name, found->source->spec);
    const tri__eval_page page = {.model = title,
                                 .figures = figures,
                                 .source = source,
                                 .confusion = &found->confusion,
                                 .mistakes = &found->mistakes,
                                 .names = &found->names};
    tri_status status = tri__eval_page_write(path, &page);
    free(figures);
    return status;
}

static tri_status evaluate_and_print(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                     tri_source *source, tri__taken_examples taken)
{
    const int64_t classes = tri__class_count(trained->graph);
    findings found = {.trained = trained,
                      .source = tri_source_describe(source),
                      .taken = taken,
                      .names = tri__class_names_of_model(trained->checkpoint, classes)};
    const tri_label_kind kind = tri_graph_labels(trained->graph);
    if (kind == TRI_LABEL_CLASS && classes <= TRI_CONFUSION_CLASSES)
        TRI_TRY(tri__confusion_init(&found.confusion, classes));
    if (kind == TRI_LABEL_SET)
        TRI_TRY(tri__label_sets_init(&found.label_sets, classes));
    tri__csv_columns columns = {0};
    tri_status status = tri__class_names_of_columns(trained->checkpoint, kind, classes, &columns, &found.names);
    if (!status)
        status = evaluate(arguments, source, &found);
    const char *path = tri__argument_text(arguments, "html");
    if (!status && path)
        status = write_page(path, source, &found);
    if (!status)
        status = print_findings(session, &found);
    tri__confusion_fini(&found.confusion);
    tri__label_sets_fini(&found.label_sets);
    tri__csv_columns_fini(&columns);
    return status;
}

static tri_status run_eval(tri__session *session, const tri__arguments *arguments)
{
    tri__signals_exit();
    tri__trained trained;
    TRI_TRY(tri__trained_open(arguments->operands[0], tri__argument_integer(arguments, "batch"), session->log, &trained));
    tri_source *source = NULL;
    tri__taken_examples taken;
    tri_status status = tri__open_examples(session, arguments, &trained, NULL, false, &source, &taken);
    if (!status)
        status = evaluate_and_print(session, arguments, &trained, source, taken);
    tri_source_destroy(source);
    tri__trained_fini(&trained);
    return status;
}

static const tri__option eval_options[] = {
    TEST_DATA_ROW("the examples to evaluate on; where left out, those of the run"),
    PART_ROW,
    LIMIT_ROW("N examples only: a sample over all of the source, drawn by --seed"),
    SKIP_BAD_ROW("leave out up to N damaged records; more end the evaluation"),
    SEED_ROW("of synthetic data, and of the sample of --limit"),
    {.name = "html",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "also write a page: figures, which class was taken for which, and the surest mistakes as pictures",
     .detail = "The page needs no other file, and follows the reader's light or dark setting."},
    BATCH_ROW,
    THREADS_ROW,
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_eval = {
    .name = "eval",
    .usage = "RUN|CHECKPOINT [--data SOURCE]",
    .run = run_eval,
    .least = 1,
    .most = 1,
    .options = eval_options,
    .meaning = "accuracy and loss of a trained model",
    .detail =
        "Evaluates the newest checkpoint of a run folder, or one checkpoint file, on a source. With two classes it also tells the area "
        "under the ROC curve and the log loss, with more than five how often the label is among the five likeliest. A table has "
        "precision, recall and F1 of each class and, for up to 20 classes, which class was taken for which; --quiet leaves it out, --json "
        "has it for up to 4096. The checkpoint carries its model: nothing else is needed.",
    .operands = {{"RUN|CHECKPOINT", "a run folder or a .safetensors file of its checkpoint folder"}},
    .examples = {{"trireme eval runs/lenet-2026-11-15-1 --data fashion", "on the test examples"},
                 {"trireme eval runs/lenet-2026-11-15-1 --data fashion --part train", "on those it was trained on"},
                 {"trireme eval runs/lenet-2026-11-15-1 --part validation", "on what --validation held out of the run's data"},
                 {"trireme eval runs/lenet-2026-11-15-1 --html mistakes.html", "a page with the surest mistakes"}},
};
