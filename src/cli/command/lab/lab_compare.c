/* lab_compare.c: trireme lab compare. */
#include "lab/results/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/lab/lab.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "lab/results/numbers.h"

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

/* Findings whose result differs. */
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
                json_array_append_new(list,
                                      json_pack("{s:s, s:s, s:s}", "name", study->findings[i].name, "before",
                                                tri__finding_state_name(before.state), "after", tri__finding_state_name(after.state)));
            else
                fprintf(session->out, "the finding '%s' was %s (%s) and is %s (%s)\n", study->findings[i].name,
                        tri__finding_state_name(before.state), before.evidence.text, tri__finding_state_name(after.state),
                        after.evidence.text);
        }
    return NULL;
}

static tri_status print_comparisons(tri__session *session, const tri__results *a, const tri__results *b, const tri__comparison *all,
                                    int64_t count)
{
    const tri__study *study = tri__results_study(a);
    json_t *list = json_array(), *findings = json_array();
    int64_t changed = 0, unknown = 0;
    if (!session->json)
        fprintf(session->out, "%-8s %-16s %12s %12s %10s %9s  %s\n", "", "column", "before", "after", "change", "p", "cell");
    for (int64_t i = 0; i < count; i++) {
        changed += all[i].change == TRI_CHANGE_REAL;
        unknown += all[i].change == TRI_CHANGE_UNKNOWN;
        if (session->json)
            json_array_append_new(list, comparison_json(study, &all[i]));
        else
            print_comparison(session->out, study, &all[i]);
    }
    tri_status status = compare_findings(session, a, b, findings);
    if (!status && session->json)
        return tri__session_print_json(session, json_pack("{s:s, s:I, s:I, s:o, s:o}", "study", study->name, "changed", (json_int_t)changed,
                                                          "unknown", (json_int_t)unknown, "comparisons", list, "findings", findings));
    json_decref(list);
    json_decref(findings);
    if (!status)
        fprintf(session->out, "%lld of %lld changed by more than noise\n", (long long)changed, (long long)count - unknown);
    if (!status && unknown)
        fprintf(session->out,
                "%lld unknown: noise is seen only where both sides have two repeats or more; run the study with more `repeats`\n",
                (long long)unknown);
    return status;
}

static tri_status run_lab_compare(tri__session *session, const tri__arguments *arguments)
{
    char room[2][4096];
    tri__results *a = NULL, *b = NULL;
    tri__comparison *all = NULL;
    int64_t count = 0;
    tri_status status = tri__results_read(tri__lab_find_results(arguments->operands[0], room[0], sizeof room[0]), &a);
    if (!status)
        status = tri__results_read(tri__lab_find_results(arguments->operands[1], room[1], sizeof room[1]), &b);
    if (!status)
        status = tri__results_compare(a, b, &all, &count);
    if (!status)
        status = print_comparisons(session, a, b, all, count);
    free(all);
    tri__results_destroy(a);
    tri__results_destroy(b);
    return status;
}

const tri__command tri__command_lab_compare = {
    .name = "lab compare",
    .usage = "BEFORE AFTER",
    .run = run_lab_compare,
    .least = 2,
    .most = 2,
    .options = tri__result_options,
    .meaning = "two sets of results of a study: what changed beyond noise",
    .detail =
        "Compares every column in every cell that both have, by Welch's test over the repeats, corrected for the number of tests. What "
        "has p below .05 and differs by at least 1 % has changed. Findings that came out otherwise are told, too.",
    .operands = {{"BEFORE", "a folder that lab run has filled", "folder"}, {"AFTER", "another one", "folder"}},
    .examples = {{"trireme lab compare studies/A1 later/A1", "the same study by two versions"}},
};
