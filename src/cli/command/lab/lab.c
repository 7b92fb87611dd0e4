/* lab.c: trireme lab report and lab list. */
#include "cli/command/lab/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "lab/report/report.h"
#include "lab/results/results_csv.h"
#include "lab/study/builtin_studies.h"

const char *tri__lab_find_results(const char *named, char *folder, size_t size)
{
    snprintf(folder, size, "studies/%s", named);
    return tri__folder_exists(named) || !tri__folder_exists(folder) ? named : folder;
}

/* ---- report ---- */

/* The list links to the report. Where the report is below the folder of the list, the link is relative to that folder. */
static tri_status append_to(const char *list, const char *out, const tri__results *results)
{
    char link[4200], *folder = tri__path_parent(list);
    size_t length = folder ? strlen(folder) : 0;
    bool below = folder && !strncmp(out, folder, length) && out[length] == '/';
    snprintf(link, sizeof link, "%s/report.md", below ? out + length + 1 : out);
    free(folder);
    return tri__report_append(results, list, link);
}

/* The page is made from the journal. A table that was changed or damaged says something else: the user should know. */
static tri_status warn_of_another_table(const tri__session *session, const tri__results *results, const char *folder)
{
    bool fits;
    TRI_TRY(tri__results_csv_check(results, folder, &fits));
    if (!fits)
        tri__log_line(
            session->log, TRI_LOG_WARNING,
            "%s/results.csv is not the table of these results: was it changed, or damaged? The page is made from cells.jsonl, the "
            "journal; `trireme lab run` writes the table anew",
            folder);
    return NULL;
}

static tri_status run_lab_report(tri__session *session, const tri__arguments *arguments)
{
    char room[4096];
    const char *folder = tri__lab_find_results(arguments->operands[0], room, sizeof room), *out = tri__argument_text(arguments, "out");
    tri__results *results;
    const char *list = tri__argument_text(arguments, "append");
    out = out ? out : folder;
    TRI_TRY(tri__results_read(folder, &results));
    tri_status status = warn_of_another_table(session, results, folder);
    if (!status)
        status = tri__folder_create(out);
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

static const tri__option lab_report_options[] = {
    OUT_FOLDER_ROW("Output", "beside the results", "the folder for the page"),
    {.name = "append",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "also append title and findings to this Markdown file, with a link to the page"},
    {.name = "json", .meaning = "print the paths as one JSON object"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_lab_report = {
    .name = "lab report",
    .usage = "RESULTS [--out DIR]",
    .run = run_lab_report,
    .least = 1,
    .most = 1,
    .options = lab_report_options,
    .meaning = "a page about a study: findings, tables, plots",
    .detail = "Writes report.html, one page that needs no other file, and report.md with its pictures: each finding confirmed or not with "
              "its numbers, medians and spread beside the published figures, plots, regressions, and where the time of each cell went.",
    .operands = {{"RESULTS", "a folder that lab run has filled, or the name of a study below studies/", "folder"}},
    .examples = {{"trireme lab report studies/A1", "of the results of `trireme lab run A1`"}},
};

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

static tri_status run_lab_list(tri__session *session, const tri__arguments *arguments)
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

const tri__command tri__command_lab_list = {
    .name = "lab list",
    .usage = "",
    .run = run_lab_list,
    .options = tri__result_options,
    .meaning = "the studies that are built in",
};
