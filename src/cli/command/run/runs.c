/* runs.c: trireme runs: prints a line for each run: what it was asked to do, its results, and how quick it was. */
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/text.h"
#include "base/text/text_table.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "train/folder/run_list.h"

/* ---- the table ---- */

typedef enum { WORD, COUNT, PERCENT, DECIMAL } shown_as;

typedef struct {
    const char *key, *title; /* the key in summary.json, or the option, and the column's title */
    shown_as kind;
} column;

static const column columns[] = {
    {"model", "model", WORD},
    {"data", "data", WORD},
    {"strategy", "strategy", WORD},
    {"mode", "mode", WORD},
    {"workers", "workers", COUNT},
    {"batch", "batch", COUNT},
    {"rule", "rule", WORD},
    {"rate", "rate", DECIMAL},
    {"schedule", "schedule", WORD},
    {"clip", "clip", DECIMAL},
    {"average", "average", DECIMAL},
    {"augment", "augment", WORD},
    {"class-weights", "class weights", WORD},
    {"steps", "steps", COUNT},
    {"epochs", "epochs", DECIMAL},
    {"train_loss", "train loss", DECIMAL},
    {"test_loss", "test loss", DECIMAL},
    {"test_accuracy", "accuracy", PERCENT},
    {"test_auc", "AUC", DECIMAL},
    {"test_r2", "R2", DECIMAL},
    {"test_f1", "F1", PERCENT},
    {"seconds", "seconds", DECIMAL},
    {"examples_per_second", "examples/s", COUNT},
    {"peak_rss_mb", "MB", COUNT},
    {"stopped_by", "stopped by", WORD},
};
enum { COLUMNS = sizeof columns / sizeof *columns, CELL = 40 };

static void write_cell(const column *which, const json_t *value, char cell[CELL])
{
    char text[TRI_TEXT_SHORT];
    const double number = json_number_value(value);
    if (json_is_string(value))
        snprintf(cell, CELL, "%.*s", CELL - 1, json_string_value(value));
    else if (!json_is_number(value))
        snprintf(cell, CELL, "-");
    else if (which->kind == COUNT)
        snprintf(cell, CELL, "%s", tri__text_count(text, number));
    else if (which->kind == PERCENT)
        snprintf(cell, CELL, "%.2f %%", 100 * number);
    else
        snprintf(cell, CELL, "%.4g", number);
}

/* The widths of the columns; 0: the column is empty in all runs. */
static void measure(const tri__run_list *list, int width[COLUMNS], int *name)
{
    char cell[CELL];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = 0;
    *name = (int)strlen("run");
    for (size_t i = 0; i < list->count; i++) {
        const int columns_of_name = tri__text_columns(list->run[i].path);
        *name = columns_of_name > *name ? columns_of_name : *name;
        for (int c = 0; c < COLUMNS; c++) {
            write_cell(&columns[c], tri__listed_value(&list->run[i], columns[c].key), cell);
            const int needed = tri__text_columns(cell);
            if (strcmp(cell, "-") != 0 && needed > width[c])
                width[c] = needed;
        }
    }
    for (int c = 0; c < COLUMNS; c++)
        if (width[c] > 0 && width[c] < (int)strlen(columns[c].title))
            width[c] = (int)strlen(columns[c].title);
}

/* Words are aligned to the left, numbers to the right. */
static void print_cell(FILE *out, const char *cell, int width, bool word)
{
    const int pad = width - tri__text_columns(cell);
    if (word)
        fprintf(out, "  %s%*s", cell, pad, "");
    else
        fprintf(out, "  %*s%s", pad, "", cell);
}

static const char *state_note(tri__listed_state state)
{
    static const char *const notes[] = {[TRI_RUN_LISTED_ENDED] = "",
                                        [TRI_RUN_LISTED_RUNNING] = "  running",
                                        [TRI_RUN_LISTED_BROKEN] = "  no summary: --resume goes on from its checkpoint",
                                        [TRI_RUN_LISTED_LOST] = "  no summary and no checkpoint: start it again"};
    return notes[state];
}

static void print_line(FILE *out, const tri__listed_run *run, const int width[COLUMNS])
{
    char cell[CELL];
    for (int c = 0; run->summary && c < COLUMNS; c++) {
        if (!width[c])
            continue;
        write_cell(&columns[c], tri__listed_value(run, columns[c].key), cell);
        print_cell(out, cell, width[c], columns[c].kind == WORD);
    }
    fprintf(out, "%s\n", state_note(run->state));
}

static void print_table(FILE *out, const tri__run_list *list)
{
    int width[COLUMNS], name;
    measure(list, width, &name);
    fprintf(out, "%-*s", name, "run");
    for (int c = 0; c < COLUMNS; c++)
        if (width[c])
            print_cell(out, columns[c].title, width[c], columns[c].kind == WORD);
    fputc('\n', out);
    for (size_t i = 0; i < list->count; i++) {
        fprintf(out, "%s%*s", list->run[i].path, name - tri__text_columns(list->run[i].path), "");
        print_line(out, &list->run[i], width);
    }
}

/* ---- for programs ---- */

static const char *state_name(tri__listed_state state)
{
    static const char *const names[] = {[TRI_RUN_LISTED_ENDED] = "ended",
                                        [TRI_RUN_LISTED_RUNNING] = "running",
                                        [TRI_RUN_LISTED_BROKEN] = "broken",
                                        [TRI_RUN_LISTED_LOST] = "lost"};
    return names[state];
}

static tri_status print_json(tri__session *session, const tri__run_list *list)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const tri__listed_run *run = &list->run[i];
        json_array_append_new(runs, json_pack("{s:s, s:s, s:s, s:O?}", "run", run->path, "state", state_name(run->state), "command",
                                              run->command, "summary", run->summary));
    }
    return tri__session_print_json(session, json_pack("{s:o}", "runs", runs));
}

static void put_value(FILE *out, const json_t *value)
{
    fputc(',', out);
    if (json_is_string(value))
        tri__text_table_write_cell(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_number(value))
        fprintf(out, "%.17g", json_number_value(value));
}

static void print_csv(FILE *out, const void *context)
{
    const tri__run_list *list = context;
    fputs("run,state", out);
    for (int c = 0; c < COLUMNS; c++)
        fprintf(out, ",%s", columns[c].key);
    fputs(",command\n", out);
    for (size_t i = 0; i < list->count; i++) {
        const tri__listed_run *run = &list->run[i];
        tri__text_table_write_cell(out, run->path);
        fprintf(out, ",%s", state_name(run->state));
        for (int c = 0; c < COLUMNS; c++)
            put_value(out, tri__listed_value(run, columns[c].key));
        fputc(',', out);
        tri__text_table_write_cell(out, run->command);
        fputc('\n', out);
    }
}

/* ---- the command ---- */

static tri_status tell(tri__session *session, const char *csv, const tri__run_list *list)
{
    if (csv)
        TRI_TRY(tri__file_print(csv, print_csv, list));
    if (session->json)
        return print_json(session, list);
    if (list->count > 0 && !(csv && session->quiet))
        print_table(session->out, list);
    return NULL;
}

static tri_status run_runs(tri__session *session, const tri__arguments *arguments)
{
    const char *folder = arguments->count > 0 ? arguments->operands[0] : "runs", *sort = tri__argument_text(arguments, "sort");
    const bool falling = tri__argument_flag(arguments, "reverse");
    tri__run_list list;
    if (falling && !sort)
        return tri_fail(TRI_BAD_CALL, "--reverse goes with --sort KEY");
    TRI_TRY(tri__run_list_read(folder, &list));
    tri_status status = sort ? tri__run_list_sort(&list, sort, falling) : NULL;
    if (!status && list.count == 0 && !session->json)
        status = tri_fail(TRI_NOT_FOUND, "%s: there is no run in it (trireme train leaves its runs in runs/, or where --out says)", folder);
    if (!status)
        status = tell(session, tri__argument_text(arguments, "csv"), &list);
    tri__run_list_fini(&list);
    return status;
}

static const tri__option runs_options[] = {
    {.name = "sort",
     .argument = "KEY",
     .kind = TRI_OPTION_TEXT,
     .group = "Order",
     .otherwise = "by name",
     .meaning = "by a key of summary.json or an option: test_accuracy, test_loss, seconds, rate, average, …"},
    {.name = "reverse", .meaning = "with --sort: the largest first"},
    {.name = "csv",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .group = "Output",
     .completion = "file",
     .meaning = "also write them to a file, with the command of each"},
    {.name = "quiet", .meaning = "with --csv: print no table"},
    {.name = "json", .meaning = "print one JSON object with the summaries of all runs"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_runs = {
    .name = "runs",
    .usage = "[FOLDER] [options]",
    .run = run_runs,
    .most = 1,
    .options = runs_options,
    .meaning = "runs side by side: settings, results, speed",
    .detail = "Reads the summaries of all runs in a folder. A run that goes on is marked as running; one without a summary was killed.",
    .operands = {{"FOLDER", "a folder of runs; runs/ where it is left out", "folder"}},
    .examples = {{"trireme runs --sort test_accuracy --reverse", "the best first"},
                 {"trireme runs experiments/ --csv runs.csv", "for a spreadsheet"}},
};
