/* data_speed.c: trireme data speed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "cli/command/data/data_options.h"
#include "cli/command/data/data_samples.h"
#include "cli/command/data/data_speed_on.h"
#include "cli/process/counting.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/size.h"
#include "lab/speed/speed_write.h"

/* "2,4,8" → values */
static tri_status read_list(const tri__arguments *arguments, const char *name, int64_t most, tri__speed_values *out)
{
    const char *text = tri__argument_text(arguments, name), *at = text;
    *out = (tri__speed_values){0};
    while (at) {
        char *end;
        long long value = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ',') || value < 1 || value > most)
            return tri_fail(TRI_BAD_CALL, "--%s %s: should be whole numbers from 1 to %lld with commas between, such as 2,4", name, text,
                            (long long)most);
        if (out->count == TRI_SPEED_VALUES)
            return tri_fail(TRI_BAD_CALL, "--%s %s: at most %d values", name, text, TRI_SPEED_VALUES);
        for (int i = 0; i < out->count; i++)
            if (out->value[i] == value)
                return tri_fail(TRI_BAD_CALL, "--%s %s: %lld stands there twice (--repeat measures again)", name, text, value);
        out->value[out->count++] = value;
        at = *end ? end + 1 : NULL;
    }
    return NULL;
}

/* "2/3": the second of three */
static tri_status read_part(const tri__arguments *arguments, tri__speed_request *request)
{
    const char *text = tri__argument_text(arguments, "part");
    int end = 0;
    if (!text)
        return NULL;
    if (sscanf(text, "%d/%d%n", &request->part, &request->parts, &end) != 2 || text[end] || request->part < 1 ||
        request->part > request->parts || request->parts > TRI_MOST_HOSTS)
        return tri_fail(TRI_BAD_CALL, "--part %s: should be a number and how many there are, such as 2/3", text);
    request->part--;
    return NULL;
}

static tri_status read_request(tri__session *session, const tri__arguments *arguments, tri__speed_request *request)
{
    *request = (tri__speed_request){
        .repeat = tri__argument_integer(arguments, "repeat"),
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
        .cache = tri__argument_flag(arguments, "cache"),
        .drop_caches = tri__argument_flag(arguments, "drop-caches"),
        .cache_folder = session->cache_folder,
        .seed = (uint64_t)tri__argument_integer(arguments, "seed"),
        .stop = tri__signals_catch(1),
        .progress = tri__counting_show,
    };
    TRI_TRY(read_list(arguments, "batch", 1 << 20, &request->batch));
    TRI_TRY(read_list(arguments, "batches", 1 << 30, &request->batches));
    TRI_TRY(read_list(arguments, "workers", 64, &request->workers));
    if (request->workers.count == 0)
        request->workers.count = 1; /* one value, 0: the dataset chooses */
    return read_part(arguments, request);
}

/* ---- for people ---- */

static void print_cells(FILE *out, const tri__speed_result *result, bool workers)
{
    fprintf(out, "%8s %8s %8s %8s%s %12s %8s\n", "batch", "batches", "items", "repeat", workers ? "  workers" : "", "items/s", "CPU, %");
    for (int64_t i = 0; i < result->count; i++) {
        const tri__speed_cell *cell = &result->cells[i];
        fprintf(out, "%8lld %8lld %8lld %8lld", (long long)cell->value[TRI_SPEED_BATCH], (long long)cell->value[TRI_SPEED_BATCHES],
                (long long)cell->items, (long long)cell->value[TRI_SPEED_REPEAT]);
        if (workers)
            fprintf(out, " %8lld", (long long)cell->value[TRI_SPEED_WORKERS]);
        fprintf(out, " %12.1f %8.0f\n", cell->items_per_second, 100 * cell->cpu_seconds / cell->seconds);
    }
}

static int64_t most_damaged(const tri__speed_result *result)
{
    int64_t most = 0;
    for (int64_t i = 0; i < result->count; i++)
        most = result->cells[i].damaged > most ? result->cells[i].damaged : most;
    return most;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_means(FILE *out, const tri__speed_result *result, tri__speed_parameter parameter)
{
    int64_t *values = malloc((size_t)result->count * sizeof *values);
    if (!values)
        return;
    for (int64_t i = 0; i < result->count; i++)
        values[i] = result->cells[i].value[parameter];
    qsort(values, (size_t)result->count, sizeof *values, by_value);
    for (int64_t i = 0; i < result->count; i++)
        if (i == 0 || values[i] != values[i - 1])
            fprintf(out, "%-8s %8lld %12.1f\n", tri__speed_parameter_name(parameter), (long long)values[i],
                    tri__speed_mean(result, parameter, values[i]));
    free(values);
}

static void print_fit(FILE *out, const char *name, const tri__regression *fit, int column)
{
    fprintf(out, "%-8s %12.4g %12.4g %9.3f %10.3g", name, fit->column[column].slope, fit->column[column].error, fit->column[column].t,
            fit->column[column].p);
    if (column == 0)
        fprintf(out, " %8.4f", fit->r2);
    fputc('\n', out);
}

static void print_table(FILE *out, const tri__speed_request *request, const tri__speed_result *result)
{
    print_cells(out, result, request->workers.value[0] > 0);
    if (most_damaged(result))
        fprintf(out, "damaged: up to %lld records of a measurement, left out\n", (long long)most_damaged(result));
    if (result->variables == 0)
        return;
    fprintf(out, "\n%-17s %12s\n", "average by", "items/s");
    for (int i = 0; i < result->variables; i++)
        print_means(out, result, result->varied[i]);
    fprintf(out, "\n%-8s %12s %12s %9s %10s %8s\n", "alone", "slope", "std. error", "t", "p", "R²");
    for (int i = 0; i < result->variables; i++)
        print_fit(out, tri__speed_parameter_name(result->varied[i]), &result->alone[i], 0);
    if (result->together.columns == 0)
        return;
    fprintf(out, "%-8s\n", "together");
    for (int i = 0; i < result->together.columns; i++)
        print_fit(out, tri__speed_parameter_name(result->varied[i]), &result->together, i);
}

/* ---- for programs ---- */

static json_t *number_json(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *fit_json(const char *name, const tri__regression *fit, int column)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "parameter", name, "slope", number_json(fit->column[column].slope), "stderr",
                     number_json(fit->column[column].error), "t", number_json(fit->column[column].t), "p",
                     number_json(fit->column[column].p), "r2", number_json(fit->r2));
}

static json_t *cells_json(const tri__speed_result *result)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < result->count; i++) {
        const tri__speed_cell *cell = &result->cells[i];
        json_t *row = json_object();
        for (int p = 0; p <= TRI_SPEED_WORKERS; p++)
            json_object_set_new(row, tri__speed_parameter_name((tri__speed_parameter)p),
                                p == TRI_SPEED_WORKERS && !cell->value[p] ? json_null() : json_integer(cell->value[p]));
        json_object_set_new(row, "items", json_integer(cell->items));
        json_object_set_new(row, "damaged", json_integer(cell->damaged));
        json_object_set_new(row, "items_per_second", json_real(cell->items_per_second));
        json_object_set_new(row, "seconds", json_real(cell->seconds));
        json_object_set_new(row, "cpu_seconds", json_real(cell->cpu_seconds));
        json_array_append_new(list, row);
    }
    return list;
}

/* "fits" has one fit for each parameter alone; "together" has the slopes of one fit to all parameters but items. */
static tri_status print_json(tri__session *session, const tri__speed_result *result, const tri__speed_on *on)
{
    json_t *alone = json_array(), *together = json_array();
    for (int i = 0; i < result->variables; i++)
        json_array_append_new(alone, fit_json(tri__speed_parameter_name(result->varied[i]), &result->alone[i], 0));
    for (int i = 0; i < result->together.columns; i++)
        json_array_append_new(together, fit_json(tri__speed_parameter_name(result->varied[i]), &result->together, i));
    json_t *whole = json_pack("{s:o, s:o, s:o}", "cells", cells_json(result), "fits", alone, "together", together);
    if (on)
        json_object_set_new(whole, "hosts", tri__speed_on_json(on));
    return tri__session_print_json(session, whole);
}

static tri_status report(tri__session *session, const tri__arguments *arguments, const tri__speed_request *request,
                         const tri__speed_result *result, const tri__speed_on *on)
{
    const char *folder = tri__argument_text(arguments, "out");
    char title[200];
    snprintf(title, sizeof title, "Reading speed of %.150s%s", arguments->operands[0], request->cache ? ", cached" : "");
    if (folder)
        TRI_TRY(tri__speed_write(result, folder, title));
    if (session->json)
        return print_json(session, result, on);
    print_table(session->out, request, result);
    if (folder && !session->quiet)
        tri__terminal_say(&session->terminal, "\n%s/speed.csv and speed.svg", folder);
    return NULL;
}

/* on: NULL without --on. */
static tri_status measure(tri__session *session, const tri__arguments *arguments, tri__speed_request *request, const tri__speed_on *on)
{
    tri__counting counting;
    tri__counting_init(&counting, session, "examples");
    request->context = &counting;
    tri__speed_result result;
    tri_status status = tri__speed_measure(request, &result);
    tri__counting_fini(&counting);
    if (status)
        return status;
    status = report(session, arguments, request, &result, on);
    tri__speed_result_fini(&result);
    return status;
}

static tri_status measure_here(tri__session *session, const tri__arguments *arguments, tri__speed_request *request)
{
    tri__data_samples samples;
    TRI_TRY(tri__data_samples_start(arguments, &samples));
    tri_status status = measure(session, arguments, request, NULL);
    tri__data_samples_stop(&samples);
    return status;
}

static tri_status run_data_speed(tri__session *session, const tri__arguments *arguments)
{
    tri__speed_request request;
    tri__speed_on on;
    const bool elsewhere = tri__argument_given(arguments, "on") || tri__argument_given(arguments, "hosts");
    tri_source_options options = {.seed = (uint64_t)tri__argument_integer(arguments, "seed"),
                                  .cache_folder = session->cache_folder,
                                  .features = tri__argument_integer(arguments, "features")};
    TRI_TRY(read_request(session, arguments, &request));
    TRI_TRY(tri__argument_size(arguments, "size", &options.width, &options.height));
    TRI_TRY(elsewhere ? tri__speed_on_open(session, arguments, &request, &on)
                      : tri_source_open(arguments->operands[0], TRI_PART_TRAIN, &options, &request.source));
    tri_status status = elsewhere ? measure(session, arguments, &request, &on) : measure_here(session, arguments, &request);
    tri_source_destroy(request.source);
    return status;
}

static const tri__option speed_options[] = {
    {.name = "batch",
     .argument = "B,…",
     .kind = TRI_OPTION_TEXT,
     .standard = "2,4",
     .group = "The grid",
     .meaning = "batch sizes, with commas between"},
    {.name = "batches", .argument = "N,…", .kind = TRI_OPTION_TEXT, .standard = "3,6", .meaning = "how many batches are read"},
    {.name = "workers",
     .argument = "N,…",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "tuned",
     .meaning = "threads that read and decode; several numbers are one more parameter"},
    {.name = "repeat",
     .argument = "R",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1000,
     .standard = "2",
     .meaning = "measure each combination R times; the repetition is a parameter, too"},
    SKIP_BAD_ROW("skip up to N damaged records; one more ends the command"),
    {.name = "cache", .off = "off", .meaning = "keep decoded examples from one repetition to the next"},
    {.name = "drop-caches",
     .meaning = "empty the system's file cache before every measurement; needs root",
     .detail = "Writes to /proc/sys/vm/drop_caches. Without it, files are measured as they are: usually in memory."},
    {.name = "size", .argument = "WxH", .kind = TRI_OPTION_TEXT, .group = "Data", .otherwise = "as they are", .meaning = RESIZE_MEANING},
    FEATURES_ROW,
    DATA_SEED_ROW(NULL, "seed of the order of measurements and of synthetic data"),
    ON_ROW("on the hosts of a virtual cluster, each of which reads a part of every combination"),
    HOSTS_ROW,
    {.name = "part", .argument = "I/N", .kind = TRI_OPTION_TEXT, .hidden = true, .meaning = "read the Ith of N parts"},
    OUT_FOLDER_ROW("Output", NULL, "write speed.csv and speed.svg there"),
    SAMPLES_ROW,
    SAMPLE_EVERY_ROW,
    {.name = "quiet", .meaning = QUIET_MEANING},
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_data_speed = {
    .name = "data speed",
    .usage = "SOURCE [options]",
    .run = run_data_speed,
    .least = 1,
    .most = 1,
    .options = speed_options,
    .meaning = "reading speed over a grid of settings, with regression",
    .detail = "Reads the source with every combination of settings, in random order, and tells examples a second: a table, averages by "
              "each parameter's values, and least squares on each parameter alone and on all together with standard errors and p-values.",
    .operands = {{"SOURCE", "as for train --data", SOURCES}},
    .examples = {{"trireme data speed photos/ --size 192x192 --batch 2,4 --batches 3,6", "as in the published study"},
                 {"trireme data speed photos/ --size 192x192 --workers 1,2,4 --cache --out speed", "threads and cache, with a plot"},
                 {"trireme data speed photos/ --size 192x192 --cache --on study", "by all hosts of `trireme cluster up study`"}},
};
