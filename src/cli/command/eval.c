/* eval.c: trireme eval: the figures of all examples, and those of each class. */
#include <math.h>

#include "cli/command/class_names.h"
#include "cli/command/commands.h"
#include "cli/command/examples.h"
#include "cli/process/signals.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/trained.h"
#include "watch/progress/text.h"

enum { AMONG = 5, MATRIX = 20 }; /* likeliest classes; classes whose matrix is printed */

/* What eval found out: the figures, and which class was taken for which. */
typedef struct {
    const tri__trained *trained;
    const tri_source_info *source;
    tri__evaluation result;
    tri__confusion confusion; /* of no classes where there are too many */
    tri__class_names names;
} findings;

static void print_table(FILE *out, const findings *found)
{
    char step[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT];
    const tri__evaluation *result = &found->result;
    fprintf(out, "model       %s at step %s\n", found->trained->checkpoint->model_name,
            tri__text_count(step, (double)found->trained->checkpoint->state.step));
    fprintf(out, "data        %s, %s examples\n", found->source->spec, tri__text_count(examples, (double)result->examples));
    if (result->damaged)
        fprintf(out, "damaged     %s records left out\n", tri__text_count(examples, (double)result->damaged));
    fprintf(out, "loss        %.4f\naccuracy    %.2f %%\n", result->loss, 100 * result->accuracy);
    if (found->confusion.classes > AMONG)
        fprintf(out, "top 5       %.2f %%\n", 100 * tri__confusion_among(&found->confusion, AMONG));
    if (!isnan(result->logloss))
        fprintf(out, "AUC         %.4f\nlog loss    %.4f\n", result->auc, result->logloss);
    if (!isnan(result->calibration))
        fprintf(out, "calibration %.3f\n", result->calibration);
}

/* ---- by class ---- */

static json_t *share_json(double share)
{
    return isnan(share) ? json_null() : json_real(share);
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
        json_array_append_new(classes, json_pack("{s:o, s:o, s:o, s:o, s:I}", "class", tri__class_json(&found->names, label), "precision",
                                                 share_json(score.precision), "recall", share_json(score.recall), "f1",
                                                 share_json(score.f1), "count", (json_int_t)score.count));
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
    json_t *value = json_pack("{s:s, s:I, s:s, s:I, s:I, s:f, s:f}", "checkpoint", checkpoint->path, "step",
                              (json_int_t)checkpoint->state.step, "data", found->source->spec, "examples", (json_int_t)result->examples,
                              "damaged", (json_int_t)result->damaged, "test_loss", result->loss, "test_accuracy", result->accuracy);
    if (value && !isnan(result->logloss)) {
        json_object_set_new(value, "auc", share_json(result->auc));
        json_object_set_new(value, "logloss", json_real(result->logloss));
        json_object_set_new(value, "test_logloss", json_real(result->logloss));
        json_object_set_new(value, "test_auc", share_json(result->auc));
        json_object_set_new(value, "test_calibration", share_json(result->calibration));
    }
    if (value && found->confusion.classes)
        add_classes_json(found, value);
    return tri__session_print_json(session, value);
}

static void print_share(FILE *out, double share)
{
    if (isnan(share))
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %7.2f %%", 100 * share);
}

/* A line a class, and beside it how often it was taken for each class, where that fits. */
static void print_classes(FILE *out, const findings *found)
{
    char text[TRI_CLASS_NAME];
    const int64_t classes = found->confusion.classes;
    const bool matrix = classes <= MATRIX;
    fprintf(out, "\n%-16s %9s %9s %9s %8s%s\n", "class", "precision", "recall", "F1", "examples",
            matrix ? "   taken for each class, in this order" : "");
    for (int64_t label = 0; label < classes; label++) {
        const tri__class_score score = tri__confusion_class(&found->confusion, label);
        fprintf(out, "%-16.16s", tri__class_name(&found->names, label, text));
        print_share(out, score.precision);
        print_share(out, score.recall);
        print_share(out, score.f1);
        fprintf(out, " %8lld  ", (long long)score.count);
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
    };
    TRI_TRY(tri__photos_fit(found->source, trained->checkpoint->class_names, trained->checkpoint->input.classes));
    tri__evaluator *evaluator;
    TRI_TRY(tri__evaluator_create(trained->graph, source, trained->store, &options, &evaluator));
    tri_status status = tri__evaluator_run(evaluator, &found->result);
    tri__evaluator_destroy(evaluator);
    return status;
}

static tri_status evaluate_and_print(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                     tri_source *source)
{
    const int64_t classes = tri__class_count(trained->graph);
    findings found = {
        .trained = trained, .source = tri_source_describe(source), .names = tri__class_names_of_model(trained->checkpoint, classes)};
    if (classes <= TRI_CONFUSION_CLASSES)
        TRI_TRY(tri__confusion_init(&found.confusion, classes));
    tri_status status = evaluate(arguments, source, &found);
    if (!status)
        status = print_findings(session, &found);
    tri__confusion_fini(&found.confusion);
    return status;
}

tri_status tri__command_eval(tri__session *session, const tri__arguments *arguments)
{
    tri__signals_exit();
    tri__trained trained;
    TRI_TRY(tri__trained_open(arguments->operands[0], tri__argument_integer(arguments, "batch"), session->log, &trained));
    tri_source *source = NULL;
    tri_status status = tri__open_examples(session, arguments, &trained, NULL, false, &source);
    if (!status)
        status = evaluate_and_print(session, arguments, &trained, source);
    tri_source_destroy(source);
    tri__trained_fini(&trained);
    return status;
}
