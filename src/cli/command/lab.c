/* lab.c: trireme lab run, report, compare, list: studies, built in or of one's own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/thread/clock.h"
#include "cli/command/commands.h"
#include "cli/process/program.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "lab/report/report.h"
#include "lab/study/builtin_studies.h"
#include "lab/study/compare.h"
#include "lab/study/numbers.h"
#include "lab/study/runner.h"
#include "watch/progress/text.h"

#define LIVE_INTERVAL  INT64_C(100000000)
#define PLAIN_INTERVAL INT64_C(10000000000)

static tri_status find_scale(const tri__arguments *arguments, tri__scale *out)
{
    bool quick = tri__argument_flag(arguments, "quick"), full = tri__argument_flag(arguments, "full");
    *out = quick ? TRI_SCALE_QUICK : full ? TRI_SCALE_FULL : TRI_SCALE_USUAL;
    return quick && full ? tri_fail(TRI_BAD_CALL, "--quick and --full: give one of them") : NULL;
}

/* ---- run: how far it is ---- */

typedef struct {
    tri__session *session;
    int64_t next; /* when the line is due */
} progress_line;

static void draw(void *context, const tri__study_progress *progress)
{
    progress_line *self = context;
    tri__terminal *terminal = &self->session->terminal;
    int64_t now = tri__clock_now();
    char line[600], running[TRI_TEXT_SHORT], left[TRI_TEXT_SHORT];
    if (self->session->quiet || now < self->next)
        return;
    self->next = now + (terminal->live ? LIVE_INTERVAL : PLAIN_INTERVAL);
    snprintf(line, sizeof line, "%lld of %lld runs  %s left  %s: %s", (long long)progress->done, (long long)progress->all,
             isnan(progress->left) ? "?" : tri__text_duration(left, progress->left), progress->what,
             tri__text_duration(running, progress->running));
    if (terminal->live)
        tri__terminal_draw(terminal, line);
    else
        tri__terminal_say(terminal, "%s", line);
}

/* ---- run: what came of it ---- */

static const char *state_name(tri__finding_state state)
{
    static const char *const names[] = {"unknown", "confirmed", "not confirmed"};
    return names[state];
}

static json_t *finding_json(const char *name, const tri__finding_result *finding)
{
    json_t *confirmed = finding->state == TRI_FINDING_UNKNOWN ? json_null() : json_boolean(finding->state == TRI_FINDING_CONFIRMED);
    return json_pack("{s:s, s:o, s:o, s:s}", "name", name, "confirmed", confirmed, "value", tri__json_number(finding->evidence.first),
                     "evidence", finding->evidence.text);
}

/* The findings, printed or as a list. */
static tri_status tell_findings(const tri__session *session, const tri__results *results, json_t *list)
{
    const tri__study *study = tri__results_study(results);
    for (int i = 0; i < study->finding_count; i++) {
        tri__finding_result finding;
        TRI_TRY(tri__finding_evaluate(results, i, &finding));
        if (session->json)
            json_array_append_new(list, finding_json(study->findings[i].name, &finding));
        else
            fprintf(session->out, "%-13s  %s  (%s)\n", state_name(finding.state), study->findings[i].name, finding.evidence.text);
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

/* A column that no result has is most likely a wrong path. */
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
        status = tri_fail(TRI_INTERNAL, "%lld runs failed twice: %s/results.csv has the reasons", (long long)failed, folder);
    return status;
}

tri_status tri__command_lab_run(tri__session *session, const tri__arguments *arguments)
{
    tri__scale scale;
    tri__study *study;
    TRI_TRY(find_scale(arguments, &scale));
    TRI_TRY(tri__study_load(arguments->operands[0], scale, &study));
    tri_status status = execute(session, arguments, study);
    tri__study_destroy(study);
    return status;
}

/* ---- report ---- */

/* A folder with results; or the name of a study whose results are where `lab run` puts them. */
static const char *find_results(const char *named, char *folder, size_t size)
{
    snprintf(folder, size, "studies/%s", named);
    return tri__folder_exists(named) || !tri__folder_exists(folder) ? named : folder;
}

/* The list links to the report: by the path from its own folder on, where the report is below that. */
static tri_status append_to(const char *list, const char *out, const tri__results *results)
{
    char link[4200], *folder = tri__path_parent(list);
    size_t length = folder ? strlen(folder) : 0;
    bool below = folder && !strncmp(out, folder, length) && out[length] == '/';
    snprintf(link, sizeof link, "%s/report.md", below ? out + length + 1 : out);
    free(folder);
    return tri__report_append(results, list, link);
}

tri_status tri__command_lab_report(tri__session *session, const tri__arguments *arguments)
{
    char room[4096];
    const char *folder = find_results(arguments->operands[0], room, sizeof room), *out = tri__argument_text(arguments, "out");
    tri__results *results;
    const char *list = tri__argument_text(arguments, "append");
    out = out ? out : folder;
    TRI_TRY(tri__results_read(folder, &results));
    tri_status status = tri__folder_create(out);
    if (!status)
        status = tri__report_write(results, out);
    if (!status && list)
        status = append_to(list, out, results);
    tri__results_destroy(results);
    if (status)
        return status;
    if (session->json)
        return tri__session_print_json(session, json_pack("{s:s+, s:s+}", "html", out, "/report.html", "markdown", out, "/report.md"));
    fprintf(session->out, "%s/report.html\n%s/report.md\n", out, out);
    return NULL;
}

/* ---- compare ---- */

static const char *change_name(tri__change change)
{
    static const char *const names[] = {"unknown", "same", "changed"};
    return names[change];
}

static void print_comparison(FILE *out, const tri__study *study, const tri__comparison *one)
{
    char text[400];
    double change = one->before != 0 ? 100 * (one->after / one->before - 1) : NAN;
    fprintf(out, "%-8s %-16s %12.6g %12.6g %+8.1f %% %9.2g  %s\n", change_name(one->change), study->columns[one->column].name, one->before,
            one->after, change, one->p, tri__study_cell_text(study, one->cell, text, sizeof text));
}

static json_t *comparison_json(const tri__study *study, const tri__comparison *one)
{
    char text[400];
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s}", "cell", tri__study_cell_text(study, one->cell, text, sizeof text), "column",
                     study->columns[one->column].name, "before", tri__json_number(one->before), "after", tri__json_number(one->after), "p",
                     tri__json_number(one->p), "change", change_name(one->change));
}

/* Findings that came out otherwise. */
static tri_status compare_findings(const tri__session *session, const tri__results *a, const tri__results *b, json_t *list)
{
    const tri__study *study = tri__results_study(a), *other = tri__results_study(b);
    for (int i = 0; i < study->finding_count; i++)
        for (int k = 0; k < other->finding_count; k++) {
            tri__finding_result before, after;
            if (strcmp(study->findings[i].name, other->findings[k].name))
                continue;
            TRI_TRY(tri__finding_evaluate(a, i, &before));
            TRI_TRY(tri__finding_evaluate(b, k, &after));
            if (before.state == after.state)
                continue;
            if (session->json)
                json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", study->findings[i].name, "before",
                                                      state_name(before.state), "after", state_name(after.state)));
            else
                fprintf(session->out, "the finding '%s' was %s (%s) and is %s (%s)\n", study->findings[i].name, state_name(before.state),
                        before.evidence.text, state_name(after.state), after.evidence.text);
        }
    return NULL;
}

static tri_status print_comparisons(tri__session *session, const tri__results *a, const tri__results *b, const tri__comparison *all,
                                    int64_t count)
{
    const tri__study *study = tri__results_study(a);
    json_t *list = json_array(), *findings = json_array();
    int64_t changed = 0;
    if (!session->json)
        fprintf(session->out, "%-8s %-16s %12s %12s %10s %9s  %s\n", "", "column", "before", "after", "change", "p", "cell");
    for (int64_t i = 0; i < count; i++) {
        changed += all[i].change == TRI_CHANGE_REAL;
        if (session->json)
            json_array_append_new(list, comparison_json(study, &all[i]));
        else
            print_comparison(session->out, study, &all[i]);
    }
    tri_status status = compare_findings(session, a, b, findings);
    if (!status && session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:I, s:o, s:o}", "study", study->name, "changed", (json_int_t)changed,
                                                          "comparisons", list, "findings", findings));
    json_decref(list);
    json_decref(findings);
    if (!status)
        fprintf(session->out, "%lld of %lld changed by more than noise\n", (long long)changed, (long long)count);
    return status;
}

tri_status tri__command_lab_compare(tri__session *session, const tri__arguments *arguments)
{
    char room[2][4096];
    tri__results *a = NULL, *b = NULL;
    tri__comparison *all = NULL;
    int64_t count = 0;
    tri_status status = tri__results_read(find_results(arguments->operands[0], room[0], sizeof room[0]), &a);
    if (!status)
        status = tri__results_read(find_results(arguments->operands[1], room[1], sizeof room[1]), &b);
    if (!status)
        status = tri__results_compare(a, b, &all, &count);
    if (!status)
        status = print_comparisons(session, a, b, all, count);
    free(all);
    tri__results_destroy(a);
    tri__results_destroy(b);
    return status;
}

/* ---- list ---- */

static tri_status list_one(const tri__session *session, const char *name, json_t *list)
{
    tri__study *study;
    TRI_TRY(tri__study_load(name, TRI_SCALE_USUAL, &study));
    if (session->json)
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", study->name, "title", study->title, "cells",
                                              study->cell_count, "repeats", study->repeats, "findings", study->finding_count));
    else
        fprintf(session->out, "%-4s %5d %8d %9d  %s\n", study->name, study->cell_count, study->repeats, study->finding_count, study->title);
    tri__study_destroy(study);
    return NULL;
}

tri_status tri__command_lab_list(tri__session *session, const tri__arguments *arguments)
{
    json_t *list = json_array();
    tri_status status = NULL;
    (void)arguments;
    if (!session->json)
        fprintf(session->out, "%-4s %5s %8s %9s  %s\n", "", "cells", "repeats", "findings", "title");
    for (const tri__builtin_text *row = tri__builtin_studies; row->name && !status; row++)
        status = list_one(session, row->name, list);
    if (!status && session->json)
        return tri__session_print_json(session, json_pack("{s:o}", "studies", list));
    json_decref(list);
    return status;
}
