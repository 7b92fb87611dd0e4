/* report.c: writes the sections of a report, in order. */
#include "lab/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/text.h"
#include "lab/report/report_curves.h"
#include "lab/report/report_fits.h"
#include "lab/report/report_plots.h"
#include "lab/report/report_tables.h"
#include "lab/results/machine.h"
#include "lab/results/numbers.h"
#include "lab/study/study_shown.h"

static int64_t count_good(const tri__results *results)
{
    int64_t good = 0;
    for (int64_t i = 0; i < tri__results_count(results); i++)
        good += tri__results_at(results, i)->result != NULL;
    return good;
}

static void put_date(const tri__results *results, char *text, size_t size)
{
    const tri__measurement *last = tri__results_count(results) ? tri__results_at(results, tri__results_count(results) - 1) : NULL;
    time_t when = last ? (time_t)tri__json_number_of(last->record, "ended") : 0;
    struct tm day;
    text[0] = 0;
    if (last && gmtime_r(&when, &day))
        strftime(text, size, ", %Y-%m-%d", &day);
}

/* "Settings: epochs 10, target 0.6.": a scale may have changed them. */
static void put_settings(const tri__study *study, tri__markup *markup)
{
    const char *name, *between = "Settings:";
    json_t *value;
    char line[800];
    tri__text text;
    tri__text_init(&text, line, sizeof line);
    json_object_foreach(json_object_get(study->document, "settings"), name, value)
    {
        if (!json_is_string(value))
            continue;
        tri__text_add(&text, "%s %s %s", between, name, json_string_value(value));
        between = ",";
    }
    if (text.used)
        tri__markup_paragraph(markup, line);
}

static void put_opening(const tri__results *results, tri__markup *markup)
{
    const tri__study *study = tri__results_study(results);
    const json_t *about = json_object_get(tri__results_head(results), "about");
    const char *version = json_string_value(json_object_get(about, "version"));
    char text[800], machine[256], date[32];
    put_date(results, date, sizeof date);
    tri__markup_begin(markup, study->title);
    if (study->about)
        tri__markup_paragraph(markup, study->about);
    snprintf(text, sizeof text,
             "%lld runs of %d cells, %d of each, at %s scale. Trireme %s on %s%s. Seconds are of this machine: compare how they "
             "change, not their size.",
             (long long)count_good(results), study->cell_count, study->repeats, tri__scale_name(study->scale), version ? version : "",
             tri__machine_text(json_object_get(about, "machine"), machine, sizeof machine), date);
    tri__markup_paragraph(markup, text);
    put_settings(study, markup);
}

static bool has_remarks(const tri__study *study)
{
    for (int i = 0; i < study->finding_count; i++)
        if (study->findings[i].why)
            return true;
    return false;
}

static tri_status put_findings(const tri__results *results, tri__markup *markup)
{
    static const char *const names[] = {"", "finding", "measured", "remark"};
    const tri__study *study = tri__results_study(results);
    int columns = has_remarks(study) ? 4 : 3;
    if (!study->finding_count)
        return NULL;
    tri__markup_table_begin(markup, names, columns);
    for (int i = 0; i < study->finding_count; i++) {
        tri__finding_result finding;
        TRI_TRY(tri__finding_evaluate(results, i, &finding));
        const char *cells[] = {tri__finding_state_name(finding.state), study->findings[i].name, finding.evidence.text,
                               study->findings[i].why ? study->findings[i].why : ""};
        tri__markup_table_row(markup, cells, columns);
    }
    tri__markup_table_end(markup);
    return NULL;
}

/* Notes: statements of the published report that its own numbers contradict, and other things that a reader should know. */
static void put_notes(const tri__study *study, tri__markup *markup)
{
    const json_t *notes = json_object_get(study->document, "notes");
    size_t index;
    json_t *note;
    if (!json_array_size(notes))
        return;
    tri__markup_heading(markup, "Of the published report");
    tri__markup_list_begin(markup);
    json_array_foreach((json_t *)(uintptr_t)notes, index, note) tri__markup_item(markup, json_string_value(note));
    tri__markup_list_end(markup);
}

/* The verdicts of the runs: where their time went. */
static void put_verdicts(const tri__results *results, tri__markup *markup)
{
    static const char *const names[] = {"cell", "verdict of its first run"};
    const tri__study *study = tri__results_study(results);
    bool begun = false;
    for (int cell = 0; cell < study->cell_count; cell++) {
        const char *verdict = NULL;
        char text[400];
        for (int64_t i = 0; i < tri__results_count(results) && !verdict; i++)
            if (tri__results_at(results, i)->cell == cell)
                verdict = json_string_value(json_object_get(tri__results_at(results, i)->result, "verdict"));
        if (!verdict)
            continue;
        if (!begun)
            tri__markup_heading(markup, "Where the time went"), tri__markup_table_begin(markup, names, 2);
        begun = true;
        const char *cells[] = {tri__study_cell_title(study, cell, text, sizeof text), verdict};
        tri__markup_table_row(markup, cells, 2);
    }
    if (begun)
        tri__markup_table_end(markup);
}

static bool is_last_failure(const tri__results *results, int64_t index)
{
    const tri__measurement *one = tri__results_at(results, index);
    for (int64_t i = index + 1; i < tri__results_count(results); i++) {
        const tri__measurement *later = tri__results_at(results, i);
        if (later->cell == one->cell && later->repeat == one->repeat && !later->result)
            return false;
    }
    return true;
}

/* A row for each run that failed, with its last reason, however often it was tried. */
static void put_failures(const tri__results *results, tri__markup *markup)
{
    static const char *const names[] = {"cell", "repeat", "failed", "why it failed"};
    const tri__study *study = tri__results_study(results);
    bool begun = false;
    for (int64_t i = 0; i < tri__results_count(results); i++) {
        const tri__measurement *one = tri__results_at(results, i);
        char text[400], repeat[16], times[64];
        const int failed = tri__results_failures(results, one->cell, one->repeat);
        if (one->result || !is_last_failure(results, i))
            continue;
        if (!begun)
            tri__markup_heading(markup, "Runs that failed"), tri__markup_table_begin(markup, names, 4);
        begun = true;
        snprintf(repeat, sizeof repeat, "%d", one->repeat);
        int length = snprintf(times, sizeof times, failed == 1 ? "once" : "%d times", failed);
        snprintf(times + length, sizeof times - (size_t)length,
                 tri__results_has(results, one->cell, one->repeat) ? ", then it ended well" : "");
        const char *why = json_string_value(json_object_get(one->record, "failure"));
        const char *cells[] = {tri__study_cell_title(study, one->cell, text, sizeof text), repeat, times, why ? why : ""};
        tri__markup_table_row(markup, cells, 4);
    }
    if (begun)
        tri__markup_table_end(markup);
}

/* "mnist 442d85d6, …" */
static void put_digests(const json_t *data, tri__markup *markup)
{
    char text[2000] = "Digests of the data:";
    const char *source;
    json_t *digest;
    size_t used = strlen(text);
    json_object_foreach((json_t *)(uintptr_t)data, source, digest)
    {
        const char *shown = json_is_string(digest) ? json_string_value(digest) : "not known";
        int length = snprintf(text + used, sizeof text - used, " %s %s,", source, shown);
        if (length < 0 || used + (size_t)length >= sizeof text)
            break; /* the journal has all digests */
        used += (size_t)length;
    }
    if (text[used - 1] != ',')
        return;
    text[used - 1] = '\0';
    tri__markup_paragraph(markup, text);
}

static void put_closing(const tri__results *results, tri__markup *markup)
{
    const tri__study *study = tri__results_study(results);
    char text[4400];
    const char *option = study->scale == TRI_SCALE_USUAL ? "" : study->scale == TRI_SCALE_QUICK ? " --quick" : " --full";
    tri__markup_heading(markup, "To repeat it");
    snprintf(text, sizeof text, "trireme lab run %s%s\n# each cell: trireme %.4000s", study->file, option, study->command);
    tri__markup_code(markup, text);
    put_digests(tri__results_data(results), markup);
    tri__markup_end(markup);
}

typedef tri_status put_entry(const tri__results *results, const json_t *spec, tri__arena *arena, tri__markup *markup);

/* Write every entry of a list in the study's file. */
static tri_status put_entries(const tri__results *results, const char *list, put_entry *put, tri__markup *markup)
{
    size_t index;
    json_t *spec;
    json_array_foreach(json_object_get(tri__results_study(results)->document, list), index, spec)
    {
        tri__arena *arena;
        TRI_TRY(tri__arena_create(&arena));
        tri_status status = put(results, spec, arena, markup);
        tri__arena_destroy(arena);
        TRI_TRY(status);
    }
    return NULL;
}

static tri_status put_report(const tri__results *results, tri__markup *markup)
{
    put_opening(results, markup);
    tri__markup_heading(markup, "Findings");
    TRI_TRY(put_findings(results, markup));
    TRI_TRY(put_entries(results, "tables", tri__report_table, markup));
    TRI_TRY(put_entries(results, "plots", tri__report_plot, markup));
    TRI_TRY(tri__report_curves(results, markup));
    TRI_TRY(put_entries(results, "fits", tri__report_fit, markup));
    put_notes(tri__results_study(results), markup);
    put_verdicts(results, markup);
    put_failures(results, markup);
    put_closing(results, markup);
    return NULL;
}

static tri_status write_one(const tri__results *results, const char *folder, bool html)
{
    char *text = NULL, *path = tri__path_join(folder, html ? "report.html" : "report.md");
    size_t size = 0;
    tri__markup markup = {.out = open_memstream(&text, &size), .html = html, .folder = folder, .prefix = "plot"};
    tri_status status = path && markup.out ? put_report(results, &markup) : tri_fail(TRI_NO_MEMORY, "no memory for a report");
    bool closed = markup.out && !fclose(markup.out);
    if (!status)
        status = closed ? tri__file_replace(path, text, size) : tri_fail(TRI_NO_MEMORY, "no memory for a report");
    free(text);
    free(path);
    return status;
}

tri_status tri__report_write(const tri__results *results, const char *folder)
{
    TRI_TRY(write_one(results, folder, true));
    return write_one(results, folder, false);
}

tri_status tri__report_append(const tri__results *results, const char *path, const char *link)
{
    tri__markup markup = {.out = fopen(path, "ae")};
    if (!markup.out)
        return tri__path_failure(path, "open", errno);
    tri__markup_linked_heading(&markup, tri__results_study(results)->title, link);
    tri_status status = put_findings(results, &markup);
    bool failed = ferror(markup.out) != 0;
    if ((fclose(markup.out) || failed) && !status)
        status = tri__path_failure(path, "write", errno);
    return status;
}
