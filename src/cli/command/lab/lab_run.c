/* lab_run.c: trireme lab run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/text/quote.h"
#include "base/text/text.h"
#include "base/thread/clock.h"
#include "cli/process/program.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "lab/results/numbers.h"
#include "lab/run/runner.h"
#include "lab/study/builtin_studies.h"

static tri_status find_scale(const tri__arguments *arguments, tri__scale *out)
{
    bool quick = tri__argument_flag(arguments, "quick"), full = tri__argument_flag(arguments, "full");
    *out = quick ? TRI_SCALE_QUICK : full ? TRI_SCALE_FULL : TRI_SCALE_USUAL;
    return quick && full ? tri_fail(TRI_BAD_CALL, "--quick and --full: give one of them") : NULL;
}

/* ---- run: progress ---- */

typedef struct {
    tri__session *session;
    int64_t next; /* when the line is drawn next */
} progress_line;

static void draw(void *context, const tri__study_progress *progress)
{
    progress_line *self = context;
    tri__terminal *terminal = &self->session->terminal;
    int64_t now = tri__clock_now();
    char line[600], running[TRI_TEXT_SHORT], left[TRI_TEXT_SHORT];
    if (self->session->quiet || now < self->next)
        return;
    self->next = now + tri__terminal_interval(terminal);
    snprintf(line, sizeof line, "%lld of %lld runs  %s left  %s: %s", (long long)progress->done, (long long)progress->all,
             isnan(progress->left) ? "?" : tri__text_duration(left, progress->left), progress->what,
             tri__text_duration(running, progress->running));
    tri__terminal_progress(terminal, line);
}

/* ---- run: results ---- */

static json_t *finding_json(const char *name, const tri__finding_result *finding)
{
    json_t *confirmed = finding->state == TRI_FINDING_UNKNOWN ? json_null() : json_boolean(finding->state == TRI_FINDING_CONFIRMED);
    return json_pack("{s:s, s:o, s:o, s:s}", "name", name, "confirmed", confirmed, "value", tri__json_number(finding->evidence.first),
                     "evidence", finding->evidence.text);
}

/* Print the findings, or add them to list. */
static tri_status tell_findings(const tri__session *session, const tri__results *results, json_t *list)
{
    const tri__study *study = tri__results_study(results);
    for (int i = 0; i < study->finding_count; i++) {
        tri__finding_result finding;
        TRI_TRY(tri__finding_evaluate(results, i, &finding));
        if (session->json)
            json_array_append_new(list, finding_json(study->findings[i].name, &finding));
        else
            fprintf(session->out, "%-13s  %s  (%s)\n", tri__finding_state_name(finding.state), study->findings[i].name,
                    finding.evidence.text);
    }
    return NULL;
}

static int64_t count_failed(const tri__results *results)
{
    const tri__study *study = tri__results_study(results);
    int64_t failed = 0;
    for (int cell = 0; cell < study->cell_count; cell++)
        for (int repeat = 1; repeat <= study->repeats; repeat++)
            failed += tri__results_failures(results, cell, repeat) && !tri__results_has(results, cell, repeat);
    return failed;
}

/* Warn of columns that no result has: most likely their path is wrong. */
static void warn_of_empty_columns(const tri__session *session, const tri__results *results)
{
    const tri__study *study = tri__results_study(results);
    for (int column = 0; column < study->column_count; column++) {
        bool known = false;
        for (int64_t i = 0; i < tri__results_count(results) && !known; i++) {
            const tri__measurement *one = tri__results_at(results, i);
            known = !one->result ||
                    !isnan(tri__measured_number(study, one, column, tri__result_task(one->result, study->columns[column].scope, 0)));
        }
        if (!known && tri__results_count(results))
            tri__log_line(session->log, TRI_LOG_WARNING, "the column %s has no number in any result: is '%s' right?",
                          study->columns[column].name, tri__expression_text(study->columns[column].expression));
    }
}

static tri_status tell(tri__session *session, const tri__results *results, const char *folder)
{
    const tri__study *study = tri__results_study(results);
    json_t *findings = json_array();
    int64_t failed = count_failed(results);
    tri_status status = tell_findings(session, results, findings);
    if (!status && session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:i, s:I, s:f, s:o, s:s}", "study", study->name, "cells",
                                                          study->cell_count, "failed", (json_int_t)failed, "seconds",
                                                          tri__clock_seconds(tri__clock_now() - session->started), "findings", findings,
                                                          "folder", folder));
    json_decref(findings);
    if (!status && !session->quiet)
        tri__terminal_say(&session->terminal, "%s/results.csv; `trireme lab report %s` makes a page of it", folder, folder);
    return status;
}

/* ---- run ---- */

/* studies/A1, studies/A1-quick */
static void name_folder(const tri__arguments *arguments, const tri__study *study, char *folder, size_t size)
{
    const char *given = tri__argument_text(arguments, "out");
    bool usual = study->scale == TRI_SCALE_USUAL;
    if (given)
        snprintf(folder, size, "%s", given);
    else
        snprintf(folder, size, "studies/%s%s%s", study->name, usual ? "" : "-", usual ? "" : tri__scale_name(study->scale));
}

static tri_status execute(tri__session *session, const tri__arguments *arguments, const tri__study *study)
{
    char folder[4096], program[PATH_MAX];
    progress_line line = {.session = session};
    name_folder(arguments, study, folder, sizeof folder);
    TRI_TRY(tri__program_find(program));
    const tri__study_run run = {.study = study,
                                .folder = folder,
                                .fresh = tri__argument_flag(arguments, "fresh"),
                                .program = program,
                                .version = TRI_VERSION,
                                .cache_folder = session->cache_folder,
                                .log = session->log,
                                .stop = tri__signals_catch(2),
                                .progress = draw,
                                .context = &line};
    tri__results *results;
    tri_status status = tri__study_execute(&run, &results);
    tri__terminal_wipe(&session->terminal);
    if (!status) {
        warn_of_empty_columns(session, results);
        status = tell(session, results, folder);
    }
    int64_t failed = results ? count_failed(results) : 0;
    tri__results_destroy(results);
    if (!status && failed)
        status =
            tri_fail(TRI_INTERNAL, "%lld run%s failed twice: %s/results.csv says why", (long long)failed, failed > 1 ? "s" : "", folder);
    return status;
}

/* ---- list ---- */

/* The commands of all cells. What only a run knows stays as the study's file has it. */
static tri_status list_cell(const tri__session *session, const tri__study *study, int cell, json_t *list)
{
    const tri__study_names names = {.data = "{data}", .run = "{run}", .cluster = "{cluster}", .repeat = 1};
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    char text[400], *command = NULL;
    tri_status status = tri__study_command(study, cell, &names, &line);
    if (!status && !(command = tri__quote_words("trireme", line.count, tri__command_line_words(&line))))
        status = tri_fail(TRI_NO_MEMORY, "no memory for a command");
    tri__study_cell_text(study, cell, text, sizeof text);
    if (!status && session->json)
        json_array_append_new(list, json_pack("{s:s, s:s}", "cell", text, "command", command));
    else if (!status)
        fprintf(session->out, "%s\n", command);
    free(command);
    tri__command_line_fini(&line);
    return status;
}

static tri_status list_runs(tri__session *session, const tri__study *study)
{
    json_t *list = json_array();
    const int64_t runs = (int64_t)study->cell_count * study->repeats;
    tri_status status = NULL;
    for (int cell = 0; cell < study->cell_count && !status; cell++)
        status = list_cell(session, study, cell, list);
    if (!status && session->json)
        return tri__session_print_json(session,
                                       json_pack("{s:s, s:s, s:i, s:I, s:o}", "study", study->name, "scale", tri__scale_name(study->scale),
                                                 "repeats", study->repeats, "runs", (json_int_t)runs, "cells", list));
    json_decref(list);
    if (!status)
        tri__terminal_say(&session->terminal, "%d cell%s, %d repeat%s of each: %lld run%s", study->cell_count,
                          study->cell_count > 1 ? "s" : "", study->repeats, study->repeats > 1 ? "s" : "", (long long)runs,
                          runs > 1 ? "s" : "");
    return status;
}

static tri_status run_lab_run(tri__session *session, const tri__arguments *arguments)
{
    tri__scale scale;
    tri__study *study;
    TRI_TRY(find_scale(arguments, &scale));
    TRI_TRY(tri__study_load(arguments->operands[0], scale, &study));
    tri_status status = tri__argument_flag(arguments, "list") ? list_runs(session, study) : execute(session, arguments, study);
    tri__study_destroy(study);
    return status;
}

static const tri__option lab_run_options[] = {
    {.name = "quick", .group = "Scale", .meaning = "a short version of the study, about a minute"},
    {.name = "full", .meaning = "all of it, as it was published; may take hours"},
    {.name = "list", .meaning = "show the command of each cell, and run nothing"},
    OUT_FOLDER_ROW("Output", "studies/NAME", "the folder for the results; where it has some of the same study, the rest is run"),
    {.name = "fresh", .meaning = "remove the results that the folder has, and begin anew"},
    {.name = "quiet", .meaning = QUIET_MEANING},
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_lab_run = {
    .name = "lab run",
    .usage = "STUDY [--quick|--full] [--out DIR]",
    .run = run_lab_run,
    .least = 1,
    .most = 1,
    .options = lab_run_options,
    .meaning = "run a study: a command with many settings, several times each",
    .detail = "A study is a YAML file: a command, factors with their values, columns of the results, tables, plots, and findings that are "
              "checked "
              "(docs/lab.md). Published studies are built in. Cells run one after another, in random order, repeats interleaved; after "
              "Ctrl-C or "
              "a crash the same command goes on. A run that fails is tried once more. The exit status is 1 where one failed twice.",
    .operands = {{"STUDY", "the name of a built-in study ('trireme lab list' shows them), or a YAML file", tri__builtin_study_names}},
    .examples = {{"trireme lab run A1 --quick", "a published study, in about a minute"},
                 {"trireme lab run mine.yaml --out results", "a study of your own"}},
};
