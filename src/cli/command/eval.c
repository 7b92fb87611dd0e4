/* eval.c: trireme eval. */
#include <math.h>

#include "cli/command/commands.h"
#include "cli/command/examples.h"
#include "cli/process/signals.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/trained.h"
#include "watch/progress/text.h"

static tri_status print_json(tri__session *session, const tri__trained *trained, const tri_source_info *source,
                             const tri__evaluation *result)
{
    json_t *value = json_pack("{s:s, s:I, s:s, s:I, s:I, s:f, s:f}", "checkpoint", trained->checkpoint->path, "step",
                              (json_int_t)trained->checkpoint->state.step, "data", source->spec, "examples", (json_int_t)result->examples,
                              "damaged", (json_int_t)result->damaged, "test_loss", result->loss, "test_accuracy", result->accuracy);
    if (value && !isnan(result->logloss)) {
        json_object_set_new(value, "auc", isnan(result->auc) ? json_null() : json_real(result->auc));
        json_object_set_new(value, "logloss", json_real(result->logloss));
        json_object_set_new(value, "test_logloss", json_real(result->logloss));
        json_object_set_new(value, "test_auc", isnan(result->auc) ? json_null() : json_real(result->auc));
        json_object_set_new(value, "test_calibration", isnan(result->calibration) ? json_null() : json_real(result->calibration));
    }
    return tri__session_print_json(session, value);
}

static void print_table(tri__session *session, const tri__trained *trained, const tri_source_info *source, const tri__evaluation *result)
{
    char step[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT];
    fprintf(session->out, "model       %s at step %s\n", trained->checkpoint->model_name,
            tri__text_count(step, (double)trained->checkpoint->state.step));
    fprintf(session->out, "data        %s, %s examples\n", source->spec, tri__text_count(examples, (double)result->examples));
    if (result->damaged)
        fprintf(session->out, "damaged     %s records left out\n", tri__text_count(examples, (double)result->damaged));
    fprintf(session->out, "loss        %.4f\naccuracy    %.2f %%\n", result->loss, 100 * result->accuracy);
    if (!isnan(result->logloss))
        fprintf(session->out, "AUC         %.4f\nlog loss    %.4f\n", result->auc, result->logloss);
    if (!isnan(result->calibration))
        fprintf(session->out, "calibration %.3f\n", result->calibration);
}

static tri_status evaluate(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, tri_source *source)
{
    const tri__evaluator_options options = {
        .batch = tri__argument_integer(arguments, "batch"),
        .limit = tri__argument_integer(arguments, "limit"),
        .seed = tri__examples_seed(arguments, trained),
        .threads = (int)tri__argument_integer(arguments, "threads"),
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
    };
    TRI_TRY(tri__photos_fit(tri_source_describe(source), trained->checkpoint->class_names, trained->checkpoint->input.classes));
    tri__evaluator *evaluator;
    TRI_TRY(tri__evaluator_create(trained->graph, source, trained->store, &options, &evaluator));
    tri__evaluation result;
    tri_status status = tri__evaluator_run(evaluator, &result);
    tri__evaluator_destroy(evaluator);
    TRI_TRY(status);
    if (session->json)
        return print_json(session, trained, tri_source_describe(source), &result);
    print_table(session, trained, tri_source_describe(source), &result);
    return NULL;
}

tri_status tri__command_eval(tri__session *session, const tri__arguments *arguments)
{
    tri__signals_exit();
    tri__trained trained;
    TRI_TRY(tri__trained_open(arguments->operands[0], tri__argument_integer(arguments, "batch"), session->log, &trained));
    tri_source *source = NULL;
    tri_status status = tri__open_examples(session, arguments, &trained, NULL, false, &source);
    if (!status)
        status = evaluate(session, arguments, &trained, source);
    tri_source_destroy(source);
    tri__trained_fini(&trained);
    return status;
}
