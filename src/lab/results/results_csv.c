/* results_csv.c: writes one row for each run, worker and host. */
#include "lab/results/results_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/text_table.h"
#include "lab/results/machine.h"
#include "lab/results/numbers.h"

#define TABLE   "results.csv"
#define LARGEST ((size_t)1 << 30)

typedef struct {
    FILE *out;
    const tri__results *results;
    const tri__study *study;
    const char *version;
    char machine[256];
    const char *data; /* digests, as JSON text */
} table;

static void put(const table *to, const char *text)
{
    fputc(',', to->out);
    tri__text_table_write_cell(to->out, text ? text : "");
}

static void put_number(const table *to, double number)
{
    fputc(',', to->out);
    if (!isnan(number))
        fprintf(to->out, "%.10g", number);
}

static void put_names(const table *to)
{
    static const char *const prefix[] = {"", "worker_", "host_"};
    fputs("study,cell,repeat,task", to->out);
    for (int i = 0; i < to->study->factor_count; i++)
        put(to, to->study->factors[i]);
    for (int i = 0; i < to->study->column_count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%.128s", prefix[to->study->columns[i].scope], to->study->columns[i].name);
        put(to, name);
    }
    fputs(",failure,wall_seconds,command,version,machine,data\n", to->out);
}

static void put_row(const table *to, const tri__measurement *one, tri__scope scope, const json_t *task)
{
    char name[64];
    tri__text_table_write_cell(to->out, to->study->name);
    fprintf(to->out, ",%d,%d", one->cell + 1, one->repeat);
    put(to, tri__result_task_name(task, scope, name, sizeof name));
    for (int i = 0; i < to->study->factor_count; i++)
        put(to, tri__study_value(to->study, one->cell, i));
    for (int i = 0; i < to->study->column_count; i++) {
        tri__scope wanted = to->study->columns[i].scope;
        const json_t *from = wanted == TRI_SCOPE_RUN ? one->result : wanted == scope ? task : NULL;
        put_number(to, tri__measured_number(to->study, one, i, from));
    }
    put(to, json_string_value(json_object_get(one->record, "failure")));
    put_number(to, tri__json_number_of(one->record, "seconds"));
    put(to, json_string_value(json_object_get(one->record, "command")));
    put(to, to->version);
    put(to, to->machine);
    put(to, to->data);
    fputc('\n', to->out);
}

static bool has_columns(const tri__study *study, tri__scope scope)
{
    for (int i = 0; i < study->column_count; i++)
        if (study->columns[i].scope == scope)
            return true;
    return false;
}

static void put_measurement(const table *to, const tri__measurement *one)
{
    int rows = 0;
    const json_t *task;
    for (tri__scope scope = TRI_SCOPE_WORKER; scope <= TRI_SCOPE_HOST; scope++)
        for (int i = 0; (scope == TRI_SCOPE_WORKER || has_columns(to->study, scope)) && (task = tri__result_task(one->result, scope, i));
             i++, rows++)
            put_row(to, one, scope, task);
    if (!rows)
        put_row(to, one, TRI_SCOPE_RUN, one->result);
}

static void print_table(FILE *out, const void *context)
{
    table to = *(const table *)context;
    const json_t *about = json_object_get(tri__results_head(to.results), "about");
    to.out = out;
    to.version = json_string_value(json_object_get(about, "version"));
    tri__machine_text(json_object_get(about, "machine"), to.machine, sizeof to.machine);
    put_names(&to);
    for (int64_t i = 0; i < tri__results_count(to.results); i++)
        put_measurement(&to, tri__results_at(to.results, i));
}

static char *path_in(const char *folder)
{
    return tri__path_join(folder, TABLE);
}

static tri_status no_memory(const char *folder)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for " TABLE " of %s", folder);
}

tri_status tri__results_csv_write(const tri__results *results, const char *folder)
{
    char *path = path_in(folder), *data = json_dumps(tri__results_data(results), JSON_COMPACT);
    const table what = {.results = results, .study = tri__results_study(results), .data = data};
    tri_status status = path ? tri__file_print(path, print_table, &what) : no_memory(folder);
    free(path);
    free(data);
    return status;
}

/* What results.csv should contain; free() it. NULL: no memory. */
static char *text_of(const tri__results *results)
{
    char *text = NULL, *data = json_dumps(tri__results_data(results), JSON_COMPACT);
    size_t size;
    const table what = {.results = results, .study = tri__results_study(results), .data = data};
    FILE *out = open_memstream(&text, &size);
    if (out) {
        print_table(out, &what);
        fclose(out);
    }
    free(data);
    return text;
}

tri_status tri__results_csv_check(const tri__results *results, const char *folder, bool *fits)
{
    char *path = path_in(folder), *wanted = text_of(results), *text = NULL;
    size_t size;
    tri_status status = path && wanted ? NULL : no_memory(folder);
    *fits = true;
    if (!status && tri__file_exists(path)) {
        status = tri__file_read(path, LARGEST, &text, &size);
        *fits = text && size == strlen(wanted) && !memcmp(text, wanted, size);
    }
    free(path);
    free(wanted);
    free(text);
    return status;
}
